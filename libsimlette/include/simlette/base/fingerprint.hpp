// A short name for a text, equal on every platform: two texts that differ have, in practice, two names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace simlette {

// FNV-1a, 64 bits (Fowler, Noll, Vo).
constexpr std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
    return hash;
}

// Sixteen hexadecimal digits.
inline std::string hex_text(std::uint64_t value) {
    std::string text(16, '0');
    for (std::size_t digit = 16; digit-- > 0; value >>= 4) {
        text[digit] = "0123456789abcdef"[value & 15U];
    }
    return text;
}

}  // namespace simlette
