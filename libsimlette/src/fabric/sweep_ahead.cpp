// Windows that go ahead of the deliveries: what lands in them is told as lots.
#include <algorithm>
#include <tuple>

#include <simlette/fabric/sweep_network.hpp>

namespace simlette {

// One beyond the usual length requires that ports which answer come after those on which what they answer lands. Of
// ualink what lands is told in order.
void SweepPlane::build_long_window() {
    constexpr std::int64_t most_windows = 16;  // keeps what is untold to a few windows where no link leads to a switch
    const bool answers = rules_.responses != ResponsePolicy::none;
    long_window_ = rules_.fidelity == Fidelity::ualink ? Duration{0} : window_ * most_windows;
    for (const Port& port : ports_) {
        if (port.at != no_id) {
            long_window_ = one_direction() ? long_window_ : std::min(long_window_, port.delay);
            continue;
        }
        const LinkId back = way_back_[port.link];
        if (answers && (!(one_way_ || lands_once_) || back == no_id || place_[back] < place_of(port))) {
            long_window_ = std::min(long_window_, window_);
        }
    }
}

// The shortest round and the most credits of any link hold for all.
void SweepPlane::build_pace() {
    pace_ = {{}, Duration{ps_per_second}};
    std::vector<std::uint32_t> ports(graph_.accelerators, 0);
    std::int64_t credits = 1;
    Duration round{ps_per_second};
    for (const Port& port : ports_) {
        if (port.at != no_id) {
            continue;
        }
        pace_.ports = std::max(pace_.ports, ++ports[graph_.links[port.link].to]);
        pace_.apart = std::min(pace_.apart, port.flit_time);
        credits = std::max(credits, port.credits[0]);
        round = std::min(round, port.credit_loop);
    }
    const bool starved = credits < ceil_div(round.ps, pace_.apart.ps);
    pace_.per_round = starved ? credits : 1;
    pace_.round = starved ? round : pace_.apart;
}

Outlook::Pace SweepPlane::pace(Time from) const {
    Outlook::Pace pace = pace_;
    pace.from = from;
    pace.largest = sources_.largest();
    return pace;
}

// Through one window after the other, where nothing is to be done through none.
void SweepPlane::run_ahead(Time decide_before, Duration window) {
    goes_ahead_ = true;
    lot_.landings = 0;
    lot_.last = {};
    while (decided_ < decide_before) {
        const Time next = std::max(decided_, std::min(attention_, first_landing_));
        run_window_ahead(next < decide_before ? std::min(decide_before, next + window) : decide_before);
    }
    goes_ahead_ = false;
}

// What is answered is told before the ports that answer go on: in a window that is no longer than others, all of it.
void SweepPlane::run_window_ahead(Time decide_before) {
    const bool answers = rules_.responses != ResponsePolicy::none;
    if (!lands_in_order()) {
        tell_landings(decide_before);
        tell_before_ = decide_before;
        run_ports_ahead(decide_before);
        tell_before_ = {};
    } else if (answers) {
        tell_landings(decide_before);
        run_ports_ahead(decide_before);
    } else {
        run_ports_ahead(decide_before);
        tell_landings(decide_before);
    }
}

void SweepPlane::run_ports_ahead(Time decide_before) {
    if (one_direction()) {
        run_from_sources(decide_before);
    } else {
        run(decide_before, decide_before);
    }
}

void SweepPlane::tell_landings(Time before) {
    if (lands_in_order()) {
        std::sort(landings_.begin(), landings_.end(), [](const Landing& a, const Landing& b) {
            return std::tie(a.time, a.link) < std::tie(b.time, b.link);
        });
    }
    take_landings(before, [this](const Landing& landing) { landed_.push_back(landing); });
    tell_landed();
}

void SweepPlane::tell_landed() {
    constexpr std::size_t ahead = 16;
    for (std::size_t i = 0; i < landed_.size(); ++i) {
        if (i + ahead < landed_.size()) {
            __builtin_prefetch(message_of(landed_[i + ahead]));
        }
        deliver(landed_[i]);
    }
    landed_.clear();
}

void SweepPlane::run_from_sources(Time decide_before) {
    attention_ = Time::never();
    for (std::size_t word = busy_.size(); word-- > 0;) {
        std::uint64_t to_do = busy_[word];
        while (to_do != 0) {
            const auto bit = 63U - static_cast<unsigned>(__builtin_clzll(to_do));
            const auto place = static_cast<Place>(word * 64 + bit);
            busy_[word] &= ~(std::uint64_t{1} << bit);
            if (order_[place] >= first_switch_link_) {
                visit<true>(place, decide_before, decide_before);
            } else {
                visit<false>(place, decide_before, decide_before);
            }
            tell_landed();
            to_do = busy_[word] & ((std::uint64_t{1} << bit) - 1);
        }
    }
    end_run(decide_before);
}

namespace {

constexpr std::int64_t landings_in_cache = 1 << 15;  // the cache holds no more of what is told of them

}  // namespace

Outlook::Pace SweepNetwork::pace() const {
    Outlook::Pace pace = planes_.front().pace(start_);
    pace.ports *= plane_count_;
    return pace;
}

// No delivery before sets anything off but answers.
Time SweepNetwork::first_reaction(Outlook::Pace pace) const {
    std::vector<std::int64_t> on_way(graph_.accelerators, 0);
    for (const SweepPlane& plane : planes_) {
        plane.add_on_way(on_way);
    }
    pace.on_way = on_way;
    return outlook_->first_reaction(pace);
}

// Until windows have shown how many flits land at a time: as many as a message has, by the order of its size, so that a
// few long ones among many hardly count.
std::int64_t SweepNetwork::usual_landing() const {
    if (flits_a_landing_ > 0 || injected_messages_ == 0) {
        return std::max(std::int64_t{1}, flits_a_landing_);
    }
    return std::int64_t{1} << (injected_powers_ / injected_messages_);
}

// The most flits that land at a time: where those of a message part, each is on its way by itself.
std::int64_t SweepNetwork::longest_landing(const Outlook::Pace& pace) const {
    return planes_.front().one_way() ? std::max(std::int64_t{1}, pace.largest.count / flit_bytes.count) : 1;
}

// So long that about as much lands as the cache holds. Of one that may be of any length that shows as flits land: the
// first ones reckon with messages of the usual size, and later ones grow. Flits that are followed land one by one: of a
// link no more than the cache holds.
Duration SweepNetwork::longest_window(const Outlook::Pace& pace) const {
    constexpr std::int64_t most = 1'000 * ps_per_second;  // so that a time and a window stay in 64 bits
    const SweepPlane& plane = planes_.front();
    const auto links = static_cast<std::int64_t>(graph_.links.size() / plane_count_ * planes_.size());
    const bool grows = may_grow(pace);
    const std::int64_t expected = grows ? usual_landing() : longest_landing(pace);
    const std::int64_t flits = account_.trace.on() ? std::min(expected, links) : expected;
    const Duration length =
        pace.round * std::min(ceil_div(landings_in_cache * flits / links, pace.per_round), most / pace.round.ps);
    return grows ? std::max(length, plane.window() * 2) : length;
}

bool SweepNetwork::may_grow(const Outlook::Pace& pace) const {
    return planes_.front().one_direction() && usual_landing() < longest_landing(pace);
}

// Where a window ends of which each plane tells by itself; its start if there is none, or nothing to do in it.
Time SweepNetwork::lot_end(Time limit) {
    const SweepPlane& plane = planes_.front();
    if (outlook_ == nullptr || (account_.trace.on() && !plane.one_direction()) ||
        plane.long_window() < plane.window()) {
        return start_;
    }
    const Outlook::Pace now = pace();
    lot_window_ = std::max(plane.window(), plane.one_direction() ? longest_window(now) : plane.long_window());
    Time end = std::min(limit, start_ + lot_window_ * (plane.one_direction() ? 1 : windows_a_lot_));
    end = alarms_.empty() ? end : std::min(end, alarms_.first().at);
    const Time landing = first_landing();
    const Time next = std::min(attention(), landing);
    const auto worth_it = [&] { return end > end_ ? next < end : end == end_ && landing < end; };
    if (worth_it() && calm_before_ < end) {
        calm_before_ = std::max(calm_before_, first_reaction(now));
    }
    end = std::min(end, calm_before_);
    return worth_it() ? end : start_;
}

void SweepNetwork::go_ahead(Time end) {
    flits_a_landing_ = usual_landing();
    const Outlook::Pace now = pace();
    const bool grows = may_grow(now) && end == start_ + longest_window(now);
    const bool whole = end == start_ + lot_window_ * windows_a_lot_;
    const std::uint64_t events_before = events();
    on_planes([&](SweepPlane& plane) { plane.run_ahead(end, lot_window_); });
    decided_ = end;
    begin_window(end);
    const std::int64_t room = landings_in_cache / std::max(std::int64_t{1}, take_lots());
    set_windows_a_lot(room, events() - events_before, whole);
    if (room == 0) {
        flits_a_landing_ = ceil_div(flits_a_landing_, 2);
    } else if (grows) {
        flits_a_landing_ *= std::min(room, std::int64_t{4});
    }
}

// A plane that goes on by itself for long keeps its state in the cache: until as much lands as that holds, and no
// longer than a caller may wait.
void SweepNetwork::set_windows_a_lot(std::int64_t room, std::uint64_t events, bool whole) {
    constexpr std::int64_t most = 1 << 8;
    if (room < 1 || events > many_events) {
        windows_a_lot_ = ceil_div(windows_a_lot_, 2);
    } else if (whole && room > 1 && 2 * events <= many_events) {
        windows_a_lot_ = std::min(2 * windows_a_lot_, most);
    }
}

// Of all planes, told one after the other at the instant at which the last flits landed. Returns how many landings.
std::int64_t SweepNetwork::take_lots() {
    std::int64_t landings = 0;
    lots_at_ = {};
    for (SweepPlane& plane : planes_) {
        SweepPlane::Lot& lot = plane.lot();
        account_.told.take_sums(lot.told);
        landings += lot.landings;
        lots_at_ = std::max(lots_at_, lot.last);
    }
    lots_ = landings > 0 ? planes_.size() : 0;
    return landings;
}

}  // namespace simlette
