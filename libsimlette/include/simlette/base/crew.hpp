// Threads that share out the parts of one task after another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace simlette {

class Crew {
public:
    // So many threads, the one that calls share() among them; fewer if the system refuses them.
    explicit Crew(unsigned threads);
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    // Calls work(part) for each part below `parts`, each on any thread, and returns when all are done. Parts must not
    // touch what others change. Throws what one of them threw, the lowest of those that did.
    template <class Work>
    void share(std::size_t parts, Work& work) {
        begin({[](void* what, std::size_t part) { (*static_cast<Work*>(what))(part); }, &work, parts});
    }

private:
    struct Task {
        void (*call)(void* what, std::size_t part) = nullptr;
        void* what = nullptr;
        std::size_t parts = 0;
    };

    void begin(const Task& task);
    void serve();
    void take_parts();

    std::vector<std::thread> others_;
    Task task_;
    std::atomic<std::uint32_t> round_{0};  // of tasks; the last one ends the threads
    std::atomic<std::size_t> next_{0};     // part
    std::atomic<std::uint32_t> working_{0};
    std::mutex failing_;
    std::exception_ptr failure_;
    std::size_t failed_ = 0;  // part
};

}  // namespace simlette
