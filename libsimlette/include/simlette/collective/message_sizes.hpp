// What the messages of a collective carry: equal parts of a buffer, or what a table of sizes says.
#pragma once

#include <cstdint>

#include <simlette/base/export.hpp>
#include <simlette/collective/schedule.hpp>
#include <simlette/collective/spec.hpp>

namespace simlette {

// What one send of `rank` carries.
Bytes bytes_of(const CollectiveSpec& spec, const Schedule& schedule, const Send& send, std::uint32_t rank);

// Every rank sends alike.
bool alike(const CollectiveSpec& spec, const Schedule& schedule);

// The most that a rank sends to all others or gets from them: `bytes` of the collective.
// Requires: as many columns as rows, no negative size.
SIMLETTE_EXPORT Bytes largest_buffer(const SizeTable& sizes);

// The collective with its `bytes`. Throws Error{input} if its table of sizes does not fit.
CollectiveSpec with_sizes(const CollectiveSpec& spec, std::uint32_t ranks);

}  // namespace simlette
