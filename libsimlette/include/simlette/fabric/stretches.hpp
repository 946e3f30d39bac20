// The messages of an injection by their sizes, so that those alike need not be looked at one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <simlette/fabric/striping.hpp>
#include <simlette/fabric/traffic.hpp>

namespace simlette {

// Messages that follow each other and have equally many bytes.
struct Stretch {
    std::uint32_t end = 0;   // index of the message after the last
    Bytes bytes{0};          // of each
    std::int64_t units = 0;  // of each, as Striping counts them
};

// All messages of an injection, in order. Copies share what is long.
class Stretches {
public:
    Stretches() = default;
    Stretches(const Injection& injection, const Striping& striping);

    std::uint32_t size() const {
        return later_ != nullptr ? static_cast<std::uint32_t>(later_->size() + 1) : (first_.end > 0 ? 1 : 0);
    }
    const Stretch& operator[](std::uint32_t i) const { return i == 0 ? first_ : (*later_)[i - 1]; }

private:
    Stretch first_;
    std::shared_ptr<const std::vector<Stretch>> later_;  // nullptr: all messages are alike
};

}  // namespace simlette
