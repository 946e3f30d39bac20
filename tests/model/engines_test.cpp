// Both engines of flit mode give the same results, whatever is simulated and however a caller slices it.
#include <catch2/catch.hpp>

#include <support/random_answers.hpp>
#include <support/random_levels.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

// All that a caller may see of a simulation that has come to an instant.
struct Seen {
    Time now;
    std::size_t kind = 0;  // of Advance
    std::string stall;
    std::vector<MessageRecord> messages;
    std::vector<LinkStatistics> links;
    std::vector<Duration> wires;
    NetworkStatistics statistics;
    std::uint64_t hash = 0;
};

Seen look(const Simulator& simulator, const Advance& step) {
    Seen seen;
    seen.now = simulator.now();
    seen.kind = step.index();
    if (const auto* stalled = std::get_if<Stalled>(&step)) {
        seen.stall = std::to_string(stalled->report.since.ps) + ' ' + stalled->report.text;
    }
    seen.messages = simulator.messages();
    seen.links = simulator.links();
    seen.wires = simulator.wire_times();
    seen.statistics = simulator.statistics();
    seen.hash = simulator.event_hash();
    return seen;
}

std::string text_of(const LinkStatistics& link, Duration wire) {
    std::ostringstream text;
    text << link.name << ": " << link.flits << " flits, stalls " << link.stall[0].ps << ' ' << link.stall[1].ps
         << ", queue " << link.queue << ", waited " << link.waited.ps << ", wire " << wire.ps;
    return text.str();
}

std::string text_of(const Seen& seen) {
    const NetworkStatistics& s = seen.statistics;
    std::ostringstream text;
    text << "at " << seen.now.ps << " kind " << seen.kind << ' ' << seen.stall << " flits " << s.flits << ' '
         << s.response_flits << ' ' << s.request_flits << " payload " << s.payload_bytes << " messages "
         << s.port_messages << " first " << s.first_injection.ps << " last " << s.last_delivery.ps << " stalls "
         << s.stall_total.ps << ' ' << s.stall_max_port.ps << " hash " << seen.hash;
    return text.str();
}

void check_equal(const Seen& sweep, const Seen& reference) {
    CHECK(text_of(sweep) == text_of(reference));
    CHECK(first_difference(sweep.messages, reference.messages) == "");
    for (std::size_t i = 0; i < reference.links.size(); ++i) {
        CHECK(text_of(sweep.links[i], sweep.wires[i]) == text_of(reference.links[i], reference.wires[i]));
    }
}

// Runs both side by side. `slice` says how far the next call may go.
template <class Slice>
void run_both(const RandomCase& one, Slice&& slice) {
    const auto fabric = build_fabric(one.fabric);
    SimulatorOptions options{true};
    options.engine = Engine::sweep;
    Simulator sweep(fabric, options);
    options.engine = Engine::reference;
    Simulator reference(fabric, options);
    for (const CollectiveSpec& collective : one.collectives) {
        sweep.register_collective(collective);
        reference.register_collective(collective);
    }
    while (true) {
        const Limits limits = slice(reference.now());
        const Advance ours = sweep.drain(limits);
        const Advance theirs = reference.drain(limits);
        const Seen seen = look(reference, theirs);
        check_equal(look(sweep, ours), seen);
        if (std::holds_alternative<Idle>(theirs) || std::holds_alternative<Stalled>(theirs) ||
            seen.kind != ours.index()) {
            return;
        }
    }
}

void check_engines(Random& random, RandomCase one, const std::string& text) {
    if (one.fabric.routing.policy == RoutingPolicy::adaptive) {
        one.fabric.routing.policy = RoutingPolicy::spray;
    }
    INFO(text);
    run_both(one, [](Time) { return Limits{}; });
    const std::int64_t longest = random.between(1, 4'000'000);
    run_both(one, [&](Time now) { return Limits{{now.ps + random.between(0, longest)}}; });
}

}  // namespace

TEST_CASE("The sweep gives what the reference gives, on one level and on circuits", "[engines]") {
    for_each_seed(300, Cases::engines, [](Random& random) {
        const RandomCase one = one_in(random, 3) ? random_case(random) : random_responses_case(random);
        check_engines(random, one, text_of(one));
    });
}

TEST_CASE("The sweep gives what the reference gives, on two levels", "[engines]") {
    for_each_seed(301, Cases::engines, [](Random& random) {
        const RandomCase one = random_levels_case(random);
        check_engines(random, one, levels_text_of(one));
    });
}

TEST_CASE("The sweep counts more waiting flits than 32 bits hold as the reference does", "[engines]") {
    const CollectiveSpec huge = all_reduce(std::int64_t{1} << 40);
    const auto fabric = build_fabric(packet_fabric(8, 2));
    SimulatorOptions options{true};
    options.engine = Engine::sweep;
    Simulator sweep(fabric, options);
    options.engine = Engine::reference;
    Simulator reference(fabric, options);
    sweep.register_collective(huge);
    reference.register_collective(huge);
    const Limits limits{{10'000'000}};
    const Advance ours = sweep.advance(limits);
    const Seen seen = look(reference, reference.advance(limits));
    CHECK(seen.links.front().queue > std::int64_t{1} << 32);
    check_equal(look(sweep, ours), seen);
}
