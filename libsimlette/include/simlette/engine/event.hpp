// What the engine keeps of the future: plain records, ordered by rule.
#pragma once

#include <cstdint>

#include <simlette/base/units.hpp>

namespace simlette {

// Whose turn it is among events of one instant. All but `decide` form phase one of the instant, in which state changes
// that commute are applied; decisions follow when all of them are in, and touch later instants only.
enum class Turn : std::uint8_t { deliver, credit, wire_free, inject, decide };

struct Event {
    Time at;
    std::uint32_t entity = 0;  // whose event it is, by id
    std::uint32_t detail = 0;  // a word for its handler
};

}  // namespace simlette
