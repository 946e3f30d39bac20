#include <simlette/base/large_pages.hpp>

#include <cstdlib>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace simlette {

void* allocate_large_pages(std::size_t bytes) {
    const std::size_t rounded = (bytes + large_page - 1) / large_page * large_page;
    void* memory = std::aligned_alloc(large_page, rounded);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
#ifdef MADV_HUGEPAGE
    madvise(memory, rounded, MADV_HUGEPAGE);  // a wish: its refusal costs time alone
#endif
    return memory;
}

void free_large_pages(void* memory) noexcept {
    std::free(memory);
}

}  // namespace simlette
