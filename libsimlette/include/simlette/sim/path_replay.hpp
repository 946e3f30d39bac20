// The messages of critical paths, followed through a second network.
//
// What went into the network of a simulation is known once it has run: who entered which phase when. So the second one
// needs no collectives: it is fed at the same instants, whatever it delivers, until the last of these messages has
// come.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include <simlette/collective/player.hpp>
#include <simlette/fabric/built_fabric.hpp>
#include <simlette/fabric/flit_trace.hpp>
#include <simlette/sim/network.hpp>
#include <simlette/sim/simulator.hpp>

namespace simlette {

// What the ranks of all collectives have injected, first injected first.
class PastInjections {
public:
    // It must outlive them.
    explicit PastInjections(const Player& player);

    // When the next one was made; Time::never(): there are no more.
    Time next() const { return coming_.empty() ? Time::never() : coming_.front().at; }
    // Requires: there is one.
    Injection take();

private:
    // The next of one rank.
    struct Coming {
        Time at;
        const CollectiveRun* run;
        Injection injection;
    };
    static bool later(const Coming& a, const Coming& b);
    void await(const CollectiveRun& run, std::uint32_t place, std::uint32_t phase);

    std::vector<Coming> coming_;  // a heap
};

// Whatever is delivered, what is injected comes at its instant.
class DeafOutlook final : public Outlook {
public:
    Time first_reaction(const Pace&) const override { return Time::never(); }
};

class PathReplay {
public:
    // Both must outlive it. Requires: `player` was on such a network, and `messages` are those of paths of it.
    // `sweep`: a SweepNetwork takes the part of the first one. Requires: it fits.
    PathReplay(const Fabric& fabric, const Player& player, const std::vector<TracedMessage>& messages, bool sweep);

    // False: `go_on`, which is asked now and then, said no.
    bool run(const std::function<bool(const PathProgress&)>& go_on);
    const FlitTrace& traced() const;

private:
    template <class Carrier>
    bool run_on(Carrier& carrier, const std::function<bool(const PathProgress&)>& go_on);
    template <class Carrier>
    void feed(Carrier& carrier);
    template <class Carrier>
    void take(Carrier& carrier);
    Time note_request(const Delivery& request, Time now);
    bool is_wanted(const Delivery& delivery) const;
    const CollectiveRun& run_of(const Delivery& delivery) const;

    const Player& player_;
    DeafOutlook deaf_;
    Network network_;
    PastInjections injections_;
    std::size_t resets_ = 0;                         // of those of the player that are over
    std::map<Time, std::vector<Delivery>> replies_;  // by when the data may go
    std::vector<TracedMessage> wanted_;              // data, in order
    std::size_t missing_ = 0;                        // of them
    Time end_;                                       // of the last collective that has ended
    Time called_{-1};                                // the last instant that the network was asked to wake at
};

}  // namespace simlette
