#include <simlette/base/crew.hpp>

#include <system_error>
#include <utility>

namespace simlette {

Crew::Crew(unsigned threads) {
    others_.reserve(threads);
    try {
        for (unsigned i = 1; i < threads; ++i) {
            others_.emplace_back([this] { serve(); });
        }
    } catch (const std::system_error&) {  // those there are do all
    }
}

Crew::~Crew() {
    task_ = {};
    ++round_;
    round_.notify_all();
    for (std::thread& one : others_) {
        one.join();
    }
}

void Crew::begin(const Task& task) {
    task_ = task;
    next_ = 0;
    working_ = static_cast<std::uint32_t>(others_.size());
    ++round_;
    round_.notify_all();
    take_parts();
    for (std::uint32_t still = working_; still > 0; still = working_) {
        working_.wait(still);
    }
    if (failure_ != nullptr) {
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
}

void Crew::serve() {
    for (std::uint32_t seen = 0;;) {
        round_.wait(seen);
        ++seen;
        if (task_.call == nullptr) {
            return;
        }
        take_parts();
        if (--working_ == 0) {
            working_.notify_one();
        }
    }
}

void Crew::take_parts() {
    for (std::size_t part = next_++; part < task_.parts; part = next_++) {
        try {
            task_.call(task_.what, part);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(failing_);
            if (failure_ == nullptr || part < failed_) {
                failure_ = std::current_exception();
                failed_ = part;
            }
        }
    }
}

}  // namespace simlette
