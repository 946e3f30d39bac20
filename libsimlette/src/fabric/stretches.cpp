#include <simlette/fabric/stretches.hpp>

#include <utility>

namespace simlette {

Stretches::Stretches(const Injection& injection, const Striping& striping) {
    const MessageSource& messages = *injection.messages;
    const PhaseSizes sizes = messages.sizes(injection.rank, injection.phase);
    if (sizes.messages > 0 && sizes.least == sizes.most) {
        first_ = {sizes.messages, sizes.most, striping.units(sizes.most)};
        return;
    }
    std::vector<Stretch> later;
    OutMessage message;
    for (std::uint32_t i = 0; messages.message(injection.rank, injection.phase, i, message); ++i) {
        Stretch& last = later.empty() ? first_ : later.back();
        if (i > 0 && last.bytes == message.bytes) {
            last.end = i + 1;
            continue;
        }
        const Stretch next{i + 1, message.bytes, striping.units(message.bytes)};
        if (i == 0) {
            first_ = next;
        } else {
            later.push_back(next);
        }
    }
    if (!later.empty()) {
        later_ = std::make_shared<const std::vector<Stretch>>(std::move(later));
    }
}

}  // namespace simlette
