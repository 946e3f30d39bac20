#include <simlette/base/crew.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace simlette {

namespace {

// Until it is no longer `old`. What is waited for mostly comes soon, and a thread that sleeps is woken late.
template <class Number>
void await_change(const std::atomic<Number>& number, Number old) {
    constexpr int patience = 100;
    for (int i = 0; i < patience && number == old; ++i) {
        std::this_thread::yield();
    }
    number.wait(old);
}

}  // namespace

Crew::Crew(unsigned threads) : shares_(std::max(1U, threads)) {
    others_.reserve(threads);
    try {
        for (unsigned i = 1; i < threads; ++i) {
            others_.emplace_back([this, i] { serve(i); });
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
    for (std::size_t who = 0; who < shares_.size(); ++who) {
        shares_[who].next = task.parts * who / shares_.size();
        shares_[who].end = task.parts * (who + 1) / shares_.size();
    }
    working_ = static_cast<std::uint32_t>(others_.size());
    ++round_;
    round_.notify_all();
    take_parts(0);
    for (std::uint32_t still = working_; still > 0; still = working_) {
        await_change(working_, still);
    }
    if (failure_ != nullptr) {
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
}

void Crew::serve(std::size_t who) {
    for (std::uint32_t seen = 0;;) {
        await_change(round_, seen);
        ++seen;
        if (task_.call == nullptr) {
            return;
        }
        take_parts(who);
        if (--working_ == 0) {
            working_.notify_one();
        }
    }
}

// First its own, then what others have not come to.
void Crew::take_parts(std::size_t who) {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
        Share& share = shares_[(who + i) % shares_.size()];
        for (std::size_t part = share.next++; part < share.end; part = share.next++) {
            take_part(part);
        }
    }
}

void Crew::take_part(std::size_t part) {
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

}  // namespace simlette
