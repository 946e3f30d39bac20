// What a flit that is followed tells of those that passed it.
#include <catch2/catch.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <simlette/fabric/flit_trace.hpp>

using namespace simlette;

namespace {

constexpr LinkId port = 7;
constexpr LinkId input = 3;

LinkClass ten_picoseconds_a_flit() {
    LinkClass kind;
    kind.flit_time = Duration{10};
    return kind;
}

FlitTrace::OnWire message_of(std::uint32_t sender) {
    return {{0, TransactionHalf::write, sender}, sender, 0};
}

// A port at which the flits of message 0 are followed; those of others pass.
class FollowedPort {
public:
    FollowedPort() { trace_.want({{}}); }

    // `busy`: how much longer `wire` has the port.
    void ready(Time at, const FlitTrace::OnWire& wire = {}, Duration busy = Duration{0}) {
        FlitTrace::Waiting waiting;
        waiting.input = input;
        waiting.flow = message_of(0).flow;
        waiting.hop.link = port;
        waiting.hop.ready = at;
        trace_.wait(std::move(waiting), wire, busy);
    }
    void pass(std::uint32_t sender, Time at) {
        trace_.depart(port, sender == 0 ? 0 : no_id, input, false, at, kind_, {}, message_of(sender));
    }
    HopRecord leave(Time at) {
        pass(0, at);
        return trace_.arrive(port, 0, at).hops.back();
    }

private:
    LinkClass kind_ = ten_picoseconds_a_flit();
    FlitTrace trace_;
};

std::vector<std::pair<std::uint32_t, std::int64_t>> flits_by_source(const HopRecord& hop) {
    std::vector<std::pair<std::uint32_t, std::int64_t>> flits;
    for (const HopRecord::Rival& rival : hop.rivals) {
        flits.emplace_back(rival.source_rank, rival.flits);
    }
    std::sort(flits.begin(), flits.end());
    return flits;
}

using Flits = std::vector<std::pair<std::uint32_t, std::int64_t>>;

}  // namespace

TEST_CASE("a flit tells of those alone that passed while it waited, whoever waited before") {
    FollowedPort followed;
    followed.ready(Time{5}, message_of(1), Duration{5});
    followed.pass(2, Time{10});
    followed.ready(Time{15}, message_of(2), Duration{5});
    followed.pass(1, Time{20});
    CHECK(flits_by_source(followed.leave(Time{30})) == Flits{{1, 2}, {2, 1}});
    followed.pass(1, Time{40});
    const HopRecord second = followed.leave(Time{50});
    CHECK(flits_by_source(second) == Flits{{1, 2}, {2, 1}});
    CHECK(second.own == Duration{10});

    followed.ready(Time{60});  // nothing waited meanwhile
    followed.pass(3, Time{60});
    CHECK(flits_by_source(followed.leave(Time{70})) == Flits{{3, 1}});
}

TEST_CASE("a flit that very many messages pass takes no longer for each of them") {
    constexpr std::uint32_t others = 400'000;  // each looked for among the others: minutes
    FollowedPort followed;
    followed.ready(Time{0});
    for (std::uint32_t sender = 1; sender <= others; ++sender) {
        followed.pass(sender, Time{10LL * sender});
    }
    for (std::uint32_t sender = others; sender > 0; --sender) {
        followed.pass(sender, Time{10LL * (2 * others - sender)});
    }
    const HopRecord hop = followed.leave(Time{20LL * others});
    REQUIRE(hop.rivals.size() == others);
    CHECK(std::all_of(hop.rivals.begin(), hop.rivals.end(), [](const auto& rival) { return rival.flits == 2; }));
}
