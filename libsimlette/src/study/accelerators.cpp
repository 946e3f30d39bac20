#include <limits>

#include <simlette/base/contract.hpp>
#include <simlette/study/document.hpp>
#include <simlette/study/profiles.hpp>

namespace simlette {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

Kind<std::int64_t> count_of(const UnitTable& units) {
    Kind<std::int64_t> kind;
    kind.read = [&units](const Value& value, std::int64_t& into) {
        return read_quantity(value, units, 1, largest, "more than 0", into);
    };
    return kind;
}

Fields<AcceleratorProfile> profile_fields() {
    const Kind<Duration> time = time_kind({0}, {ps_per_second});
    return {
        required("ports", &AcceleratorProfile::ports, whole<std::uint32_t>(1, 1'024), "scale-up ports"),
        required("port_rate", &AcceleratorProfile::port_rate, rate_kind(), "of a port, one direction"),
        required("compute", &AcceleratorProfile::compute, count_of(compute_units()), "FP4 peak"),
        required("hbm", &AcceleratorProfile::hbm, size_kind({1}, Bytes{std::int64_t{1} << 40}), "capacity"),
        required("hbm_rate", &AcceleratorProfile::hbm_rate, rate_kind(), "of the memory"),
        required("launch", &AcceleratorProfile::launch, time, "of a kernel"),
        required("graph_launch", &AcceleratorProfile::graph_launch, time, "of a kernel in a replayed graph"),
        required("power", &AcceleratorProfile::power, count_of(power_units()), "with its share of the host"),
    };
}

Node profiles_tree(Problems& problems) {
    Source& source = problems.add_source("topologies/profiles/accelerators.yaml", true);
    source.text = accelerator_profiles_text();
    Node root;
    parse_document(source, problems, root);
    return root;
}

}  // namespace

std::vector<std::string> accelerator_profile_names() {
    Problems problems;
    std::vector<std::string> names;
    for (const Key& key : profiles_tree(problems).keys) {
        names.push_back(key.text);
    }
    return names;
}

AcceleratorProfile accelerator_profile(const std::string& name) {
    Problems problems;
    const Node root = profiles_tree(problems);
    const Node* profile = find(root, name);
    require(profile != nullptr, "a profile is asked for by a name that it has");
    AcceleratorProfile accelerator;
    read_fields(Value(*profile, name, problems), profile_fields(), accelerator);
    require(problems.size() == 0, "the profiles in the library can be read");
    return accelerator;
}

}  // namespace simlette
