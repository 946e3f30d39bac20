// Windows that go ahead of the deliveries: what lands in them is told afterwards.
#include <algorithm>

#include <simlette/fabric/sweep_network.hpp>

namespace simlette {

// Requires that ports which answer come after those on which what they answer lands.
void SweepPlane::build_long_window() {
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

void SweepPlane::run_ahead(Time decide_before) {
    if (rules_.responses == ResponsePolicy::none) {
        run(decide_before, decide_before);
        return;
    }
    answer_before_ = decide_before;
    unanswered_ = 0;
    run(decide_before, decide_before);
    unanswered_ = SIZE_MAX;
}

// What the port at hand has let land.
void SweepPlane::answer_landings() {
    constexpr std::size_t ahead = 16;
    for (; unanswered_ < landings_.size(); ++unanswered_) {
        if (unanswered_ + ahead < landings_.size()) {
            __builtin_prefetch(message_of(landings_[unanswered_ + ahead]));
        }
        if (landings_[unanswered_].time < answer_before_) {
            answer_early(landings_[unanswered_]);
        }
    }
    hand_over_runs();
}

void SweepPlane::answer_early(Landing& landing) {
    if ((landing.flit & 1U) != 0) {
        return;
    }
    const std::uint32_t id = landing.flit >> 2U;
    Message& message = messages_[id];
    landing.counted = true;
    landing.count = message.undelivered;
    message.undelivered = 0;
    message.answer_link = way_back_[landing.link];
    queue_answer(id, 1, landing.time);
}

bool SweepNetwork::may_go_ahead(Time limit) const {
    constexpr std::size_t many_landings = 1 << 15;  // the cache holds no more until they are told
    const SweepPlane& plane = planes_.front();
    const Time end = start_ + plane.long_window();
    if (outlook_ == nullptr || account_.trace.on() || plane.long_window() <= plane.window() ||
        due_landings_.size() > many_landings || limit < end || std::min(attention(), first_landing()) >= end ||
        (!alarms_.empty() && alarms_.top().first < end)) {
        return false;
    }
    Bytes largest{0};
    for (const SweepPlane& one : planes_) {
        largest = std::max(largest, one.largest());
    }
    return outlook_->first_reaction({start_, plane.apart(), plane.most_ports() * plane_count_, largest}) >= end;
}

void SweepNetwork::go_ahead() {
    const Time end = start_ + planes_.front().long_window();
    for (std::size_t i = landed_; answers_ && i < due_landings_.size(); ++i) {
        __builtin_prefetch(message_later(i));
        planes_[due_landings_[i].slot].answer_early(due_landings_[i]);
    }
    on_planes([end](SweepPlane& plane) { plane.run_ahead(end); });
    decided_ = end;
    begin_window(end);
}

}  // namespace simlette
