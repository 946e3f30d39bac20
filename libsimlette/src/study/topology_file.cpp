#include <algorithm>

#include <simlette/base/error.hpp>
#include <simlette/base/label.hpp>
#include <simlette/fabric/fabric.hpp>
#include <simlette/planner/realize.hpp>
#include <simlette/study/profiles.hpp>
#include <simlette/study/topology_file.hpp>

namespace simlette {

namespace {

// What needs more than one key. Each check looks only at keys that were read without a problem.
class Completion {
public:
    Completion(const Value& file, const std::vector<std::string>& clean, TopologyFile& topology, Problems& problems,
               NamedFiles& files)
        : file_(file),
          clean_(clean),
          topology_(topology),
          fabric_(topology.fabric),
          problems_(problems),
          files_(files) {}

    void run() {
        check_belonging();
        check_required();
        check_device();
        check_levels();
        check_graph();
        check_planes();
        check_rate();
        check_tags();
        check_circuits();
        check_placement();
        check_placement_file();
    }

private:
    bool given(const std::string& key) const { return find(file_.node(), key) != nullptr; }
    bool clean(const std::string& key) const { return contains(clean_, key); }
    bool is(FabricKind kind) const { return clean("fabric") && fabric_.kind == kind; }
    bool is_single_level() const { return is(FabricKind::single_level); }
    bool is_direct() const { return is(FabricKind::direct); }
    bool is_optical() const {
        const bool level = is_single_level() && clean("device") && fabric_.device == DeviceKind::ocs;
        return level || (has_levels() && fabric_.level2.device == DeviceKind::ocs);
    }
    bool is_hybrid() const { return is_optical() && has_levels() && fabric_.level1.device == DeviceKind::eps; }
    bool has_levels() const { return is(FabricKind::two_level) && clean("level1") && clean("level2"); }

    // Keys that mean nothing to a fabric of this kind. `direct` has no use for those of switches, so that one file
    // serves with and without them.
    void check_belonging() const {
        struct Belonging {
            const char* key;
            std::vector<FabricKind> kinds;
        };
        using Kind = FabricKind;
        static const std::vector<Belonging> belongings{
            {"device", {Kind::single_level, Kind::direct}},
            {"planes", {Kind::single_level, Kind::direct}},
            {"ports_per_plane", {Kind::single_level, Kind::direct}},
            {"radix", {Kind::single_level, Kind::direct}},
            {"domain", {Kind::single_level, Kind::two_level}},
            {"group", {Kind::two_level}},
            {"level1", {Kind::two_level}},
            {"level2", {Kind::two_level}},
            {"latency.propagation.level2", {Kind::two_level}},
            {"devices", {Kind::explicit_graph}},
            {"links", {Kind::explicit_graph}},
            {"circuits", {Kind::single_level, Kind::two_level, Kind::direct}},
        };
        for (const Belonging& belonging : belongings) {
            const auto& kinds = belonging.kinds;
            if (clean("fabric") && std::find(kinds.begin(), kinds.end(), fabric_.kind) == kinds.end()) {
                refuse_key(belonging.key, kinds.front());
            }
        }
    }

    void refuse_key(const std::string& path, FabricKind where) const {
        const std::size_t dot = path.rfind('.');
        const std::string key = dot == std::string::npos ? path : path.substr(dot + 1);
        const Value map = dot == std::string::npos ? file_ : file_.at(path.substr(0, dot));
        if (map.is_map() && find(map.node(), key) != nullptr) {
            map.fail_at_key(index_of(map.node(), key), quote(path) +
                                                           " goes with `fabric: " + std::string(name_of(where)) +
                                                           "`, not with `" + std::string(name_of(fabric_.kind)) + '`');
        }
    }

    void require_key(const std::string& key, const std::string& meaning) const {
        if (!given(key)) {
            file_.fail("missing key " + quote(key) + ": " + meaning);
        }
    }

    void check_required() const {
        if (!given("accelerator")) {
            if (!is(FabricKind::explicit_graph)) {
                require_key("ports", "ports of each accelerator, 1 to 1024; or `accelerator: rx00`, which gives them");
            }
            require_key("port_rate", "payload rate of a port, one direction, such as `400 Gb/s`");
        }
        if (is(FabricKind::two_level)) {
            require_key("group", "accelerators on one device of level 1: a rack");
            require_key("level1", "such as `level1: {device: eps, radix: 72, down: 32, up: 8}`");
            require_key("level2", "such as `level2: {device: eps, radix: 72}`");
        } else if (is(FabricKind::explicit_graph)) {
            require_key("links", "such as `links: [{from: a0, to: s0}]`");
        }
    }

    void check_device() const {
        if (is_single_level() && !given("device")) {
            file_.fail("missing key `device`: eps (electronic packet switch) or ocs (optical circuit switch)");
        }
    }

    void check_levels() {
        if (!is(FabricKind::two_level)) {
            fabric_.latency.propagation_level2 = fabric_.latency.propagation;
            return;
        }
        if (fabric_.domain == 0) {
            fabric_.domain = fabric_.accelerators;
        }
        if (clean("level1") && clean("level2") && fabric_.level1.device == DeviceKind::ocs &&
            fabric_.level2.device == DeviceKind::eps) {
            file_.at("level2.device")
                .fail("`level2.device` is `eps` above `level1.device: ocs`; expected ocs, or eps on both levels");
        }
    }

    void check_graph() {
        if (!is(FabricKind::explicit_graph)) {
            return;
        }
        if (clean("accelerators") && (clean("devices") || !given("devices")) && clean("links")) {
            resolve_links(file_, topology_);
        }
        if (!given("ports")) {
            fabric_.ports = most_links();
        }
    }

    // Of any accelerator.
    std::uint32_t most_links() const {
        std::vector<std::uint32_t> links(fabric_.accelerators, 0);
        for (const GraphSpec::Link& link : fabric_.graph.links) {
            for (const std::uint32_t end : {link.from, link.to}) {
                if (end < links.size()) {
                    links[end] += link.count;
                }
            }
        }
        return links.empty() ? 0 : *std::max_element(links.begin(), links.end());
    }

    void check_planes() {
        if (!is_single_level()) {
            return;
        }
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
            file_.fail("missing key `circuits`: such as `circuits: " +
                       std::string(is_hybrid() ? "auto`" : "{generators: cube}`"));
        } else if (clean("circuits") && topology_.circuits.automatic) {
            check_automatic();
        } else if (clean("circuits") && is_hybrid() && topology_.circuits.plan_file.empty()) {
            file_.at("circuits")
                .fail("circuits above electronic switches join racks; expected `circuits: auto` or a plan file");
        } else if (clean("circuits") && clean("accelerators") && has_ports()) {
            topology_.circuits.plan_file.empty() ? check_circuit_form() : take_plan();
        }
    }

    void take_plan() {
        const std::size_t before = problems_.size();
        CircuitText& circuits = topology_.circuits;
        circuits.plan = plan_at("circuits", circuits.plan_file);
        if (!circuits.plan || problems_.size() != before) {
            return;
        }
        try {
            fabric_.circuits = circuits_of(circuits.plan->plan, fabric_);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::input) {
                throw;
            }
            file_.at("circuits").fail(error.what());
        }
    }

    // Nothing, with a problem, unless it is a plan for these accelerators.
    std::shared_ptr<const PlanFile> plan_at(const std::string& key, const std::string& named) const {
        auto plan = read_plan(files_.yaml(path_beside(file_.node(), named)), problems_);
        if (plan && plan->plan.ranks != fabric_.accelerators) {
            file_.at(key).fail(quote(key) + " names a plan for " + std::to_string(plan->plan.ranks) +
                               " accelerators; the fabric has " + std::to_string(fabric_.accelerators));
            return nullptr;
        }
        return plan;
    }

    void check_placement_file() {
        const std::string& circuits = topology_.circuits.plan_file;
        const bool by_plan = topology_.circuits.plan != nullptr;
        if (!clean("placement") || !clean("accelerators") || topology_.placement_file.empty()) {
            if (by_plan && !fabric_.placement.empty()) {
                file_.at("placement")
                    .fail(
                        "`placement` is a list, but the plan of `circuits` says where ranks are; expected identity "
                        "or " +
                        quote(circuits));
            }
        } else if (by_plan && topology_.placement_file != circuits) {
            file_.at("placement")
                .fail("`placement` is " + quote(topology_.placement_file) + ", but `circuits` follows the plan " +
                      quote(circuits) + "; expected one plan for both");
        } else {
            topology_.placement_plan = plan_at("placement", topology_.placement_file);
        }
    }

    bool has_ports() const { return clean("ports") || (!given("ports") && clean("accelerator")); }

    // Elsewhere a planner chooses, once the workload is known.
    void check_automatic() { fabric_.circuits.automatic = is_hybrid(); }

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
        } else if (topology_.circuits.shape != CircuitShape::none) {
            check_shape();
        } else if (check_power_of_two()) {
            check_generators();
        }
    }

    void check_shape() {
        const CircuitText& circuits = topology_.circuits;
        const std::string name(name_of(circuits.shape));
        if (!is_direct()) {
            file_.at("circuits.generators")
                .fail("`circuits.generators` is " + quote(name) +
                      ", which goes with `fabric: direct`; expected cube or a list of bit strings");
        } else if (!circuits.multiplicity.empty()) {
            file_.at("circuits.multiplicity")
                .fail("`circuits.multiplicity` goes with bit strings, not with " + quote(name));
        } else if (circuits.shape != CircuitShape::torus || check_extents()) {
            fabric_.circuits.shape = circuits.shape;
            fabric_.circuits.torus = circuits.torus;
        }
    }

    bool check_extents() const {
        std::uint64_t product = 1;
        std::string text;
        for (const std::uint32_t extent : topology_.circuits.torus) {
            product = std::min<std::uint64_t>(product * extent, UINT32_MAX);
            text += (text.empty() ? "" : " x ") + std::to_string(extent);
        }
        return product == fabric_.accelerators ||
               file_.at("circuits.generators.torus")
                   .fail("`circuits.generators.torus` is " + text + " accelerators; expected a product of " +
                         std::to_string(fabric_.accelerators));
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
    Problems& problems_;
    NamedFiles& files_;
};

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
    const Node* accelerator = find(root, "accelerator");
    if (accelerator != nullptr && contains(accelerator_profile_names(), accelerator->text)) {
        const AcceleratorProfile profile = accelerator_profile(accelerator->text);
        fabric.ports = profile.ports;
        fabric.port_rate = profile.port_rate;
    }
    return fabric;
}

}  // namespace

TopologyFile read_topology(const Node& root, Problems& problems, NamedFiles& files) {
    TopologyFile topology;
    topology.fabric = preset(root);
    const Value file(root, "", problems);
    const std::vector<std::string> clean = read_present(file, topology_fields(), topology);
    if (!file.is_map()) {
        return topology;
    }
    check_missing(file, infos_of(topology_fields()));
    Completion(file, clean, topology, problems, files).run();
    return topology;
}

}  // namespace simlette
