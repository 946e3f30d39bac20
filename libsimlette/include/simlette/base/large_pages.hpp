// Memory for large arrays that are gone through at random: on large pages where the system has them, so that a first
// touch and a look-up of an address cost less.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace simlette {

// Of a std::vector. What takes less than two large pages comes from the heap.
template <class T>
class LargePages {
public:
    using value_type = T;

    LargePages() = default;
    template <class Other>
    LargePages(const LargePages<Other>&) {}  // NOLINT(google-explicit-constructor): allocators convert

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < least) {
            return static_cast<T*>(::operator new(bytes, alignment()));
        }
        const std::size_t rounded = (bytes + page - 1) / page * page;
        void* memory = std::aligned_alloc(page, rounded);
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
#ifdef MADV_HUGEPAGE
        madvise(memory, rounded, MADV_HUGEPAGE);  // a wish: its refusal costs time alone
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        if (count * sizeof(T) < least) {
            ::operator delete(memory, alignment());
        } else {
            std::free(memory);
        }
    }

    friend bool operator==(const LargePages&, const LargePages&) { return true; }
    friend bool operator!=(const LargePages&, const LargePages&) { return false; }

private:
    static constexpr std::size_t page = std::size_t{2} << 20U;
    static constexpr std::size_t least = 2 * page;
    static constexpr std::align_val_t alignment() { return std::align_val_t{alignof(T)}; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace simlette
