// Windows that go ahead of the deliveries: what lands in them is told afterwards.
#include <algorithm>

#include <simlette/fabric/sweep_network.hpp>

namespace simlette {

// Requires that ports which answer come after those on which what they answer lands.
void SweepNetwork::build_long_window() {
    constexpr std::int64_t most_windows = 16;  // keeps what is untold to a few windows where no link leads to a switch
    long_window_ = window_ * most_windows;
    std::vector<std::uint32_t> ports(graph_.accelerators, 0);
    for (const Port& port : ports_) {
        if (port.at != no_id) {
            long_window_ = std::min(long_window_, port.way);
            continue;
        }
        std::uint32_t& of_accelerator = ports[graph_.links[port.link].to];
        most_ports_ = std::max(most_ports_, ++of_accelerator);
        const bool answers = rules_.responses != ResponsePolicy::none;
        const LinkId back = way_back_[port.link];
        if (rules_.fidelity == Fidelity::ualink ||
            (answers && (!one_way_ || back == no_id || place_[back] < place_of(port)))) {
            long_window_ = Duration{0};
        }
    }
}

bool SweepNetwork::may_go_ahead(Time limit) const {
    constexpr std::size_t many_landings = 1 << 15;  // the cache holds no more until they are told
    const Time end = start_ + long_window_;
    if (outlook_ == nullptr || trace_.on() || long_window_ <= window_ || due_landings_.size() > many_landings ||
        limit < end || std::min(attention_, first_landing_) >= end || (!alarms_.empty() && alarms_.top().first < end)) {
        return false;
    }
    return outlook_->first_reaction({start_, apart_, most_ports_, sources_.largest()}) >= end;
}

void SweepNetwork::go_ahead() {
    const Time end = start_ + long_window_;
    if (rules_.responses != ResponsePolicy::none) {
        answer_before_ = end;
        answer_early(due_landings_, landed_);
        unanswered_ = 0;
    }
    run_ports(end, end);
    unanswered_ = SIZE_MAX;
    begin_window(end);
}

// What the port at hand has let land.
void SweepNetwork::answer_landings() {
    answer_early(landings_, unanswered_);
    unanswered_ = landings_.size();
}

// Of data that lands before the end of the window; that it has landed is told later.
void SweepNetwork::answer_early(LargeVector<Landing>& landings, std::size_t first) {
    constexpr std::size_t ahead = 16;
    for (std::size_t i = first; i < landings.size(); ++i) {
        if (i + ahead < landings.size()) {
            __builtin_prefetch(messages_.data() + (landings[i + ahead].flit >> 2U));
        }
        Landing& landing = landings[i];
        if (landing.time >= answer_before_ || (landing.flit & 1U) != 0) {
            continue;
        }
        const std::uint32_t id = landing.flit >> 2U;
        Message& message = messages_[id];
        landing.counted = true;
        landing.count = message.undelivered;
        message.undelivered = 0;
        message.answer_link = way_back_[landing.link];
        queue_answer(id, 1, landing.time);
    }
}

}  // namespace simlette
