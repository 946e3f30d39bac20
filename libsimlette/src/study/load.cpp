#include <simlette/base/fingerprint.hpp>
#include <simlette/fabric/fabric.hpp>
#include <simlette/study/document.hpp>
#include <simlette/study/json_text.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/overrides.hpp>
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

// The inputs of one run on their way from text to plain structs.
class Loading {
public:
    explicit Loading(const RunInputs& inputs) : inputs_(inputs) {}

    LoadedRun load() {
        parse_files();
        apply_overrides();
        read_files();
        check_fabric();
        problems_.raise_any();
        return loaded();
    }

private:
    bool has_workload() const { return !inputs_.workload.empty(); }

    void parse_files() {
        Source& topology = problems_.add_source(inputs_.topology, true);
        Source& workload = problems_.add_source(inputs_.workload, true);
        workload_source_ = &workload;
        topology_parsed_ = load_document(topology, problems_, topology_tree_);
        workload_parsed_ = has_workload() && load_document(workload, problems_, workload_tree_);
    }

    void apply_overrides() {
        std::vector<NamedTree> trees{
            {"topology", topology_parsed_ ? &topology_tree_ : nullptr, keys_of(topology_fields())}};
        if (has_workload()) {
            trees.push_back({"workload", workload_parsed_ ? &workload_tree_ : nullptr, keys_of(workload_fields())});
        }
        for (const Override& change : inputs_.overrides) {
            apply_override(change, trees, problems_);
        }
        if (inputs_.seed && topology_parsed_ && topology_tree_.kind == Node::Kind::map) {
            const Place place{&problems_.add_source("--seed", false), 0, 0, 0};
            Node seed = number_node(*inputs_.seed);
            seed.place = place;
            set_member(topology_tree_, {"seed", place}, std::move(seed));
        }
    }

    void read_files() {
        if (topology_parsed_) {
            topology_ = read_topology(topology_tree_, problems_);
        }
        if (workload_parsed_) {
            workload_ = read_workload(workload_tree_, problems_, topology_.fabric);
        }
    }

    // What only the finished fabric can tell: port budget, radix, matchings, connectivity.
    void check_fabric() {
        if (problems_.size() != problems_.count_of(*workload_source_)) {
            return;
        }
        try {
            build_fabric(topology_.fabric);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::input) {
                throw;
            }
            for (const Problem& problem : error.problems()) {
                problems_.add(place_of(problem.message), problem.message);
            }
        }
    }

    // Of the first path in backticks that the topology has, else of the circuits or the ports.
    Place place_of(const std::string& message) const {
        std::size_t open = message.find('`');
        while (open != std::string::npos) {
            const std::size_t close = message.find('`', open + 1);
            const std::string name = message.substr(open + 1, close == std::string::npos ? close : close - open - 1);
            if (find(topology_tree_, name.substr(0, name.find_first_of(".:"))) != nullptr) {
                return place_of_path(name.substr(0, name.find(':')));
            }
            open = close == std::string::npos ? close : message.find('`', close + 1);
        }
        for (const char* key : {"circuits", "ports", "links"}) {
            if (find(topology_tree_, key) != nullptr) {
                return place_of_path(key);
            }
        }
        return topology_tree_.place;
    }

    // Of the key; of the value if that comes from elsewhere, or lies deeper.
    Place place_of_path(const std::string& path) const {
        const std::size_t index = index_of(topology_tree_, path.substr(0, path.find('.')));
        const Place& value = find_deepest(topology_tree_, path).place;
        const Place& name = topology_tree_.keys[index].place;
        return value.source == name.source && path.find('.') == std::string::npos ? name : value;
    }

    LoadedRun loaded() const {
        LoadedRun run;
        run.fabric = topology_.fabric;
        run.accelerator = topology_.accelerator;
        run.workload = workload_spec(workload_);
        Node configuration = map_node({{"topology", write_fields(topology_fields(), topology_)}});
        if (has_workload()) {
            set_member(configuration, {"workload", {}}, write_fields(workload_fields(), workload_));
        }
        run.configuration = canonical_json(configuration);
        run.configuration_hash = hex_text(fnv1a(run.configuration));
        return run;
    }

    const RunInputs& inputs_;
    Problems problems_;
    const Source* workload_source_ = nullptr;
    Node topology_tree_;
    Node workload_tree_;
    bool topology_parsed_ = false;
    bool workload_parsed_ = false;
    TopologyFile topology_;
    WorkloadFile workload_;
};

}  // namespace

LoadedRun load_run(const RunInputs& inputs) {
    return Loading(inputs).load();
}

}  // namespace simlette
