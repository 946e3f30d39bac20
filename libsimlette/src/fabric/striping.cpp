#include <simlette/fabric/striping.hpp>

#include <simlette/link/flit.hpp>

namespace simlette {

std::uint32_t Striping::choose(const OutMessage& message, std::uint32_t source, std::int64_t before,
                               std::uint32_t candidates) const {
    switch (routing_.policy) {
        case RoutingPolicy::hashed:
            return static_cast<std::uint32_t>(mix(mix(seed_, source), message.destination) % candidates);
        case RoutingPolicy::fixed:
            return message.destination % candidates;
        case RoutingPolicy::spray:
            break;
    }
    return start(before, 1, candidates);
}

Striping::Share Striping::sprayed(const OutMessage& message, std::uint32_t start, std::uint32_t candidates,
                                  std::uint32_t position) {
    // Flit j goes to candidate (start + j) mod candidates.
    const std::int64_t first = position >= start ? position - start : position + candidates - start;
    if (first >= message.flits) {
        return {};
    }
    const std::int64_t flits = 1 + (message.flits - 1 - first) / candidates;
    const bool has_last = first + (flits - 1) * candidates == message.flits - 1;
    const std::int64_t missing = has_last ? message.flits * flit_bytes.count - message.bytes.count : 0;
    return {flits, {flits * flit_bytes.count - missing}};
}

}  // namespace simlette
