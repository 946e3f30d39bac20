#include <simlette/base/large_pages.hpp>

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

}  // namespace simlette
