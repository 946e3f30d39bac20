#include <simlette/collective/overlay.hpp>

#include <algorithm>

namespace simlette {

bool Overlay::reaches(std::uint32_t source, std::uint32_t destination) const {
    if (complete()) {
        return true;
    }
    const std::vector<std::uint32_t>& peers = neighbours[source];
    return std::find(peers.begin(), peers.end(), destination) != peers.end();
}

std::optional<std::vector<Label>> Overlay::generators() const {
    if (complete() || !is_power_of_two(ranks)) {
        return std::nullopt;
    }
    for (std::uint32_t rank = 1; rank < ranks; ++rank) {
        if (neighbours[rank].size() != neighbours[0].size()) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < neighbours[rank].size(); ++i) {
            if ((neighbours[rank][i] ^ rank) != neighbours[0][i]) {
                return std::nullopt;
            }
        }
    }
    return neighbours[0];
}

}  // namespace simlette
