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

Bytes Striping::sprayed(const OutMessage& message, std::uint32_t start, std::uint32_t candidates,
                        std::uint32_t position) const {
    // Unit j goes to candidate (start + j) mod candidates.
    const std::int64_t first = position >= start ? position - start : position + candidates - start;
    const std::int64_t all = pieces(message);
    if (first >= all) {
        return {0};
    }
    const std::int64_t units = 1 + (all - 1 - first) / candidates;
    const bool has_last = first + (units - 1) * candidates == all - 1;
    const std::int64_t missing = has_last ? all * unit_.count - message.bytes.count : 0;
    return {units * unit_.count - missing};
}

}  // namespace simlette
