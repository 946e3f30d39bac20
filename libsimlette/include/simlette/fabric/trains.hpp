// Trains of flits that wait at a switch output: of one message, from one input, arrived one flit time apart.
#pragma once

#include <cstdint>
#include <vector>

#include <simlette/base/contract.hpp>
#include <simlette/base/units.hpp>
#include <simlette/fabric/host_graph.hpp>

namespace simlette {

class Trains {
public:
    struct Train {
        std::uint32_t message = 0;
        std::uint32_t flits = 0;  // not served
        std::uint32_t next = no_id;
        std::int64_t place = 0;  // of its first flit that is not served, among all that its link sent in the channel
        Time arrival;            // of the same flit
    };
    // What one input has for one output, first come first served.
    struct Feed {
        LinkId input = 0;
        std::uint32_t first = no_id;
        std::uint32_t last = no_id;
        std::uint32_t flits = 0;  // of the first
    };
    struct Served {
        LinkId input = 0;
        std::uint32_t message = 0;
        std::uint32_t flits = 0;
        std::int64_t place = 0;
        Time arrival;
    };

    const Train& operator[](std::uint32_t id) const { return trains_[id]; }

    void append(Feed& feed, const Train& train, Duration flit_time) {
        if (feed.last != no_id) {
            Train& last = trains_[feed.last];
            if (last.message == train.message && last.arrival + flit_time * last.flits == train.arrival &&
                last.place + last.flits == train.place) {
                last.flits += train.flits;
                feed.flits = trains_[feed.first].flits;
                return;
            }
        }
        const std::uint32_t id = take(train);
        (feed.last == no_id ? feed.first : trains_[feed.last].next) = id;
        feed.last = id;
        feed.flits = trains_[feed.first].flits;
    }

    // Serves `flits` of the first train. Requires: it has as many.
    Served serve(Feed& feed, std::uint32_t flits, Duration flit_time) {
        Train& train = trains_[feed.first];
        require(flits <= train.flits, "a run ends with the first train that it uses up");
        const Served served{feed.input, train.message, flits, train.place, train.arrival};
        train.flits -= flits;
        train.place += flits;
        train.arrival = train.arrival + flit_time * flits;
        feed.flits = train.flits;
        if (train.flits == 0) {
            drop_first(feed);
        }
        return served;
    }

    // The last `flits` of the last train do not come.
    void recall(Feed& feed, std::uint32_t flits) {
        Train& train = trains_[feed.last];
        require(flits <= train.flits, "what is recalled was announced and not served");
        train.flits -= flits;
        feed.flits = trains_[feed.first].flits;
        if (train.flits > 0) {
            return;
        }
        if (feed.first == feed.last) {
            drop_first(feed);
            return;
        }
        std::uint32_t before = feed.first;
        while (trains_[before].next != feed.last) {
            before = trains_[before].next;
        }
        give_back(feed.last);
        trains_[before].next = no_id;
        feed.last = before;
    }

    void clear() {
        trains_.clear();
        free_ = no_id;
    }

private:
    std::uint32_t take(const Train& train) {
        if (free_ == no_id) {
            trains_.push_back(train);
            return static_cast<std::uint32_t>(trains_.size() - 1);
        }
        const std::uint32_t id = free_;
        free_ = trains_[id].next;
        trains_[id] = train;
        return id;
    }
    void give_back(std::uint32_t id) {
        trains_[id].next = free_;
        free_ = id;
    }
    void drop_first(Feed& feed) {
        const std::uint32_t id = feed.first;
        feed.first = trains_[id].next;
        feed.last = feed.first == no_id ? no_id : feed.last;
        feed.flits = feed.first == no_id ? 0 : trains_[feed.first].flits;
        give_back(id);
    }

    std::vector<Train> trains_;
    std::uint32_t free_ = no_id;
};

}  // namespace simlette
