#include <simlette/study/link_history.hpp>

#include <utility>

#include <simlette/base/contract.hpp>

namespace simlette {

namespace {

UseSpan span_of(const LinkLevels& levels, Time start, Time end, const std::vector<Duration>* before,
                const std::vector<Duration>& after) {
    UseSpan span{start, end, std::vector<UseSpan::Level>(levels.names.size())};
    for (std::uint32_t id = 0; id < after.size(); ++id) {
        const Duration busy = before == nullptr ? after[id] : after[id] - (*before)[id];
        UseSpan::Level& level = span.levels[levels.of[id]];
        level.busy += busy;
        ++level.links;
        if (busy > level.most) {
            level.most = busy;
            level.hottest = id;
        }
    }
    return span;
}

}  // namespace

void LinkHistory::look(std::vector<Duration> wire_time) {
    looks_.push_back(std::move(wire_time));
    if (looks_.size() < most_spans) {
        return;
    }
    for (std::size_t pair = 0; pair < most_spans / 2; ++pair) {
        looks_[pair] = std::move(looks_[2 * pair + 1]);
    }
    looks_.resize(most_spans / 2);
    width_ = width_ * 2;
}

std::vector<UseSpan> LinkHistory::spans(const LinkLevels& levels, Time end,
                                        const std::vector<Duration>& wire_time) const {
    require(end <= next(), "every span but the last was looked at");
    std::vector<UseSpan> all;
    Time start{0};
    const std::vector<Duration>* before = nullptr;
    for (const std::vector<Duration>& look : looks_) {
        all.push_back(span_of(levels, start, start + width_, before, look));
        start = all.back().end;
        before = &look;
    }
    if (start < end) {
        all.push_back(span_of(levels, start, end, before, wire_time));
    }
    return all;
}

}  // namespace simlette
