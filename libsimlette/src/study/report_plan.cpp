#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include <simlette/planner/matchings.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/realize.hpp>
#include <simlette/sim/planned_racks.hpp>
#include <simlette/study/assumptions.hpp>
#include <simlette/study/describe.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/overlay_text.hpp>
#include <simlette/study/plan_report.hpp>

namespace simlette {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string numbers_text(const std::vector<unsigned>& numbers) {
    return numbers.empty() ? "-" : fmt::format("{}", fmt::join(numbers, " "));
}

std::string blocks_text(const PlannedAxis& axis) {
    std::vector<std::string> blocks;
    for (const std::vector<unsigned>& block : axis.blocks) {
        blocks.push_back(numbers_text(block));
    }
    return blocks.empty() ? "-" : fmt::format("{}", fmt::join(blocks, " | "));
}

std::string proof_text(const Plan& plan) {
    if (plan.optimal) {
        return "optimal";
    }
    return gap_text(plan) + " above the bound" + (plan.truncated ? "; the search was cut" : "");
}

const char* passes_text(const FabricSpec& fabric) {
    return fabric.kind == FabricKind::direct      ? "no circuit switch"
           : is_hybrid(fabric)                    ? "1 pass between racks"
           : fabric.kind == FabricKind::two_level ? "1 pass in a rack, 3 between racks"
                                                  : "1 pass";
}

// Of two racks the fewest and the most circuits.
std::string circuits_a_pair(const Plan& plan, const FabricSpec& fabric) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> circuits;
    for (const CircuitSpec::Cable& cable : circuits_of(plan, fabric).cables) {
        ++circuits[std::minmax(cable.from, cable.to)];
    }
    std::uint32_t fewest = circuits.empty() ? 0 : UINT32_MAX;
    std::uint32_t most = 0;
    for (const auto& pair : circuits) {
        fewest = std::min(fewest, pair.second);
        most = std::max(most, pair.second);
    }
    return fewest == most ? std::to_string(most) : fmt::format("{} or {}", fewest, most);
}

std::vector<std::string> circuits_row(const Plan& plan, const FabricSpec& fabric) {
    if (plan.racks > 0) {
        return {"circuits", fmt::format("{} racks", plan.racks),
                fmt::format("{} between any two of them, over {} up links of each rack", circuits_a_pair(plan, fabric),
                            fabric.ports * fabric.level1.up)};
    }
    const std::uint32_t idle = plan.ports_used - ports_taken(plan, false);
    return {"circuits", fmt::format("{} generators", plan.degree),
            fmt::format("{} of {} ports used, {} left", plan.ports_used, plan.ports, plan.ports - plan.ports_used) +
                (idle == 0 ? std::string()
                           : fmt::format("; each accelerator has {} dark ones among them, since circuits in rings of "
                                         "odd length take the same port at both ends",
                                         idle))};
}

std::string head(const Plan& plan, const PlanTask& task, const RunInputs& inputs) {
    Rows rows{{"topology", inputs.topology, fabric_line(task.fabric)},
              {"workload", inputs.workload, workload_line(task.workload)},
              {"total", time_text(plan.total.ps), proof_text(plan)},
              {"bound", time_text(plan.bound.ps), "no plan is faster among " + plan.space},
              circuits_row(plan, task.fabric),
              {"optics", passes_text(task.fabric), optical_budget_text(task.fabric)}};
    if (has_rings(plan)) {
        rows.push_back(
            {"ports", "not laid out", "rings are priced only; with --out or --check the search leaves them out"});
    }
    return aligned(rows, 3, "");
}

std::string share_text(Duration part, Duration whole) {
    return whole.ps == 0 ? "-" : fmt::format("{:.2f}", 100.0 * double(part.ps) / double(whole.ps));
}

std::string axes_table(const Plan& plan) {
    Rows rows{{"axis", "bits", "blocks", "topology", "size", "degree", "multiplicity"}};
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            rows.push_back({axis_text(mesh, axis), numbers_text(axis.bits), blocks_text(axis), axis.topology,
                            count_text(axis.size), std::to_string(axis.degree), std::to_string(axis.multiplicity)});
        }
    }
    return "axes: the bits of an accelerator's number that hold the coordinate, in blocks that are joined completely;\n"
           "the multiplicity of its generators that the prices count on\n" +
           aligned(rows, 4, "  ");
}

std::string collectives_table(const Plan& plan) {
    Rows rows{{"axis", "primitive", "schedule", "bytes", "phases", "us", "calls", "us in all", "share %"}};
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            for (const PlannedCollective& planned : axis.collectives) {
                const Duration all = planned.time * planned.collective.calls;
                rows.push_back({axis_text(mesh, axis), std::string(name_of(planned.collective.primitive)),
                                std::string(name_of(planned.collective.schedule)), bytes_text(planned.collective.bytes),
                                std::to_string(planned.phases), microseconds(planned.time.ps),
                                count_text(planned.collective.calls), microseconds(all.ps),
                                share_text(all, plan.total)});
            }
        }
    }
    return "collectives\n" + aligned(rows, 3, "  ");
}

std::string generators_table(const Plan& plan) {
    Rows rows{{"generator", "used by", "multiplicity"}};
    for (std::size_t i = 0; i < plan.generators.size(); ++i) {
        rows.push_back({generator_text(plan, plan.generators[i]),
                        fmt::format("{}", fmt::join(users_of(plan, plan.generators[i]), " ")),
                        std::to_string(plan.copies[i])});
    }
    if (plan.racks > 0) {
        return "";
    }
    return fmt::format("generators: accelerator x is joined to x {}\n",
                       is_power_of_two(plan.ranks) ? "XOR generator" : "plus generator, digit by digit") +
           aligned(rows, 2, "  ") + '\n';
}

std::string footers(const FabricSpec& fabric) {
    std::string text =
        "assumed:\n"
        "  plan-price (bytes): a phase takes the latency of its path and its bytes over the rate, flits are not "
        "rounded "
        "up; favours neither\n"
        "  one-after-the-other (calls): collectives are summed, none overlaps with another; favours neither\n";
    for (const Assumption& assumption : assumptions_of(fabric)) {
        text += fmt::format("  {} ({}): {}; favours {}\n", assumption.id, assumption.value, assumption.text,
                            assumption.favours);
    }
    return text;
}

Json collective_json(const PlannedCollective& planned) {
    return {{"primitive", name_of(planned.collective.primitive)},
            {"bytes", planned.collective.bytes.count},
            {"calls", planned.collective.calls},
            {"schedule", name_of(planned.collective.schedule)},
            {"time_ps", planned.time.ps}};
}

Json axis_json(const PlannedAxis& axis) {
    Json collectives = Json::array();
    for (const PlannedCollective& planned : axis.collectives) {
        collectives.push_back(collective_json(planned));
    }
    return {{"name", axis.name},         {"size", axis.size},
            {"bits", axis.bits},         {"blocks", axis.blocks},
            {"topology", axis.topology}, {"degree", axis.degree},
            {"phases", phases_of(axis)}, {"multiplicity", axis.multiplicity},
            {"collectives", collectives}};
}

}  // namespace

std::string generator_text(const Plan& plan, Label generator) {
    return label_name(generator, labels_of(plan));
}

std::vector<std::string> users_of(const Plan& plan, Label generator) {
    std::vector<std::string> users;
    const Label digits = digits_of(plan, generator);
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            if (uses(axis, digits)) {
                users.push_back(axis_text(mesh, axis));
            }
        }
    }
    return users;
}

std::string axis_text(const PlannedMesh& mesh, const PlannedAxis& axis) {
    return mesh.axes.size() == 1 && mesh.name == axis.name ? axis.name : mesh.name + '.' + axis.name;
}

std::uint32_t phases_of(const PlannedAxis& axis) {
    std::uint32_t most = 0;
    for (const PlannedCollective& planned : axis.collectives) {
        most = std::max(most, planned.phases);
    }
    return most;
}

std::string gap_text(const Plan& plan) {
    return plan.bound.ps == 0 ? "-" : signed_percent_text(plan.total - plan.bound, plan.bound) + " %";
}

std::string plan_table(const Plan& plan, const PlanTask& task, const RunInputs& inputs) {
    return head(plan, task, inputs) + '\n' + axes_table(plan) + '\n' + collectives_table(plan) + '\n' +
           generators_table(plan) + footers(task.fabric);
}

std::string plan_json(const Plan& plan) {
    Json generators = Json::array();
    for (const Label generator : plan.generators) {
        generators.push_back(generator_text(plan, generator));
    }
    Json meshes = Json::array();
    for (const PlannedMesh& mesh : plan.meshes) {
        Json axes = Json::array();
        for (const PlannedAxis& axis : mesh.axes) {
            axes.push_back(axis_json(axis));
        }
        meshes.push_back({{"name", mesh.name}, {"axes", axes}});
    }
    Json json{{"space", plan.space},           {"total_ps", plan.total.ps},
              {"bound_ps", plan.bound.ps},     {"optimal", plan.optimal},
              {"truncated", plan.truncated},   {"degree", plan.degree},
              {"ports_used", plan.ports_used}, {"generators", generators},
              {"multiplicity", plan.copies},   {"meshes", meshes}};
    if (plan.racks > 0) {
        json["racks"] = plan.racks;
    }
    return json.dump(2) + '\n';
}

std::string joined_json(const std::string& object, const std::string& more) {
    Json joined = Json::parse(object);
    joined.update(Json::parse(more));
    return joined.dump(2) + '\n';
}

}  // namespace simlette
