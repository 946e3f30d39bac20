#include <simlette/base/large_pages.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace simlette {

#ifdef __linux__

namespace {

std::size_t in_pages(std::size_t bytes) {
    return (bytes + large_page - 1) / large_page * large_page;
}

}  // namespace

// Straight from the system: a heap that is cut at such borders gives its pages back and asks for them over and over.
void* allocate_large_pages(std::size_t bytes) {
    const std::size_t wanted = in_pages(bytes);
    void* memory = mmap(nullptr, wanted + large_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    auto* first = static_cast<std::byte*>(memory);
    const std::size_t before = (large_page - reinterpret_cast<std::uintptr_t>(memory) % large_page) % large_page;
    if (before > 0) {
        munmap(first, before);
    }
    munmap(first + before + wanted, large_page - before);
    madvise(first + before, wanted, MADV_HUGEPAGE);  // a wish: its refusal costs time alone
    return first + before;
}

void free_large_pages(void* memory, std::size_t bytes) noexcept {
    munmap(memory, in_pages(bytes));
}

#else

void* allocate_large_pages(std::size_t bytes) {
    return ::operator new (bytes, std::align_val_t{large_page});
}

void free_large_pages(void* memory, std::size_t) noexcept {
    ::operator delete (memory, std::align_val_t{large_page});
}

#endif

// With AddressSanitizer blocks come from the heap, whose borders it watches.
#if defined(__SANITIZE_ADDRESS__)
#define SIMLETTE_WATCHED_HEAP
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMLETTE_WATCHED_HEAP
#endif
#endif

namespace {

constexpr std::size_t line = 64;

#ifndef SIMLETTE_WATCHED_HEAP

// Of whole lines of the cache, cut from large pages once much is asked for.
class Blocks {
public:
    void* take(std::size_t bytes) {
        const std::size_t lines = lines_of(bytes);
        const std::lock_guard<std::mutex> lock(mutex_);
        if (free_[lines] == nullptr) {
            return cut(lines * line);
        }
        return std::exchange(free_[lines], free_[lines]->next);
    }
    void give_back(void* memory, std::size_t bytes) noexcept {
        const std::size_t lines = lines_of(bytes);
        const std::lock_guard<std::mutex> lock(mutex_);
        free_[lines] = new (memory) Free{free_[lines]};
    }

private:
    struct Free {
        Free* next;
    };

    static std::size_t lines_of(std::size_t bytes) { return std::max<std::size_t>((bytes + line - 1) / line, 1); }

    void* cut(std::size_t bytes) {
        if (static_cast<std::size_t>(end_ - next_) < bytes) {
            next_ = static_cast<std::byte*>(chunk_ < large_page ? ::operator new (chunk_, std::align_val_t{line})
                                                                : allocate_large_pages(chunk_));
            end_ = next_ + chunk_;
            chunk_ = std::min(2 * chunk_, 8 * large_page);
        }
        return std::exchange(next_, next_ + bytes);
    }

    std::mutex mutex_;
    std::array<Free*, largest_block / line + 1> free_{};  // by lines
    std::byte* next_ = nullptr;
    std::byte* end_ = nullptr;
    std::size_t chunk_ = std::size_t{64} << 10U;  // so that little work takes little memory
};

// For as long as the process runs: what is destroyed last may still give something back.
Blocks& blocks() {
    static auto* all = new Blocks;
    return *all;
}

#endif

}  // namespace

#ifdef SIMLETTE_WATCHED_HEAP

void* allocate_block(std::size_t bytes) {
    return ::operator new (bytes, std::align_val_t{line});
}

void free_block(void* memory, std::size_t) noexcept {
    ::operator delete (memory, std::align_val_t{line});
}

#else

void* allocate_block(std::size_t bytes) {
    return blocks().take(bytes);
}

void free_block(void* memory, std::size_t bytes) noexcept {
    blocks().give_back(memory, bytes);
}

#endif

}  // namespace simlette
