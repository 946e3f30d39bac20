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

    // Calls work(part) for each part below `parts`, each on any thread, and returns when all are done. Of equally many
    // parts one comes to the same thread each time, whose cache knows it, unless that one lags behind. Parts must not
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

    // What one thread takes before it helps the others: parts from `next` to `end`.
    struct alignas(64) Share {
        std::atomic<std::size_t> next{0};
        std::size_t end = 0;
    };

    void begin(const Task& task);
    void serve(std::size_t who);
    void take_parts(std::size_t who);
    void take_part(std::size_t part);

    std::vector<std::thread> others_;
    Task task_;
    std::atomic<std::uint32_t> round_{0};  // of tasks; the last one ends the threads
    std::vector<Share> shares_;            // of each thread
    std::atomic<std::uint32_t> working_{0};
    std::mutex failing_;
    std::exception_ptr failure_;
    std::size_t failed_ = 0;  // part
};

}  // namespace simlette
