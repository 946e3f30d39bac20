// Memory for arrays that are gone through at random: on large pages where the system has them, so that a first touch
// and a look-up of an address cost less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <simlette/base/export.hpp>

namespace simlette {

inline constexpr std::size_t large_page = std::size_t{2} << 20U;

// At most PTRDIFF_MAX. Throws std::bad_alloc. Given back by free_large_pages().
SIMLETTE_EXPORT void* allocate_large_pages(std::size_t bytes);
SIMLETTE_EXPORT void free_large_pages(void* memory, std::size_t bytes) noexcept;

// At most largest_block bytes, of a page that many share; begins at a line of the cache and has it for itself. What is
// given back is kept for whoever asks next.
inline constexpr std::size_t largest_block = 4096;
SIMLETTE_EXPORT void* allocate_block(std::size_t bytes);
SIMLETTE_EXPORT void free_block(void* memory, std::size_t bytes) noexcept;

// Allocator of a std::vector. What is neither small nor takes two large pages comes from the heap.
template <class T>
class LargePages {
public:
    using value_type = T;

    LargePages() = default;
    template <class Other>
    LargePages(const LargePages<Other>&) noexcept {}

    T* allocate(std::size_t count) {
        if (count > PTRDIFF_MAX / sizeof(T)) {
            throw std::bad_array_new_length();
        }
        const std::size_t bytes = count * sizeof(T);
        return static_cast<T*>(bytes <= largest_block ? allocate_block(bytes)
                               : bytes < least        ? ::operator new(bytes, alignment)
                                                      : allocate_large_pages(bytes));
    }
    void deallocate(T* memory, std::size_t count) noexcept {
        const std::size_t bytes = count * sizeof(T);
        if (bytes <= largest_block) {
            free_block(memory, bytes);
        } else if (bytes < least) {
            ::operator delete(memory, alignment);
        } else {
            free_large_pages(memory, bytes);
        }
    }

    friend bool operator==(const LargePages&, const LargePages&) { return true; }
    friend bool operator!=(const LargePages&, const LargePages&) { return false; }

private:
    static constexpr std::size_t least = 2 * large_page;
    static constexpr std::align_val_t alignment{64};  // that of a block
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace simlette
