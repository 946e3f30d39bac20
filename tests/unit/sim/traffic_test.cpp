#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <simlette/base/error.hpp>
#include <simlette/sim/traffic_simulator.hpp>
#include <simlette/sim/traffic_source.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

FabricSpec switched(std::uint32_t accelerators, std::uint32_t ports) {
    FabricSpec fabric;
    fabric.accelerators = accelerators;
    fabric.ports = ports;
    fabric.port_rate = 400_Gbps;
    fabric.responses = ResponsePolicy::none;
    return fabric;
}

TrafficSpec traffic_of(TrafficPattern pattern, std::int64_t load) {
    TrafficSpec traffic;
    traffic.pattern = pattern;
    traffic.load = load;
    traffic.message = 640_B;
    traffic.warmup = 5_us;
    traffic.measure = 20_us;
    return traffic;
}

TrafficSimulator finished(const FabricSpec& fabric, const TrafficSpec& traffic, TrafficOptions options = {}) {
    TrafficSimulator simulator(build_fabric(fabric), traffic, options);
    REQUIRE(simulator.advance() == TrafficAdvance::finished);
    return simulator;
}

std::vector<MessageRecord> records_of(const FabricSpec& fabric, const TrafficSpec& traffic) {
    return finished(fabric, traffic, {Mode::flit, true}).messages();
}

// Within four standard errors of what is expected of events that come independently.
bool near(std::int64_t count, double expected) {
    return std::abs(static_cast<double>(count) - expected) < 4 * std::sqrt(expected);
}

// When a rank creates its messages, up to `end`, told by the source alone.
std::vector<Time> creations(TrafficSource& source, std::uint32_t rank, Time end) {
    std::vector<Time> times;
    for (Time t = Time{0} + source.draw_gap(rank); t < end; t = t + source.draw_gap(rank)) {
        times.push_back(t);
    }
    return times;
}

std::string refusal(const FabricSpec& fabric, const TrafficSpec& traffic, Mode mode = Mode::flit,
                    Engine engine = Engine::automatic) {
    try {
        TrafficSimulator simulator(build_fabric(fabric), traffic, {mode, false, engine});
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("a message that meets no other takes its path") {
    TrafficSpec traffic = traffic_of(TrafficPattern::uniform, 20);
    traffic.measure = 100'000_us;
    const TrafficReport one_flit = finished(switched(2, 1), traffic).report();
    REQUIRE(one_flit.latency);
    CHECK(one_flit.measured > 200);
    CHECK(one_flit.latency->max == 835'600_ps);
    CHECK(one_flit.latency->mean == 835'600_ps);
    traffic.message = 4_KiB;
    CHECK(finished(switched(2, 1), traffic).report().latency->max == 912'400_ps);  // 7 flits, one more in the switch
    CHECK(finished(switched(2, 8), traffic).report().latency->max == 835'600_ps);  // a flit a port
}

TEST_CASE("what is counted in the window is what the sources created and the network delivered in it") {
    const FabricSpec fabric = switched(6, 2);
    const TrafficSpec traffic = traffic_of(TrafficPattern::uniform, 400'000);
    const TrafficSimulator simulator = finished(fabric, traffic, {Mode::flit, true});
    const TrafficReport report = simulator.report();
    const Time start{5'000'000};
    const Time end{25'000'000};

    const auto built = build_fabric(fabric);
    TrafficSource source(*built, traffic);
    std::int64_t before = 0;
    std::int64_t within = 0;
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
        for (const Time t : creations(source, rank, end)) {
            (t < start ? before : within) += 1;
        }
    }
    CHECK(report.measured == within);
    CHECK(report.offered == Bytes{640 * within});
    CHECK(report.measured_delivered == within);
    CHECK(report.injection_rate == BitRate{6 * 800'000'000'000});
    CHECK((report.window_start == start && report.window_end == end));

    std::int64_t delivered_before = 0;
    std::int64_t delivered_within = 0;
    for (const MessageRecord& record : simulator.messages()) {
        delivered_before += record.delivered < start ? 1 : 0;
        delivered_within += start <= record.delivered && record.delivered < end ? 1 : 0;
    }
    CHECK(report.accepted == Bytes{640 * delivered_within});
    CHECK(report.waiting_at_start == Bytes{640 * (before - delivered_before)});
    CHECK(report.waiting_at_end == Bytes{640 * (before + within - delivered_before - delivered_within)});
    CHECK(report.delivered == static_cast<std::int64_t>(simulator.messages().size()));
    CHECK_FALSE(report.saturated());
}

TEST_CASE("latencies count from creation to the last byte of all ports") {
    const FabricSpec fabric = switched(4, 2);
    TrafficSpec traffic = traffic_of(TrafficPattern::permutation, 700'000);
    traffic.message = 4_KiB;
    const TrafficSimulator simulator = finished(fabric, traffic, {Mode::flit, true});
    const auto built = build_fabric(fabric);
    TrafficSource source(*built, traffic);
    std::map<std::pair<std::uint32_t, std::uint32_t>, Time> last;  // by source and number
    for (const MessageRecord& record : simulator.messages()) {
        Time& t = last[{record.source, record.phase}];
        t = std::max(t, record.delivered);
    }
    std::int64_t longest = 0;
    std::int64_t sum = 0;
    std::int64_t count = 0;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        const std::vector<Time> times = creations(source, rank, {25'000'000});
        for (std::uint32_t number = 0; number < times.size(); ++number) {
            if (times[number] >= Time{5'000'000}) {
                const std::int64_t latency = (last.at({rank, number}) - times[number]).ps;
                longest = std::max(longest, latency);
                sum += latency;
                ++count;
            }
        }
    }
    const TrafficReport report = simulator.report();
    REQUIRE(report.latency);
    CHECK(count == report.measured);
    CHECK(report.latency->max.ps == longest);
    CHECK(report.latency->mean.ps == sum / count);
    CHECK(report.latency->p50 <= report.latency->p99);
    CHECK(longest > 912'400);
}

TEST_CASE("the offered load is what was asked for, within its statistical error") {
    TrafficSpec traffic = traffic_of(TrafficPattern::uniform, 300'000);
    traffic.measure = 100_us;
    const TrafficReport report = finished(switched(16, 2), traffic).report();
    CHECK(near(report.measured, 16 * 2 * 0.3 * 100e-6 * 400e9 / (8 * 640)));
    CHECK(near(report.accepted.count / 640, 16 * 2 * 0.3 * 100e-6 * 400e9 / (8 * 640)));
}

TEST_CASE("each pattern sends where it says") {
    const FabricSpec fabric = switched(8, 1);
    SECTION("uniform: to every other rank equally often") {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> pairs;
        const auto records = records_of(fabric, traffic_of(TrafficPattern::uniform, 500'000));
        for (const MessageRecord& record : records) {
            CHECK(record.source != record.destination);
            ++pairs[{record.source, record.destination}];
        }
        CHECK(pairs.size() == 56);
        for (const auto& pair : pairs) {
            CHECK(near(pair.second, static_cast<double>(records.size()) / 56));
        }
    }
    SECTION("permutation: each rank to one other, all different, by the seed") {
        std::set<std::map<std::uint32_t, std::uint32_t>> drawn;
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            FabricSpec seeded = fabric;
            seeded.seed = seed;
            std::map<std::uint32_t, std::uint32_t> partner;
            std::set<std::uint32_t> taken;
            for (const MessageRecord& record : records_of(seeded, traffic_of(TrafficPattern::permutation, 500'000))) {
                CHECK(partner.emplace(record.source, record.destination).first->second == record.destination);
                CHECK(record.source != record.destination);
                taken.insert(record.destination);
            }
            CHECK((partner.size() == 8 && taken.size() == 8));
            drawn.insert(partner);
        }
        CHECK(drawn.size() > 1);
    }
    SECTION("hot-spot: a share of the others' messages to one rank, the rest to any") {
        TrafficSpec traffic = traffic_of(TrafficPattern::hot_spot, 100'000);
        traffic.hot_rank = 3;
        traffic.hot_share = 250'000;
        traffic.measure = 100_us;
        std::int64_t hot = 0;
        std::int64_t others = 0;
        for (const MessageRecord& record : records_of(fabric, traffic)) {
            CHECK(record.source != record.destination);
            hot += record.destination == 3 ? 1 : 0;
            others += record.source != 3 ? 1 : 0;
        }
        CHECK(near(hot, static_cast<double>(others) * (0.25 + 0.75 / 7)));
    }
    SECTION("all-to-all: each rank to the others in turn, the next rank first") {
        const auto records = records_of(fabric, traffic_of(TrafficPattern::all_to_all, 500'000));
        CHECK(records.size() > 1000);
        for (const MessageRecord& record : records) {
            CHECK(record.destination == (record.source + 1 + record.phase % 7) % 8);
        }
    }
}

TEST_CASE("messages of a source go over its ports in turn") {
    std::map<std::uint32_t, std::map<std::uint32_t, std::int64_t>> flits;
    TrafficSpec traffic = traffic_of(TrafficPattern::uniform, 500'000);
    traffic.message = 1280_B;
    const TrafficSimulator simulator = finished(switched(4, 3), traffic, {Mode::flit, true});
    for (const MessageRecord& record : simulator.messages()) {
        CHECK((record.port + 3 - record.phase * 2 % 3) % 3 < 2);  // two flits, after those of earlier messages
        flits[record.source][record.port] += record.flits;
    }
    const std::int64_t under_way = 2 * (simulator.report().created - simulator.report().delivered);
    for (const auto& source : flits) {
        CHECK(source.second.size() == 3);
        for (const auto& port : source.second) {
            CHECK(std::abs(port.second - source.second.at(0)) <= under_way + 1);
        }
    }
}

TEST_CASE("equal seeds give equal histories, however the run is sliced, other seeds others") {
    FabricSpec fabric = switched(5, 2);
    fabric.responses = ResponsePolicy::per_message;
    fabric.buffers = {4, 4};
    const TrafficSpec traffic = traffic_of(TrafficPattern::hot_spot, 300'000);
    const TrafficSimulator once = finished(fabric, traffic);
    TrafficSimulator again(build_fabric(fabric), traffic);
    Random random(9);
    while (true) {
        const Time until = again.now() + Duration{random.between(0, 300'000)};
        const TrafficAdvance step = again.advance({until, random.below(200)});
        CHECK(again.now() <= until);
        if (step == TrafficAdvance::finished) {
            break;
        }
    }
    CHECK(again.event_hash() == once.event_hash());
    CHECK(again.now() == once.now());
    CHECK(again.report().latency->mean == once.report().latency->mean);
    CHECK(again.report().accepted == once.report().accepted);
    fabric.seed = 2;
    CHECK(finished(fabric, traffic).event_hash() != once.event_hash());
}

TEST_CASE("message mode gives the times of flit mode with unlimited buffers") {
    for (const TrafficPattern pattern :
         {TrafficPattern::uniform, TrafficPattern::permutation, TrafficPattern::hot_spot, TrafficPattern::all_to_all}) {
        TrafficSpec traffic = traffic_of(pattern, 600'000);
        traffic.message = 3000_B;
        const TrafficSimulator flit = finished(switched(7, 2), traffic);
        const TrafficSimulator message = finished(switched(7, 2), traffic, {Mode::message, false});
        CHECK(message.event_hash() == flit.event_hash());
        CHECK(message.report().latency->max == flit.report().latency->max);
        CHECK(message.report().latency->mean == flit.report().latency->mean);
    }
}

TEST_CASE("a load beyond what the fabric carries is called saturated, and cut") {
    TrafficSpec traffic = traffic_of(TrafficPattern::hot_spot, 900'000);
    traffic.hot_share = 1'000'000;
    const TrafficSimulator simulator = finished(switched(9, 1), traffic);
    const TrafficReport report = simulator.report();
    CHECK(report.saturated());
    CHECK(report.cut);
    CHECK(simulator.now() == Time{50'000'000});
    CHECK(report.measured_delivered < report.measured);
    CHECK(report.created > report.delivered);
    // The hot port is never idle; the hot rank sends to the others.
    const std::int64_t of_hot_rank = report.accepted.count / 640 - 20'000'000 / 12'800;
    CHECK(near(of_hot_rank, 0.9 * 20'000'000 / 12'800));
}

TEST_CASE("traffic goes to the engine that is asked for, and to the reference where the sweep cannot follow") {
    const TrafficSpec traffic = traffic_of(TrafficPattern::uniform, 300'000);
    FabricSpec fabric = switched(4, 2);
    CHECK(finished(fabric, traffic).engine() == Engine::sweep);
    CHECK(finished(fabric, traffic).fallback_reason().empty());
    CHECK(finished(fabric, traffic, {Mode::flit, false, Engine::reference}).engine() == Engine::reference);
    CHECK(finished(fabric, traffic, {Mode::message, false}).fallback_reason().empty());
    fabric.routing.policy = RoutingPolicy::adaptive;
    const TrafficSimulator adaptive = finished(fabric, traffic);
    CHECK(adaptive.engine() == Engine::reference);
    CHECK(adaptive.fallback_reason() == "adaptive routing looks at queues at the instant of each arrival");
    CHECK(refusal(fabric, traffic, Mode::flit, Engine::sweep) ==
          "the engine `sweep` cannot do this: adaptive routing looks at queues at the instant of each arrival; use the "
          "engine `auto` or `reference`");
}

TEST_CASE("traffic that does not fit is refused") {
    const TrafficSpec traffic = traffic_of(TrafficPattern::uniform, 300'000);
    CHECK(refusal(switched(1, 1), traffic) == "synthetic traffic needs at least two accelerators");
    CHECK(refusal(switched(4, 1), traffic, Mode::analytic) ==
          "analytic mode knows no queues, which synthetic traffic is about; use flit or message mode");
    FabricSpec cube = switched(4, 2);
    cube.device = DeviceKind::ocs;
    cube.circuits.cube = true;
    CHECK(refusal(cube, traffic) ==
          "rank 0 has no circuit to rank 3, and messages are not relayed; use packet switches or a full mesh");
    TrafficSpec rare = traffic;
    rare.load = 1;
    rare.message = Bytes{std::int64_t{1} << 40};
    CHECK(refusal(switched(4, 1), rare) == "a rank would send a message in 1000 s; use smaller messages or more load");
    TrafficSpec hot = traffic_of(TrafficPattern::hot_spot, 300'000);
    hot.hot_rank = 4;
    CHECK(refusal(switched(4, 1), hot) == "`hot_rank` is 4; the fabric has ranks 0 to 3");
}
