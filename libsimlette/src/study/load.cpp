#include <fmt/format.h>

#include <simlette/base/fingerprint.hpp>
#include <simlette/fabric/fabric.hpp>
#include <simlette/planner/realize.hpp>
#include <simlette/sim/planned.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/json_text.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/resolve.hpp>
#include <simlette/study/topology_file.hpp>
#include <simlette/study/workload_file.hpp>

namespace simlette {

namespace {

template <class S>
std::vector<std::string> keys_of(const Fields<S>& fields) {
    std::vector<std::string> keys;
    for (const Field<S>& field : fields) {
        keys.push_back(field.info.key);
    }
    return keys;
}

// All that decides whether a fabric stands, if its reader has accepted the rest: fabrics that differ in the rest stand
// or fall together.
std::string shape_of(TopologyFile topology) {
    const FabricSpec any;
    topology.fabric.seed = any.seed;
    topology.fabric.latency = any.latency;
    topology.fabric.hop_reading = any.hop_reading;
    topology.fabric.credit_return = any.credit_return;
    topology.fabric.credit_return_is_link_latency = any.credit_return_is_link_latency;
    topology.fabric.buffers = any.buffers;
    topology.fabric.routing = any.routing;
    return canonical_json(write_fields(topology_fields(), topology));
}

// Trees on their way to plain structs.
class Resolving {
public:
    Resolving(const InputTrees& trees, NamedFiles& files, PlanCache& plans, FabricChecks* checks, Problems& problems)
        : trees_(trees), files_(files), plans_(plans), checks_(checks), problems_(problems) {}

    LoadedRun resolve() {
        read_files();
        if (topology_good_) {
            take_workload();
            if (!to_be_planned() || plan_circuits()) {
                follow_plan_of_topology();
                write_configuration();
                check_fabric();
            }
        }
        return std::move(run_);
    }

private:
    std::size_t problems_in_workload() const {
        return trees_.workload.source == nullptr ? 0 : problems_.count_of(*trees_.workload.source);
    }

    void read_files() {
        if (trees_.topology.parsed) {
            topology_ = read_topology(trees_.topology.root, problems_, files_);
            run_.fabric = topology_.fabric;
            run_.accelerator = topology_.accelerator;
            topology_good_ = problems_.size() == problems_in_workload() && whole();
        }
        if (trees_.workload.parsed) {
            workload_ = read_workload(trees_.workload.root, problems_, topology_.fabric, files_);
        }
    }

    // Every plan that is named could be read.
    bool whole() const {
        const bool circuits = topology_.circuits.plan_file.empty() || topology_.circuits.plan;
        return (circuits || !on_circuits()) && (topology_.placement_file.empty() || topology_.placement_plan);
    }

    bool on_circuits() const {
        const FabricSpec& fabric = topology_.fabric;
        return fabric.kind == FabricKind::direct ||
               (fabric.kind == FabricKind::single_level && fabric.device == DeviceKind::ocs) ||
               (fabric.kind == FabricKind::two_level && fabric.level1.device == DeviceKind::ocs);
    }

    bool to_be_planned() const { return on_circuits() && topology_.circuits.automatic; }

    void take_workload() {
        if (problems_.size() == 0 && trees_.workload.parsed) {
            run_.workload = workload_spec(workload_);
        }
    }

    // False: there is no plan; if not for other problems, it is told why.
    bool plan_circuits() {
        const Place place = find_deepest(trees_.topology.root, "circuits").place;
        if (trees_.workload.source == nullptr) {
            problems_.add(place,
                          "`circuits: auto` plans them for a workload; expected one beside the topology, or a map or a "
                          "plan file");
        }
        if (problems_.size() > 0) {
            return false;
        }
        const std::vector<WorkloadFault> faults = faults_for_planning(run_.workload);
        for (const WorkloadFault& fault : faults) {
            problems_.add(find_deepest(trees_.workload.root, fault.path).place, fault.text);
        }
        return faults.empty() && take_plan(place);
    }

    bool take_plan(const Place& place) {
        try {
            planned_ = plans_.plan(plan_request(topology_.fabric, run_.workload));
            topology_.fabric.circuits = circuits_of(*planned_, topology_.fabric);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::input) {
                throw;
            }
            for (const Problem& problem : error.problems()) {
                problems_.add(place, "`circuits: auto`: " + problem.message);
            }
            return false;
        }
        run_.fabric = topology_.fabric;
        run_.planned = fmt::format("{} generators on {} of {} ports, {} in all, {}", planned_->degree,
                                   planned_->ports_used, planned_->ports, time_text(planned_->total.ps),
                                   planned_->optimal ? "optimal" : "at least " + time_text(planned_->bound.ps));
        return true;
    }

    // A plan that lays the circuits says where ranks are too.
    void follow_plan_of_topology() {
        const auto& circuits = topology_.circuits.plan;
        const bool laid = on_circuits() && (planned_ || circuits);
        const Plan* followed = planned_                   ? &*planned_
                               : circuits                 ? &circuits->plan
                               : topology_.placement_plan ? &topology_.placement_plan->plan
                                                          : nullptr;
        if (followed == nullptr || problems_.size() > 0) {
            return;
        }
        const std::vector<WorkloadFault> faults = faults_under(*followed, laid, run_.workload);
        for (const WorkloadFault& fault : faults) {
            problems_.add(find_deepest(trees_.workload.root, fault.path).place, fault.text);
        }
        if (faults.empty()) {
            follow_plan(*followed, topology_.fabric, laid, run_.workload);
        }
    }

    void write_configuration() {
        Node configuration = map_node({{"topology", write_fields(topology_fields(), topology_)}});
        if (problems_.size() > 0 || (trees_.workload.source != nullptr && !trees_.workload.parsed)) {
            return;
        }
        if (trees_.workload.source != nullptr) {
            set_member(configuration, {"workload", {}}, write_fields(workload_fields(), workload_));
        }
        run_.configuration = canonical_json(configuration);
        run_.configuration_hash = hex_text(fnv1a(run_.configuration));
    }

    // What only the finished fabric can tell: port budget, radix, matchings, connectivity.
    void check_fabric() {
        if (checks_ == nullptr || !checks_->seen.insert(shape_of(topology_)).second) {
            return;
        }
        try {
            build_fabric(topology_.fabric);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::input) {
                throw;
            }
            for (const Problem& problem : error.problems()) {
                problems_.add(place_of(problem.message), problem.message + checks_->note);
            }
        }
    }

    // Of the first path in backticks that the topology has, else of the circuits or the ports.
    Place place_of(const std::string& message) const {
        const Node& topology = trees_.topology.root;
        std::size_t open = message.find('`');
        while (open != std::string::npos) {
            const std::size_t close = message.find('`', open + 1);
            const std::string name = message.substr(open + 1, close == std::string::npos ? close : close - open - 1);
            if (find(topology, name.substr(0, name.find_first_of(".:"))) != nullptr) {
                return place_of_path(name.substr(0, name.find(':')));
            }
            open = close == std::string::npos ? close : message.find('`', close + 1);
        }
        for (const char* key : {"circuits", "ports", "links"}) {
            if (find(topology, key) != nullptr) {
                return place_of_path(key);
            }
        }
        return topology.place;
    }

    // Of the key; of the value if that comes from elsewhere, or lies deeper.
    Place place_of_path(const std::string& path) const {
        const Node& topology = trees_.topology.root;
        const std::size_t index = index_of(topology, path.substr(0, path.find('.')));
        const Place& value = find_deepest(topology, path).place;
        const Place& name = topology.keys[index].place;
        return value.source == name.source && path.find('.') == std::string::npos ? name : value;
    }

    const InputTrees& trees_;
    NamedFiles& files_;
    PlanCache& plans_;
    FabricChecks* checks_;
    Problems& problems_;
    TopologyFile topology_;
    WorkloadFile workload_;
    bool topology_good_ = false;
    std::optional<Plan> planned_;  // by `circuits: auto`
    LoadedRun run_;
};

}  // namespace

std::vector<NamedTree> named_trees(InputTrees& trees) {
    const auto root = [](InputTree& tree) { return tree.parsed ? &tree.root : nullptr; };
    std::vector<NamedTree> named{{"topology", root(trees.topology), keys_of(topology_fields())}};
    if (trees.workload.source != nullptr) {
        named.push_back({"workload", root(trees.workload), keys_of(workload_fields())});
    }
    return named;
}

Change seed_change(std::uint64_t seed, Problems& problems) {
    const Place place{&problems.add_source("--seed", false), 0, 0, 0};
    Change change{"topology.seed", place, number_node(seed)};
    change.value.place = place;
    return change;
}

LoadedRun resolve(const InputTrees& trees, NamedFiles& files, PlanCache& plans, FabricChecks* checks,
                  Problems& problems) {
    return Resolving(trees, files, plans, checks, problems).resolve();
}

InputTrees read_trees(const RunInputs& inputs, Problems& problems) {
    InputTrees trees{parse_input(inputs.topology, problems), {}};
    if (!inputs.workload.empty()) {
        trees.workload = parse_input(inputs.workload, problems);
    }
    for (const Override& override : inputs.overrides) {
        if (const std::optional<Change> change = change_of(override, problems)) {
            apply_change(*change, named_trees(trees), problems);
        }
    }
    if (inputs.seed) {
        apply_change(seed_change(*inputs.seed, problems), named_trees(trees), problems);
    }
    return trees;
}

LoadedRun load_run(const RunInputs& inputs, const Planner& planner) {
    Problems problems;
    const InputTrees trees = read_trees(inputs, problems);
    FabricChecks checks;
    NamedFiles files(problems);
    PlanCache plans(planner);
    LoadedRun run = resolve(trees, files, plans, &checks, problems);
    problems.raise_any();
    for (const Source* source : files.sources()) {
        run.named_files.push_back(source->name);
    }
    return run;
}

}  // namespace simlette
