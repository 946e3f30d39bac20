#include <simlette/base/label.hpp>
#include <simlette/fabric/fabric.hpp>
#include <simlette/study/topology_file.hpp>

namespace simlette {

namespace {

// What needs more than one key. Each check looks only at keys that were read without a problem.
class Completion {
public:
    Completion(const Value& file, const std::vector<std::string>& clean, TopologyFile& topology)
        : file_(file), clean_(clean), topology_(topology), fabric_(topology.fabric) {}

    void run() {
        check_device();
        check_planes();
        check_rate();
        check_tags();
        check_circuits();
        check_placement();
    }

private:
    bool given(const std::string& key) const { return find(file_.node(), key) != nullptr; }
    bool clean(const std::string& key) const { return contains(clean_, key); }
    bool is_single_level() const { return clean("fabric") && fabric_.kind == FabricKind::single_level; }
    bool is_direct() const { return clean("fabric") && fabric_.kind == FabricKind::direct; }
    bool is_optical() const { return is_single_level() && clean("device") && fabric_.device == DeviceKind::ocs; }

    void check_device() const {
        if (is_single_level() && !given("device")) {
            file_.fail("missing key `device`: eps (electronic packet switch) or ocs (optical circuit switch)");
        }
    }

    void check_planes() {
        if (clean("planes") && clean("ports") && topology_.planes != fabric_.ports) {
            file_.at("planes").not_built(std::to_string(topology_.planes));
        }
        if (clean("ports_per_plane") && topology_.ports_per_plane != 1) {
            file_.at("ports_per_plane").not_built(std::to_string(topology_.ports_per_plane));
        }
        topology_.planes = fabric_.ports;
        topology_.ports_per_plane = 1;
    }

    void check_rate() const {
        if (!clean("port_rate") || is_exact_rate(fabric_.port_rate)) {
            return;
        }
        const NearestRates nearby = nearest_exact_rates(fabric_.port_rate);
        const Value rate = file_.at("port_rate");
        rate.fail(rate.name() + " is " + quote(rate.node().text) +
                  "; a flit of 640 bytes then takes no whole number of picoseconds; the nearest rates that work are " +
                  quote(rate_text(nearby.below)) + " and " + quote(rate_text(nearby.above)));
    }

    // The tags of the preset count answers one by one; without such answers there is nothing to count.
    void check_tags() {
        if (!given("tags") && fabric_.responses != ResponsePolicy::per_transaction) {
            fabric_.tags = unlimited;
        }
    }

    void check_circuits() {
        if (!is_optical() && !is_direct()) {
            return;  // a packet level reads them, so that one file serves both devices, and has no use for them
        }
        if (!given("circuits")) {
            file_.fail("missing key `circuits`: such as `circuits: {generators: cube}`");
        } else if (clean("circuits") && clean("accelerators") && clean("ports")) {
            check_circuit_form();
        }
    }

    void check_circuit_form() {
        const Node& circuits = *find(file_.node(), "circuits");
        const bool by_generators = find(circuits, "generators") != nullptr;
        const bool by_ports = find(circuits, "ports") != nullptr;
        if (by_generators == by_ports) {
            file_.at("circuits").fail("`circuits` takes either `generators` or `ports`");
        } else if (by_ports && find(circuits, "multiplicity") != nullptr) {
            file_.at("circuits.multiplicity").fail("`circuits.multiplicity` goes with `generators`, not with `ports`");
        } else if (by_ports) {
            check_port_pairs();
        } else if (check_power_of_two()) {
            check_generators();
        }
    }

    bool check_power_of_two() const {
        return is_power_of_two(fabric_.accelerators) ||
               file_.at("circuits.generators")
                   .fail("`circuits.generators` need a number of accelerators that is a power of two; it is " +
                         std::to_string(fabric_.accelerators));
    }

    void check_generators() {
        CircuitText& circuits = topology_.circuits;
        const unsigned bits = bits_of(fabric_.accelerators);
        if (circuits.cube && circuits.multiplicity.empty()) {
            fabric_.circuits.cube = true;
            return;
        }
        if (circuits.cube) {
            for (const Label generator : unit_generators(bits)) {
                circuits.generators.push_back(label_text(generator, bits));
            }
            circuits.cube = false;
        }
        bool good = true;
        for (std::size_t i = 0; i < circuits.generators.size(); ++i) {
            good = check_generator(i, bits) && good;
        }
        if (check_multiplicity() && good) {
            take_generators();
        }
    }

    bool check_generator(std::size_t index, unsigned bits) const {
        const std::string& text = topology_.circuits.generators[index];
        const Value value = file_.at("circuits.generators." + std::to_string(index));
        if (text.size() != bits) {
            return value.fail(value.name() + " is " + quote(text) + ", of " + std::to_string(text.size()) +
                              " bits; expected " + std::to_string(bits) + " for " +
                              std::to_string(fabric_.accelerators) + " accelerators");
        }
        return text.find('1') != std::string::npos ||
               value.fail(value.name() + " is " + quote(text) + "; it would join each accelerator to itself");
    }

    bool check_multiplicity() {
        CircuitText& circuits = topology_.circuits;
        if (circuits.multiplicity.empty() || circuits.same_multiplicity) {
            const std::uint32_t each = circuits.multiplicity.empty() ? 1 : circuits.multiplicity.front();
            circuits.multiplicity.assign(circuits.generators.size(), each);
        }
        return circuits.multiplicity.size() == circuits.generators.size() ||
               file_.at("circuits.multiplicity")
                   .fail("`circuits.multiplicity` has " + std::to_string(circuits.multiplicity.size()) +
                         " numbers; expected " + std::to_string(circuits.generators.size()) +
                         ", one for each generator");
    }

    void take_generators() {
        for (const std::string& text : topology_.circuits.generators) {
            fabric_.circuits.generators.push_back(static_cast<Label>(std::stoul(text, nullptr, 2)));
        }
        fabric_.circuits.multiplicity = topology_.circuits.multiplicity;
    }

    void check_port_pairs() {
        const auto& ports = topology_.circuits.port_pairs;
        if (ports.empty() || ports.size() > fabric_.ports) {
            file_.at("circuits.ports")
                .fail("`circuits.ports` has " + std::to_string(ports.size()) + " lists; expected one for each of the " +
                      std::to_string(fabric_.ports) + " ports");
        }
        for (std::size_t port = 0; port < ports.size(); ++port) {
            for (std::size_t i = 0; i < ports[port].size(); ++i) {
                check_pair(ports[port][i], "circuits.ports." + std::to_string(port) + '.' + std::to_string(i));
            }
        }
        fabric_.circuits.port_pairs = ports;
    }

    void check_pair(std::pair<std::uint32_t, std::uint32_t> pair, const std::string& path) const {
        if (pair.first == pair.second) {
            file_.at(path).fail(quote(path) + " joins accelerator " + std::to_string(pair.first) + " to itself");
        }
        if (pair.first >= fabric_.accelerators || pair.second >= fabric_.accelerators) {
            file_.at(path).fail(quote(path) + " names an accelerator outside the fabric; expected 0 to " +
                                std::to_string(fabric_.accelerators - 1));
        }
    }

    void check_placement() {
        std::vector<std::uint32_t>& placement = fabric_.placement;
        if (!clean("placement") || !clean("accelerators") || placement.empty()) {
            return;
        }
        if (placement.size() != fabric_.accelerators) {
            file_.at("placement")
                .fail("`placement` has " + std::to_string(placement.size()) + " accelerators; expected " +
                      std::to_string(fabric_.accelerators) + ", one for each rank");
            return;
        }
        std::vector<bool> taken(fabric_.accelerators);
        bool identity = true;
        for (std::size_t rank = 0; rank < placement.size(); ++rank) {
            check_place(rank, taken);
            identity = identity && placement[rank] == rank;
        }
        placement = identity ? std::vector<std::uint32_t>{} : placement;
    }

    void check_place(std::size_t rank, std::vector<bool>& taken) const {
        const std::uint32_t accelerator = fabric_.placement[rank];
        const Value value = file_.at("placement." + std::to_string(rank));
        if (accelerator >= fabric_.accelerators) {
            value.fail(value.name() + " is " + std::to_string(accelerator) + ", outside the fabric; expected 0 to " +
                       std::to_string(fabric_.accelerators - 1));
        } else if (taken[accelerator]) {
            value.fail(value.name() + " is " + std::to_string(accelerator) + ", which another rank has already");
        } else {
            taken[accelerator] = true;
        }
    }

    const Value& file_;
    const std::vector<std::string>& clean_;
    TopologyFile& topology_;
    FabricSpec& fabric_;
};

// The fabrics of later versions have other keys; what they miss would only be noise.
bool is_of_later_fabric(const Node& root) {
    const Node* fabric = find(root, "fabric");
    return fabric != nullptr && (fabric->text == "two-level" || fabric->text == "explicit");
}

// What stands where the file says nothing. `paper` is what a FabricSpec starts with.
FabricSpec preset(const Node& root) {
    FabricSpec fabric;
    const Node* fidelity = find(root, "fidelity");
    if (fidelity != nullptr && fidelity->text == name_of(Fidelity::ualink)) {
        fabric.buffers = {128, 128};
        fabric.credit_return_is_link_latency = true;
        fabric.responses = ResponsePolicy::per_transaction;
        fabric.tags = 2048;
    }
    return fabric;
}

}  // namespace

TopologyFile read_topology(const Node& root, Problems& problems) {
    TopologyFile topology;
    topology.fabric = preset(root);
    const Value file(root, "", problems);
    const std::vector<std::string> clean = read_present(file, topology_fields(), topology);
    if (!file.is_map()) {
        return topology;
    }
    if (!is_of_later_fabric(root)) {
        check_missing(file, infos_of(topology_fields()));
    }
    Completion(file, clean, topology).run();
    return topology;
}

}  // namespace simlette
