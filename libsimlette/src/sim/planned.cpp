#include <simlette/sim/planned.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <simlette/base/contract.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/fabric/builders.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/price.hpp>
#include <simlette/sim/planned_racks.hpp>

namespace simlette {

namespace {

std::string path_of(std::size_t entry, const char* key) {
    return fmt::format("collectives.{}.{}", entry, key);
}

// Of a mesh of one axis with its own name, the axis is the mesh.
std::string axis_name(const PlannedMesh& mesh, const PlannedAxis& axis) {
    return mesh.name == axis.name ? mesh.name : mesh.name + '.' + axis.name;
}

bool is_world(const WorkloadEntry& entry) {
    return !entry.on_axis() && entry.collective.group.empty();
}

PlanMesh empty_mesh(const Mesh& mesh) {
    PlanMesh planned{mesh.name, {}};
    for (const Mesh::Axis& axis : mesh.axes) {
        planned.axes.push_back({axis.name, axis.size, {}});
    }
    return planned;
}

PlanCollective wanted(const WorkloadEntry& entry) {
    const CollectiveSpec& collective = entry.collective;
    const bool any = collective.schedule == ScheduleKind::automatic_simulated;
    return {collective.primitive, collective.bytes, entry.calls, any ? ScheduleKind::automatic : collective.schedule};
}

const PlannedMesh* mesh_of(const Plan& plan, const std::string& name) {
    const auto found = std::find_if(plan.meshes.begin(), plan.meshes.end(),
                                    [&](const PlannedMesh& mesh) { return mesh.name == name; });
    return found == plan.meshes.end() ? nullptr : &*found;
}

// Nothing for a group of its own, and for all ranks where the plan has no such mesh.
const PlannedAxis* axis_of(const Plan& plan, const WorkloadEntry& entry) {
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            if (is_world(entry) ? mesh.name == world_mesh && mesh.axes.size() == 1
                                : entry.on_axis() && entry.group == mesh.name + '.' + axis.name) {
                return &axis;
            }
        }
    }
    return nullptr;
}

template <class Axes>
std::string shape_text(const Axes& axes) {
    std::string text;
    for (const auto& axis : axes) {
        text += fmt::format("{}{} {}", text.empty() ? "" : " x ", axis.name, axis.size);
    }
    return text;
}

std::string meshes_text(const Plan& plan) {
    std::string text;
    for (const PlannedMesh& mesh : plan.meshes) {
        text += fmt::format("{}`{}` ({})", text.empty() ? "" : ", ", mesh.name, shape_text(mesh.axes));
    }
    return text;
}

std::string axes_with_circuits(const Plan& plan) {
    std::string text;
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            if (!axis.blocks.empty()) {
                text += fmt::format("{}`{}`", text.empty() ? "" : ", ", axis_name(mesh, axis));
            }
        }
    }
    return text;
}

bool same_shape(const Mesh& mesh, const PlannedMesh& planned) {
    return std::equal(mesh.axes.begin(), mesh.axes.end(), planned.axes.begin(), planned.axes.end(),
                      [](const Mesh::Axis& a, const PlannedAxis& b) { return a.name == b.name && a.size == b.size; });
}

// As planned, by the fastest schedule where a workload named a slower one beside it; of a collective that was not
// planned the best on the circuits of the axis.
ScheduleKind planned_schedule(const Plan& plan, const PlannedAxis& axis, const CollectiveSpec& collective,
                              const PlanRequest& circuits) {
    const PlannedCollective* fastest = nullptr;
    for (const PlannedCollective& planned : axis.collectives) {
        if (planned.collective.primitive == collective.primitive && planned.collective.bytes == collective.bytes &&
            (fastest == nullptr || planned.time < fastest->time)) {
            fastest = &planned;
        }
    }
    if (fastest != nullptr) {
        return fastest->collective.schedule;
    }
    return best_schedule(plan, axis, {collective.primitive, collective.bytes, 1, ScheduleKind::automatic}, circuits);
}

void schedule_by(const Plan& plan, const PlannedAxis& axis, const PlanRequest& circuits, CollectiveSpec& collective) {
    if (collective.schedule == ScheduleKind::automatic && !axis.blocks.empty()) {
        collective.schedule = planned_schedule(plan, axis, collective, circuits);
    }
    if (takes_layers(collective.schedule) && !collective.layers.given()) {
        collective.layers = layer_choice_of(axis);
    }
}

// Through the electronic switch of a rack.
Duration packet_latency(const FabricSpec& fabric) {
    const LatencySpec& l = fabric.latency;
    return l.egress_endpoint + l.egress_protocol + l.propagation * 2 + l.packet_switch + l.ingress_endpoint +
           l.ingress_protocol;
}

Duration latency_inside(const FabricSpec& fabric) {
    return is_hybrid(fabric) ? packet_latency(fabric) : circuit_classes(fabric).front().latency.total();
}

Duration latency_across(const FabricSpec& fabric) {
    const LatencySpec& l = fabric.latency;
    return is_hybrid(fabric) ? packet_latency(fabric) + l.propagation_level2 * 2 + l.circuit_switch + l.packet_switch +
                                   further_hop(fabric).total()
                             : circuit_classes(fabric).back().latency.total();
}

// Ports and what a circuit costs; no meshes.
PlanRequest circuits_request(const FabricSpec& fabric) {
    PlanRequest request;
    request.ranks = fabric.accelerators;
    request.ports = fabric.ports;
    request.rate = fabric.port_rate;
    request.latency = latency_inside(fabric);
    request.latency_across = latency_across(fabric);
    request.same_port = fabric.kind != FabricKind::direct;
    if (fabric.kind == FabricKind::two_level) {
        request.group = fabric.group;
        request.up = fabric.level1.up;
    }
    return request;
}

}  // namespace

std::vector<WorkloadFault> faults_for_planning(const WorkloadSpec& workload) {
    std::vector<WorkloadFault> faults;
    if (workload.traffic) {
        faults.push_back({"traffic", "a plan serves collectives; synthetic traffic has none"});
    }
    bool world = false;
    for (std::size_t i = 0; i < workload.collectives.size(); ++i) {
        const WorkloadEntry& entry = workload.collectives[i];
        world = world || is_world(entry);
        if (!entry.on_axis() && !is_world(entry)) {
            faults.push_back({path_of(i, "group"),
                              "a plan serves all ranks and axes of meshes, not a group of its "
                              "own; name a mesh with such groups"});
        }
        if (entry.collective.own_schedule) {
            faults.push_back({path_of(i, "schedule"), "a plan cannot price a schedule from a file"});
        }
        if (entry.collective.sizes) {
            faults.push_back({path_of(i, "sizes"), "a plan needs blocks of equal size; expected `bytes`"});
        }
    }
    for (const Mesh& mesh : workload.meshes) {
        if (world && mesh.name == world_mesh) {
            faults.push_back({"meshes.world", "the mesh `world` is that of `group: world`; name this one otherwise"});
        }
    }
    return faults;
}

PlanRequest plan_request(const FabricSpec& fabric, const WorkloadSpec& workload) {
    PlanRequest request = circuits_request(fabric);
    PlanMesh world{world_mesh, {{world_mesh, fabric.accelerators, {}}}};
    std::vector<PlanMesh> meshes;
    for (const Mesh& mesh : workload.meshes) {
        meshes.push_back(empty_mesh(mesh));
    }
    for (const WorkloadEntry& entry : workload.collectives) {
        if (is_world(entry)) {
            world.axes.front().collectives.push_back(wanted(entry));
        }
        for (PlanMesh& mesh : meshes) {
            for (PlanAxis& axis : mesh.axes) {
                if (entry.on_axis() && entry.group == mesh.name + '.' + axis.name) {
                    axis.collectives.push_back(wanted(entry));
                }
            }
        }
    }
    if (!world.axes.front().collectives.empty()) {
        request.meshes.push_back(std::move(world));
    }
    request.meshes.insert(request.meshes.end(), meshes.begin(), meshes.end());
    return request;
}

std::vector<WorkloadFault> faults_under(const Plan& plan, bool on_circuits, const WorkloadSpec& workload) {
    std::vector<WorkloadFault> faults;
    for (const Mesh& mesh : workload.meshes) {
        const PlannedMesh* planned = mesh_of(plan, mesh.name);
        if (planned == nullptr) {
            faults.push_back({"meshes." + mesh.name,
                              fmt::format("the plan has no mesh `{}`; it has {}", mesh.name, meshes_text(plan))});
        } else if (!same_shape(mesh, *planned)) {
            faults.push_back({"meshes." + mesh.name, fmt::format("`meshes.{}` is {}; in the plan it is {}", mesh.name,
                                                                 shape_text(mesh.axes), shape_text(planned->axes))});
        }
    }
    for (std::size_t i = 0; i < workload.collectives.size() && on_circuits; ++i) {
        const WorkloadEntry& entry = workload.collectives[i];
        const PlannedAxis* axis = axis_of(plan, entry);
        if (axis != nullptr && axis->blocks.empty() && axis->size > 1) {
            faults.push_back({path_of(i, "axis"), fmt::format("the plan has no circuits for `{}`; it has some for {}",
                                                              entry.group, axes_with_circuits(plan))});
        }
    }
    return faults;
}

void follow_plan(const Plan& plan, const FabricSpec& fabric, bool on_circuits, WorkloadSpec& workload) {
    const std::optional<PlanRequest> circuits = on_circuits ? std::optional(circuits_request(fabric)) : std::nullopt;
    for (WorkloadEntry& entry : workload.collectives) {
        if (const PlannedAxis* axis = axis_of(plan, entry)) {
            const bool world = is_world(entry);
            std::vector<std::vector<std::uint32_t>> groups = groups_of_axis(plan, *axis);
            if (!world) {
                entry.collective.groups = std::move(groups);
            } else if (!std::is_sorted(groups.front().begin(), groups.front().end())) {
                entry.collective.group = std::move(groups.front());
            }
            if (circuits && !entry.collective.own_schedule) {
                schedule_by(plan, *axis, *circuits, entry.collective);
            }
        }
    }
}

}  // namespace simlette
