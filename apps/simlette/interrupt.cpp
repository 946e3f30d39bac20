#include "interrupt.hpp"

#include <csignal>

namespace simlette::program {

namespace {

std::atomic<bool> stop_asked{false};

extern "C" void ask_to_stop(int) {
    stop_asked.store(true);
}

}  // namespace

const std::atomic<bool>& catch_interrupt() {
    if (stop_asked) {
        return stop_asked;  // a second interrupt ends the program, whoever asks
    }
    struct sigaction action {};
    action.sa_handler = ask_to_stop;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    return stop_asked;
}

}  // namespace simlette::program
