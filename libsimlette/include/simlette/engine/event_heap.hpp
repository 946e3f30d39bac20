// A binary heap, for what is not pushed in the order of its time. A pop leaves the front free, and a push that follows
// fills it: both together take one way down the heap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace simlette {

// `a < b`: a comes first. Equal ones come in any order.
template <class T>
class EventHeap {
public:
    bool empty() const { return items_.size() == (popped_ ? 1 : 0); }
    // Requires: !empty().
    const T& first() const { return items_[popped_ ? first_child(0) : 0]; }

    void push(const T& item) {
        if (popped_) {
            popped_ = false;
            sink(item);
            return;
        }
        items_.push_back(item);
        std::size_t place = items_.size() - 1;
        for (; place > 0 && item < items_[(place - 1) / 2]; place = (place - 1) / 2) {
            items_[place] = items_[(place - 1) / 2];
        }
        items_[place] = item;
    }

    // Takes the first one. Requires: !empty().
    T pop() {
        if (popped_) {
            const T last = items_.back();
            items_.pop_back();
            sink(last);
        }
        popped_ = true;
        return items_.front();
    }

    void clear() {
        items_.clear();
        popped_ = false;
    }

private:
    // Requires: there is one.
    std::size_t first_child(std::size_t place) const {
        const std::size_t left = 2 * place + 1;
        return left + (left + 1 < items_.size() && items_[left + 1] < items_[left] ? 1 : 0);
    }
    // Puts it where the front is free.
    void sink(const T& item) {
        std::size_t place = 0;
        while (2 * place + 1 < items_.size()) {
            const std::size_t child = first_child(place);
            if (!(items_[child] < item)) {
                break;
            }
            items_[place] = items_[child];
            place = child;
        }
        items_[place] = item;
    }

    std::vector<T> items_;  // no child comes before its parent
    bool popped_ = false;   // the front is free
};

}  // namespace simlette
