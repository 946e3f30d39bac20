// Integer quantities with a type: simulated time, bytes, rates. No floating point touches them.
//
// Time is counted in picoseconds: the flit of 640 bytes takes a whole number of them at 100, 200, 400, 800, 1600 and
// 3200 Gb/s. The range of 2^63 - 1 ps is 106.7 days. The tick is fixed here and nowhere else.
#pragma once

#include <cstdint>
#include <limits>

namespace simlette {

inline constexpr std::int64_t ps_per_second = 1'000'000'000'000;

// A span of simulated time, in picoseconds. May be negative as a difference.
struct Duration {
    std::int64_t ps = 0;

    friend constexpr Duration operator+(Duration a, Duration b) { return {a.ps + b.ps}; }
    friend constexpr Duration operator-(Duration a, Duration b) { return {a.ps - b.ps}; }
    friend constexpr Duration operator*(Duration a, std::int64_t times) { return {a.ps * times}; }
    friend constexpr Duration operator*(std::int64_t times, Duration a) { return {a.ps * times}; }
    constexpr Duration& operator+=(Duration other) {
        ps += other.ps;
        return *this;
    }
    friend constexpr bool operator==(Duration a, Duration b) { return a.ps == b.ps; }
    friend constexpr bool operator!=(Duration a, Duration b) { return a.ps != b.ps; }
    friend constexpr bool operator<(Duration a, Duration b) { return a.ps < b.ps; }
    friend constexpr bool operator>(Duration a, Duration b) { return a.ps > b.ps; }
    friend constexpr bool operator<=(Duration a, Duration b) { return a.ps <= b.ps; }
    friend constexpr bool operator>=(Duration a, Duration b) { return a.ps >= b.ps; }
};

// An instant of simulated time, in picoseconds since the start of the simulation.
struct Time {
    std::int64_t ps = 0;

    // Later than every instant that can be simulated.
    static constexpr Time never() { return {std::numeric_limits<std::int64_t>::max()}; }

    friend constexpr Time operator+(Time t, Duration d) { return {t.ps + d.ps}; }
    friend constexpr Time operator-(Time t, Duration d) { return {t.ps - d.ps}; }
    friend constexpr Duration operator-(Time a, Time b) { return {a.ps - b.ps}; }
    friend constexpr bool operator==(Time a, Time b) { return a.ps == b.ps; }
    friend constexpr bool operator!=(Time a, Time b) { return a.ps != b.ps; }
    friend constexpr bool operator<(Time a, Time b) { return a.ps < b.ps; }
    friend constexpr bool operator>(Time a, Time b) { return a.ps > b.ps; }
    friend constexpr bool operator<=(Time a, Time b) { return a.ps <= b.ps; }
    friend constexpr bool operator>=(Time a, Time b) { return a.ps >= b.ps; }
};

struct Bytes {
    std::int64_t count = 0;

    friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
    friend constexpr Bytes operator*(Bytes a, std::int64_t times) { return {a.count * times}; }
    friend constexpr bool operator==(Bytes a, Bytes b) { return a.count == b.count; }
    friend constexpr bool operator!=(Bytes a, Bytes b) { return a.count != b.count; }
    friend constexpr bool operator<(Bytes a, Bytes b) { return a.count < b.count; }
};

// Bits per second of payload, one direction.
struct BitRate {
    std::int64_t per_second = 0;

    friend constexpr bool operator==(BitRate a, BitRate b) { return a.per_second == b.per_second; }
    friend constexpr bool operator!=(BitRate a, BitRate b) { return a.per_second != b.per_second; }
};

// Requires: a >= 0, b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return a / b + (a % b != 0 ? 1 : 0);
}

namespace literals {

constexpr Duration operator""_ps(unsigned long long n) {
    return {static_cast<std::int64_t>(n)};
}
constexpr Duration operator""_ns(unsigned long long n) {
    return {static_cast<std::int64_t>(n) * 1'000};
}
constexpr Duration operator""_us(unsigned long long n) {
    return {static_cast<std::int64_t>(n) * 1'000'000};
}
constexpr Bytes operator""_B(unsigned long long n) {
    return {static_cast<std::int64_t>(n)};
}
constexpr Bytes operator""_KiB(unsigned long long n) {
    return {static_cast<std::int64_t>(n) * 1024};
}
constexpr Bytes operator""_MiB(unsigned long long n) {
    return {static_cast<std::int64_t>(n) * 1024 * 1024};
}
constexpr BitRate operator""_Gbps(unsigned long long n) {
    return {static_cast<std::int64_t>(n) * 1'000'000'000};
}

}  // namespace literals

}  // namespace simlette
