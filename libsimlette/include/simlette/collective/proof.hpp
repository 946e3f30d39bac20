// Proof by data flow: a schedule is run on sets of contributors before any flit moves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <simlette/collective/schedule.hpp>
#include <simlette/collective/spec.hpp>

namespace simlette {

struct DataFlaw {
    // A piece of a send, by its number there; rank and peer as the schedule has them.
    struct At {
        std::uint32_t phase = 0;
        std::uint32_t rank = 0;
        std::uint32_t peer = 0;
        std::uint32_t piece = 0;
    };
    std::string text;
    std::optional<At> at;  // none: it shows at the end, or the schedule has no shape for the primitive
};

// Nothing if the schedule carries out the primitive; else the first phase, rank and slice that goes wrong.
std::optional<DataFlaw> find_data_flaw(const Schedule& schedule, Primitive primitive);

// The same in words.
std::optional<std::string> find_flaw(const Schedule& schedule, Primitive primitive);

}  // namespace simlette
