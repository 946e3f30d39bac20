#include <simlette/fabric/striping.hpp>

namespace simlette {

std::uint32_t Striping::choose(const OutMessage& message, std::uint32_t source, std::uint32_t candidates) const {
    const std::uint64_t drawn = routing_.policy == RoutingPolicy::hashed ? mix(mix(seed_, source), message.destination)
                                                                         : std::uint64_t{message.destination};
    return static_cast<std::uint32_t>(drawn % candidates);
}

}  // namespace simlette
