#include <simlette/sim/traffic_source.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/fabric/striping.hpp>
#include <simlette/link/flit.hpp>
#include <simlette/link/packing.hpp>

namespace simlette {

namespace {

constexpr std::int64_t all_of_it = 1'000'000;  // a share of 1

Bytes spread_unit(const FabricSpec& fabric) {
    return fabric.fidelity == Fidelity::ualink ? max_request : flit_bytes;
}

// The bits per second of all links that leave an accelerator.
BitRate rate_of(const HostGraph& graph, LinkId first, LinkId end) {
    __extension__ using Wide = __int128;
    Wide rate = 0;
    for (LinkId link = first; link < end; ++link) {
        rate += flit_bits_ps / graph.class_of(link).flit_time.ps;
    }
    if (rate > INT64_MAX) {
        throw Error(ErrorKind::input, "the links of one accelerator carry more than 2^63 bits a second together");
    }
    return {static_cast<std::int64_t>(rate)};
}

// Each rank gets another one than itself, all different: any such assignment, all with the same probability.
std::vector<std::uint32_t> derangement(std::uint32_t ranks, Random random) {
    std::vector<std::uint32_t> partners(ranks);
    const auto some_stays = [&partners] {
        for (std::uint32_t rank = 0; rank < partners.size(); ++rank) {
            if (partners[rank] == rank) {
                return true;
            }
        }
        return false;
    };
    do {
        std::iota(partners.begin(), partners.end(), 0U);
        for (std::uint32_t rank = ranks; rank > 1; --rank) {
            std::swap(partners[rank - 1], partners[random.below(rank)]);
        }
    } while (some_stays());
    return partners;
}

}  // namespace

TrafficSource::TrafficSource(const Fabric& fabric, const TrafficSpec& spec)
    : spec_(spec),
      units_(Striping(fabric.spec.routing, spread_unit(fabric.spec), fabric.spec.seed).units(spec.message)) {
    const std::uint32_t ranks = fabric.graph.accelerators;
    if (ranks < 2) {
        throw Error(ErrorKind::input, "synthetic traffic needs at least two accelerators");
    }
    if (spec.hot_rank >= ranks) {
        throw Error(ErrorKind::input, "`hot_rank` is " + std::to_string(spec.hot_rank) +
                                          "; the fabric has ranks 0 to " + std::to_string(ranks - 1));
    }
    if (spec.pattern == TrafficPattern::permutation) {
        partners_ = derangement(ranks, Random(fabric.spec.seed).fork(UINT64_MAX));
    }
    add_sources(fabric);
    check_reach(fabric);
}

void TrafficSource::add_sources(const Fabric& fabric) {
    const std::vector<LinkId> first_link = fabric.graph.first_links();
    const Random root(fabric.spec.seed);
    for (std::uint32_t rank = 0; rank < fabric.graph.accelerators; ++rank) {
        const std::uint32_t accelerator = fabric.accelerator_of(rank);
        const BitRate rate = rate_of(fabric.graph, first_link[accelerator], first_link[accelerator + 1]);
        if (__builtin_add_overflow(injection_rate_.per_second, rate.per_second, &injection_rate_.per_second)) {
            throw Error(ErrorKind::input, "the accelerators inject more than 2^63 bits a second together");
        }
        const Random own = root.fork(rank);
        sources_.push_back({own.fork(0), own.fork(1), accelerator, gaps_at(rate), 0, 0});
    }
}

// A tick is a picosecond; in each a message comes with the probability load * rate / bits of a message.
std::uint32_t TrafficSource::gaps_at(BitRate rate) {
    const auto found = std::find(rates_.begin(), rates_.end(), rate);
    const auto index = static_cast<std::uint32_t>(found - rates_.begin());
    if (found != rates_.end()) {
        return index;
    }
    using Wide = GeometricGaps::Wide;
    const Wide offered = Wide{static_cast<std::uint64_t>(spec_.load)} * static_cast<std::uint64_t>(rate.per_second);
    const Wide message =
        Wide{static_cast<std::uint64_t>(spec_.message.count)} * 8 * std::uint64_t{ps_per_second} * all_of_it;
    if (offered >= message) {
        throw Error(ErrorKind::input, "a rank would send a message in every picosecond; use larger messages");
    }
    if (offered == 0 || message / offered >= Wide{1} << 50) {
        throw Error(ErrorKind::input, "a rank would send a message in 1000 s; use smaller messages or more load");
    }
    rates_.push_back(rate);
    gaps_.emplace_back(offered, message);
    return index;
}

// Messages are not relayed.
void TrafficSource::check_reach(const Fabric& fabric) const {
    for (std::uint32_t rank = 0; fabric.circuits() && rank < ranks(); ++rank) {
        for (std::uint32_t other = 0; other < ranks(); ++other) {
            const bool sends = partners_.empty() ? other != rank : other == partners_[rank];
            if (sends &&
                Candidates(fabric.graph, sources_[rank].accelerator, sources_[other].accelerator).size() == 0) {
                throw Error(ErrorKind::input, "rank " + std::to_string(rank) + " has no circuit to rank " +
                                                  std::to_string(other) +
                                                  ", and messages are not relayed; use packet switches or a full mesh");
            }
        }
    }
}

Duration TrafficSource::draw_gap(std::uint32_t rank) {
    Source& source = sources_[rank];
    return {gaps_[source.gaps].draw(source.times)};
}

std::uint32_t TrafficSource::any_other(std::uint32_t rank, Random& random) const {
    const auto drawn = static_cast<std::uint32_t>(random.below(ranks() - 1));
    return drawn < rank ? drawn : drawn + 1;
}

std::uint32_t TrafficSource::destination_of(std::uint32_t rank) {
    Source& source = sources_[rank];
    switch (spec_.pattern) {
        case TrafficPattern::permutation:
            return partners_[rank];
        case TrafficPattern::all_to_all:
            return static_cast<std::uint32_t>((std::uint64_t{rank} + 1 + source.created % (ranks() - 1)) % ranks());
        case TrafficPattern::hot_spot:
            if (rank != spec_.hot_rank &&
                source.choices.below(all_of_it) < static_cast<std::uint64_t>(spec_.hot_share)) {
                return spec_.hot_rank;
            }
            break;
        case TrafficPattern::uniform:
            break;
    }
    return any_other(rank, source.choices);
}

Injection TrafficSource::create(std::uint32_t rank, Time now) {
    Source& source = sources_[rank];
    const std::uint32_t destination = destination_of(rank);
    const std::uint32_t number = source.created++;
    under_way_.add({rank, number, destination, spec_.message, now});
    Injection injection;
    injection.messages = this;
    injection.source = source.accelerator;
    injection.rank = rank;
    injection.phase = number;
    injection.requests_per_control = compressed_requests_per_control;
    injection.before = source.units;
    source.units += units_;
    return injection;
}

std::optional<Time> TrafficSource::deliver(const Delivery& delivery) {
    SentMessage& message = under_way_.find(delivery.source_rank, delivery.phase);
    if (delivery.bytes < message.undelivered) {
        message.undelivered = {message.undelivered.count - delivery.bytes.count};
        return std::nullopt;
    }
    const Time created = message.created;
    under_way_.remove(message);
    return created;
}

bool TrafficSource::message(std::uint32_t rank, std::uint32_t phase, std::uint32_t index, OutMessage& out) const {
    if (index > 0) {
        return false;
    }
    const std::uint32_t destination = under_way_.find(rank, phase).destination;
    out = {sources_[destination].accelerator, destination, spec_.message};
    return true;
}

}  // namespace simlette
