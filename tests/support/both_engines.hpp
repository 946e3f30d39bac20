// Both engines of flit mode side by side, whole and cut at random: all that a caller may see must be equal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/sim/simulator.hpp>

#include <support/random_case.hpp>
#include <support/run.hpp>

namespace simlette {

// All that a caller may see of a simulation that has come to an instant.
struct Seen {
    Time now;
    std::size_t kind = 0;  // of Advance
    std::string step;      // what completed or stalled
    std::vector<MessageRecord> messages;
    std::vector<LinkStatistics> links;
    std::vector<Duration> wires;
    NetworkStatistics statistics;
    std::uint64_t hash = 0;
};

inline Seen look(const Simulator& simulator, const Advance& step) {
    Seen seen;
    seen.now = simulator.now();
    seen.kind = step.index();
    if (const auto* done = std::get_if<Completed>(&step)) {
        seen.step =
            std::to_string(done->id) + ' ' + std::to_string(done->start.ps) + ' ' + std::to_string(done->end.ps);
    } else if (const auto* stalled = std::get_if<Stalled>(&step)) {
        seen.step = std::to_string(stalled->report.since.ps) + ' ' + stalled->report.text;
    }
    seen.messages = simulator.messages();
    seen.links = simulator.links();
    seen.wires = simulator.wire_times();
    seen.statistics = simulator.statistics();
    seen.hash = simulator.event_hash();
    return seen;
}

inline std::string text_of(const LinkStatistics& link, Duration wire) {
    std::ostringstream text;
    text << link.name << ": " << link.flits << " flits, stalls " << link.stall[0].ps << ' ' << link.stall[1].ps
         << ", queue " << link.queue << ", waited " << link.waited.ps << ", wire " << wire.ps;
    return text.str();
}

inline std::string text_of(const Seen& seen) {
    const NetworkStatistics& s = seen.statistics;
    std::ostringstream text;
    text << "at " << seen.now.ps << " kind " << seen.kind << ' ' << seen.step << " flits " << s.flits << ' '
         << s.response_flits << ' ' << s.request_flits << " payload " << s.payload_bytes << " messages "
         << s.port_messages << " first " << s.first_injection.ps << " last " << s.last_delivery.ps << " stalls "
         << s.stall_total.ps << ' ' << s.stall_max_port.ps << " hash " << seen.hash;
    return text.str();
}

inline void check_equal(const Seen& sweep, const Seen& reference) {
    CHECK(text_of(sweep) == text_of(reference));
    CHECK(first_difference(sweep.messages, reference.messages) == "");
    for (std::size_t i = 0; i < reference.links.size(); ++i) {
        CHECK(text_of(sweep.links[i], sweep.wires[i]) == text_of(reference.links[i], reference.wires[i]));
    }
}

// Both engines side by side.
class Both {
public:
    explicit Both(const std::shared_ptr<const Fabric>& fabric, std::uint32_t threads = 1)
        : sweep_(fabric, on(Engine::sweep, threads)), reference_(fabric, on(Engine::reference, 1)) {}

    void add(const CollectiveSpec& collective) {
        sweep_.register_collective(collective);
        reference_.register_collective(collective);
    }

    // How far the reference has come. The sweep must look the same.
    Seen go(const Limits& limits) {
        const Advance ours = sweep_.drain(limits);
        const Advance theirs = reference_.drain(limits);
        const Seen seen = look(reference_, theirs);
        check_equal(look(sweep_, ours), seen);
        return seen;
    }

    Time now() const { return reference_.now(); }

private:
    static SimulatorOptions on(Engine engine, std::uint32_t threads) {
        SimulatorOptions options{true};
        options.engine = engine;
        options.threads = threads;
        return options;
    }

    Simulator sweep_;
    Simulator reference_;
};

inline bool over(const Seen& seen) {
    return seen.kind == Advance(Idle{}).index() || seen.kind == Advance(Stalled{}).index();
}

inline Seen check_whole(const RandomCase& one, const std::shared_ptr<const Fabric>& fabric) {
    Both both(fabric);
    for (const CollectiveSpec& collective : one.collectives) {
        both.add(collective);
    }
    Seen seen = both.go({});
    while (!over(seen)) {
        seen = both.go({});
    }
    return seen;
}

// Cut at random, and at and beside instants at which something happened in the whole run. Collectives are registered
// meanwhile.
inline void check_cut(Random& random, const RandomCase& one, const std::shared_ptr<const Fabric>& fabric,
                      const Seen& whole) {
    Both both(fabric, one_in(random, 8) ? 3 : 1);
    const std::int64_t longest = whole.now.ps / random.between(1, 30) + 1;
    const auto limit = [&] {
        Time at = both.now() + Duration{random.between(0, longest)};
        if (!whole.messages.empty() && one_in(random, 2)) {
            const MessageRecord& message = whole.messages[random.below(whole.messages.size())];
            at = (one_in(random, 2) ? message.injected : message.delivered) + Duration{random.between(-1, 1)};
        }
        return Limits{std::max(at, both.now())};
    };
    std::size_t added = 0;
    Seen seen;
    do {
        while (added < one.collectives.size() && (added == 0 || one_in(random, 3))) {
            CollectiveSpec collective = one.collectives[added++];
            collective.earliest_start = std::max(collective.earliest_start, both.now());
            both.add(collective);
        }
        seen = both.go(limit());
    } while (!over(seen) || (added < one.collectives.size() && seen.kind != Advance(Stalled{}).index()));
}

}  // namespace simlette
