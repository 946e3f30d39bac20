// What a simulation holds in memory, stage by stage, in a process of its own.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include <simlette/sim/simulator.hpp>

#include "world_run.hpp"

namespace {

using namespace simlette;

// Live blocks of the heap. Small ones are only summed up.
constexpr std::size_t large = 32 * 1024;
constexpr std::size_t most_blocks = 4096;
struct Block {
    void* at;
    std::size_t bytes;
};
Block blocks[most_blocks];
std::size_t block_count = 0;
std::size_t large_bytes = 0;
std::size_t most_large_bytes = 0;

void note_block(void* at, std::size_t bytes) {
    if (bytes >= large && block_count < most_blocks) {
        blocks[block_count++] = {at, bytes};
        large_bytes += bytes;
        most_large_bytes = std::max(most_large_bytes, large_bytes);
    }
}

void forget_block(void* at) {
    Block* end = blocks + block_count;
    Block* found = std::find_if(blocks, end, [at](const Block& block) { return block.at == at; });
    if (found != end) {
        large_bytes -= found->bytes;
        *found = blocks[--block_count];
    }
}

double mebibytes(std::size_t bytes) {
    return static_cast<double>(bytes) / (1024 * 1024);
}

std::size_t resident_bytes() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void print_resident(const char* stage) {
    fmt::print("{:24} {:8.2f} MiB resident, {:8.2f} MiB in large blocks\n", stage, mebibytes(resident_bytes()),
               mebibytes(large_bytes));
}

void print_blocks() {
    std::map<std::size_t, int> by_size;
    for (std::size_t i = 0; i < block_count; ++i) {
        ++by_size[blocks[i].bytes];
    }
    fmt::print("\nlarge blocks at the end, bytes each:\n");
    for (auto it = by_size.rbegin(); it != by_size.rend(); ++it) {
        fmt::print("{:12} x {}\n", it->first, it->second);
    }
}

int run(const Setting& setting) {
    print_resident("before the fabric");
    const auto fabric = build_fabric(setting.fabric);
    print_resident("after the fabric");
    Simulator simulator(fabric);
    print_resident("after the simulator");
    simulator.register_collective(setting.collective);
    print_resident("after registering");
    const Advance end = simulator.advance();
    print_resident("at the end");
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("{:24} {:8.2f} MiB resident, {:8.2f} MiB in large blocks\n", "peak",
               mebibytes(static_cast<std::size_t>(usage.ru_maxrss) * 1024), mebibytes(most_large_bytes));
    print_blocks();
    return std::holds_alternative<Completed>(end) ? 0 : 1;
}

}  // namespace

void* operator new(std::size_t bytes) {
    void* at = std::malloc(bytes);
    if (at == nullptr) {
        throw std::bad_alloc();
    }
    note_block(at, bytes);
    return at;
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
    const auto step = static_cast<std::size_t>(alignment);
    void* at = std::aligned_alloc(step, (bytes + step - 1) / step * step);
    if (at == nullptr) {
        throw std::bad_alloc();
    }
    note_block(at, bytes);
    return at;
}

void operator delete(void* at) noexcept {
    forget_block(at);
    std::free(at);
}
void operator delete(void* at, std::size_t) noexcept {
    operator delete(at);
}
void operator delete(void* at, std::align_val_t) noexcept {
    operator delete(at);
}
void operator delete(void* at, std::size_t, std::align_val_t) noexcept {
    operator delete(at);
}

int main(int argc, char** argv) {
    const std::string device = argc == 5 ? argv[1] : "";
    if (device != "eps" && device != "ocs") {
        fmt::print(stderr, "usage: memory eps|ocs ACCELERATORS PORTS BYTES (on ocs the cube decides the ports)\n");
        return 2;
    }
    const auto accelerators = static_cast<std::uint32_t>(std::atol(argv[2]));
    const Bytes bytes{std::atol(argv[4])};
    return run(device == "ocs" ? circuit_setting(accelerators, bytes)
                               : packet_setting(accelerators, static_cast<std::uint32_t>(std::atol(argv[3])), bytes));
}
