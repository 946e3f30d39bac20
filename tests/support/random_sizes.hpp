// Sizes of the messages of a rank: nothing, a byte, some flits, and often what the message before has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <simlette/collective/spec.hpp>

#include <support/random_case.hpp>

namespace simlette {

inline std::vector<Bytes> random_sizes(Random& random, std::uint32_t messages) {
    const std::uint64_t changes = one_of<std::uint64_t>(random, {1, 2, 8});
    std::vector<Bytes> sizes;
    for (std::uint32_t i = 0; i < messages; ++i) {
        const bool same = !sizes.empty() && !one_in(random, changes);
        const std::int64_t flits = 640 * random.between(1, one_in(random, 4) ? 90 : 9);
        sizes.push_back(same ? sizes.back()
                             : Bytes{one_of<std::int64_t>(random, {0, 1, flits, flits - random.between(0, 639)})});
    }
    return sizes;
}

// Of so many ranks.
inline CollectiveSpec random_sizes_collective(Random& random, std::uint32_t ranks) {
    SizeTable table;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        table.push_back(random_sizes(random, ranks));
    }
    table[0][1] = std::max(table[0][1], Bytes{1});
    CollectiveSpec spec;
    spec.primitive = Primitive::all_to_all;
    spec.schedule = one_in(random, 4) ? ScheduleKind::pairwise : ScheduleKind::direct;
    spec.send_order = one_in(random, 2) ? SendOrder::same : SendOrder::rotated;
    spec.sizes = std::make_shared<const SizeTable>(std::move(table));
    return spec;
}

}  // namespace simlette
