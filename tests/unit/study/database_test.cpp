#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <simlette/study/database.hpp>

namespace {

thread_local bool no_memory = false;

}  // namespace

// Of the whole test program; they fail only where a test asks for it.
void* operator new(std::size_t bytes) {
    void* const place = no_memory ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
    if (place == nullptr) {
        throw std::bad_alloc();
    }
    return place;
}

void operator delete(void* place) noexcept {
    std::free(place);
}

void operator delete(void* place, std::size_t) noexcept {
    std::free(place);
}

namespace simlette {

TEST_CASE("a transaction that cannot even tell why it was not rolled back lets the first failure through") {
    Database database("", Database::Access::shared);
    try {
        const Transaction transaction(database);
        database.execute("ROLLBACK");  // so that of the destructor fails
        no_memory = true;
        throw 3;
    } catch (int first) {
        no_memory = false;
        CHECK(first == 3);
    }
}

}  // namespace simlette
