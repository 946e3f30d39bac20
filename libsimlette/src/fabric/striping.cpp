#include <simlette/fabric/striping.hpp>

namespace simlette {

std::uint32_t Striping::choose(const OutMessage& message, std::uint32_t source, std::int64_t before,
                               std::uint32_t candidates) const {
    switch (routing_.policy) {
        case RoutingPolicy::hashed:
            return static_cast<std::uint32_t>(mix(mix(seed_, source), message.destination) % candidates);
        case RoutingPolicy::fixed:
            return message.destination % candidates;
        case RoutingPolicy::spray:
        case RoutingPolicy::random:
        case RoutingPolicy::adaptive:
            break;
    }
    return start(before, 1, candidates);
}

}  // namespace simlette
