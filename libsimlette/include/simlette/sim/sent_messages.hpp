// Messages of synthetic traffic that are queued or under way, in memory that follows how many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <simlette/base/contract.hpp>
#include <simlette/base/mix.hpp>
#include <simlette/base/units.hpp>

namespace simlette {

struct SentMessage {
    std::uint32_t rank = 0;         // its source
    std::uint32_t number = 0;       // among those of the rank
    std::uint32_t destination = 0;  // rank
    Bytes undelivered{0};           // 0: a free slot
    Time created;
};

// A hash table with open addressing: none of its messages stands behind a free slot that its search would meet.
class SentMessages {
public:
    // Requires: it is not there, some of it is undelivered.
    void add(const SentMessage& message) {
        if (2 * used_ >= slots_.size()) {
            grow();
        }
        std::size_t at = first_slot(message.rank, message.number);
        while (slots_[at].undelivered.count > 0) {
            require(!is(slots_[at], message.rank, message.number), "a rank has fewer than 2^32 messages under way");
            at = after(at);
        }
        slots_[at] = message;
        ++used_;
    }

    // Good until the next add() or remove(). Requires: it is there.
    SentMessage& find(std::uint32_t rank, std::uint32_t number) { return slots_[slot_of(rank, number)]; }
    const SentMessage& find(std::uint32_t rank, std::uint32_t number) const { return slots_[slot_of(rank, number)]; }

    // Those behind it move up. Requires: it stands here.
    void remove(const SentMessage& message) {
        auto free = static_cast<std::size_t>(&message - slots_.data());
        for (std::size_t at = after(free); slots_[at].undelivered.count > 0; at = after(at)) {
            const std::size_t first = first_slot(slots_[at].rank, slots_[at].number);
            if (((at - first) & mask()) >= ((at - free) & mask())) {
                slots_[free] = slots_[at];
                free = at;
            }
        }
        slots_[free].undelivered = {0};
        --used_;
    }

private:
    static bool is(const SentMessage& message, std::uint32_t rank, std::uint32_t number) {
        return message.rank == rank && message.number == number;
    }
    std::size_t mask() const { return slots_.size() - 1; }
    std::size_t after(std::size_t slot) const { return (slot + 1) & mask(); }
    std::size_t first_slot(std::uint32_t rank, std::uint32_t number) const {
        return mix(std::uint64_t{rank} << 32U | number) & mask();
    }
    std::size_t slot_of(std::uint32_t rank, std::uint32_t number) const {
        require(used_ > 0, "a message is asked for while it is under way");
        std::size_t at = first_slot(rank, number);
        while (!is(slots_[at], rank, number) || slots_[at].undelivered.count == 0) {
            require(slots_[at].undelivered.count > 0, "a message is asked for while it is under way");
            at = after(at);
        }
        return at;
    }
    void grow() {
        std::vector<SentMessage> before(slots_.empty() ? 64 : 2 * slots_.size());
        before.swap(slots_);
        used_ = 0;
        for (const SentMessage& message : before) {
            if (message.undelivered.count > 0) {
                add(message);
            }
        }
    }

    std::vector<SentMessage> slots_;  // a power of two, at most half of them used
    std::size_t used_ = 0;
};

}  // namespace simlette
