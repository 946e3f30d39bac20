// The hold model: a queue keeps its size while the next event is taken and pushed again, later by one of four delays.
#pragma once

#include <array>
#include <cstdint>

#include <simlette/base/random.hpp>
#include <simlette/base/units.hpp>
#include <simlette/engine/event.hpp>

namespace simlette {

// Time counts femtoseconds here, so that even a million pending events find instants of their own.
template <class Queue>
class HoldModel {
public:
    // Events start in groups of 2^group_bits at one instant, and a group stays together.
    HoldModel(std::uint32_t pending, std::uint32_t group_bits) : group_bits_(group_bits) {
        constexpr std::array<Duration, 4> delays{{{12'800'000}, {255'000'000}, {300'000'000}, {520'000'000}}};
        for (std::size_t i = 0; i < delays.size(); ++i) {
            lanes_[i] = queue_.lane(Turn::deliver, delays[i]);
        }
        Random random(1);
        for (std::uint8_t& draw : draws_) {
            draw = static_cast<std::uint8_t>(random.below(delays.size()));
        }
        const std::uint32_t groups = ((pending - 1) >> group_bits) + 1;
        const std::int64_t spacing = delays.back().ps / groups;
        Time start;
        for (std::uint32_t i = 0; i < pending; ++i) {
            if ((i & ((1U << group_bits) - 1)) == 0) {
                start = {(i >> group_bits) * spacing + random.between(0, spacing - 1)};
            }
            hold({start, i, 0});
        }
        run(pending);
    }

    // At least so many holds; returns how many it were.
    std::uint64_t run(std::uint64_t holds) {
        std::uint64_t done = 0;
        while (done < holds) {
            done += queue_.drain(queue_.next(), *this);
            ++instants_;
        }
        return done;
    }

    std::uint64_t instants() const { return instants_; }

    // Handlers of the queue.
    void deliver(const Event& event) { hold(event); }
    void credit(const Event&) {}
    void wire_free(const Event&) {}
    void inject(const Event&) {}
    void prefetch(Turn, const Event&) const {}

private:
    void hold(const Event& event) {
        const auto instant = static_cast<std::uint64_t>(event.at.ps) >> 8U;
        const std::uint8_t draw = draws_[((event.entity >> group_bits_) * 7U + instant) % draws_.size()];
        queue_.push(lanes_[draw], event.at, event.entity, 0);
    }

    Queue queue_;
    std::uint32_t group_bits_;
    std::array<typename Queue::LaneId, 4> lanes_{};
    std::array<std::uint8_t, 4096> draws_{};
    std::uint64_t instants_ = 0;
};

}  // namespace simlette
