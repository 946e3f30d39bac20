#include <simlette/study/workload_file.hpp>

namespace simlette {

namespace {

constexpr Bytes largest_message{std::int64_t{1} << 30};
constexpr Duration longest{1'000 * ps_per_second};
const std::vector<std::string> hot_keys{"hot_rank", "hot_share"};

// Left out of the configuration where the pattern does not read it.
Field<TrafficSpec> of_hot_spot(Field<TrafficSpec> field) {
    field.write = [write = field.write](const TrafficSpec& traffic) {
        return traffic.pattern == TrafficPattern::hot_spot ? write(traffic) : Node{};
    };
    return field;
}

const Fields<TrafficSpec>& traffic_fields() {
    static const Fields<TrafficSpec> fields{
        required("pattern", &TrafficSpec::pattern, choice(pattern_names, {}), "who sends to whom"),
        required("load", &TrafficSpec::load, share_kind(),
                 "bytes that a rank offers, as a share of what its links carry, such as 0.3"),
        optional("message", &TrafficSpec::message, size_kind({1}, largest_message), "bytes of a message"),
        optional("warmup", &TrafficSpec::warmup, time_kind({0}, longest), "nothing is counted before"),
        optional("measure", &TrafficSpec::measure, time_kind({1}, longest),
                 "from then on messages are counted for so long"),
        of_hot_spot(optional("hot_rank", &TrafficSpec::hot_rank, whole<std::uint32_t>(0, 65535),
                             "of hot-spot: the rank that gets more than the others")),
        of_hot_spot(optional("hot_share", &TrafficSpec::hot_share, share_kind(),
                             "of hot-spot: messages of each other rank that go there"))};
    return fields;
}

bool read_traffic(const Value& value, std::optional<TrafficSpec>& into) {
    const std::size_t before = value.problems();
    TrafficSpec traffic;
    if (read_fields(value, traffic_fields(), traffic) && traffic.pattern != TrafficPattern::hot_spot) {
        for (const std::string& key : hot_keys) {
            const std::size_t index = index_of(value.node(), key);
            if (index < value.node().keys.size()) {
                value.fail_at_key(index, quote(value.path() + '.' + key) + " goes with `pattern: hot-spot`, not with " +
                                             quote(std::string(name_of(traffic.pattern))));
            }
        }
    }
    into = traffic;
    return value.problems() == before;
}

}  // namespace

Kind<std::optional<TrafficSpec>> traffic_kind() {
    Kind<std::optional<TrafficSpec>> kind;
    kind.read = read_traffic;
    kind.write = [](const std::optional<TrafficSpec>& traffic) {
        return traffic ? write_fields(traffic_fields(), *traffic) : Node{};
    };
    kind.schema = schema_of(traffic_fields());
    return kind;
}

}  // namespace simlette
