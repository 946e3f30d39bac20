#include <simlette/fabric/port_log.hpp>

namespace simlette {

void PortLog::depart(std::uint32_t message, bool last, const PassageRecord& flit) {
    const auto [open, fresh] = open_.try_emplace({message, flit.link}, no_id);
    if (fresh && passages_.size() < limit_) {
        open->second = static_cast<std::uint32_t>(passages_.size());
        passages_.push_back(flit);
    } else if (fresh) {
        ++left_out_;
    }
    if (open->second != no_id) {
        PassageRecord& passage = passages_[open->second];
        passage.end = flit.end;
        passage.whole = last;
        ++passage.flits;
    }
    if (last) {
        open_.erase(open);
    }
}

void PortLog::finish(std::uint32_t message) {
    auto open = open_.lower_bound({message, 0});
    while (open != open_.end() && open->first.first == message) {
        if (open->second != no_id) {
            passages_[open->second].whole = true;
        }
        open = open_.erase(open);
    }
}

void PortLog::stall(const StallRecord& stall) {
    if (stalls_.size() < limit_) {
        stalls_.push_back(stall);
    } else {
        ++left_out_;
    }
}

void PortLog::clear() {
    passages_.clear();
    stalls_.clear();
    open_.clear();
    left_out_ = 0;
}

}  // namespace simlette
