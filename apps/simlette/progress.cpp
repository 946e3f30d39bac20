#include "progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "command.hpp"
#include "interrupt.hpp"

namespace simlette::program {

ProgressChoice progress_choice(const std::string& word, bool quiet) {
    return word == "always"           ? ProgressChoice::always
           : word == "never" || quiet ? ProgressChoice::never
                                      : ProgressChoice::automatic;
}

bool shows_progress(ProgressChoice choice) {
    return choice == ProgressChoice::always || (choice == ProgressChoice::automatic && ::isatty(STDERR_FILENO) != 0);
}

std::string progress_text(const RunProgress& progress) {
    const auto delivered = static_cast<double>(progress.done);
    const auto due = static_cast<double>(progress.due);
    const double share = due > 0 ? delivered / due : 0;
    const double rate = progress.wall_seconds > 0 ? static_cast<double>(progress.events) / progress.wall_seconds : 0;
    char text[128];
    std::snprintf(text, sizeof text, "%s%3.0f %%  %.3f us  %.1f M events/s", progress.paths ? "critical path  " : "",
                  100 * share, static_cast<double>(progress.now.ps) / 1e6, rate / 1e6);
    std::string line = text;
    if (share > 0) {
        std::snprintf(text, sizeof text, "  %.0f s left", progress.wall_seconds * (1 - share) / share);
        line += text;
    }
    return line;
}

std::string progress_text(const SweepProgress& progress) {
    std::string line = std::to_string(progress.done) + " of " + std::to_string(progress.runs) + " points";
    if (progress.done > progress.before) {
        const auto now = static_cast<double>(progress.done - progress.before);
        const auto left = static_cast<double>(progress.runs - progress.done);
        char text[64];
        std::snprintf(text, sizeof text, "  %.0f s left", progress.wall_seconds * left / now);
        line += text;
    }
    return line;
}

std::string progress_text(const SearchProgress& progress) {
    const auto us = [](Duration time) { return static_cast<double>(time.ps) / 1e6; };
    std::string line = std::to_string(progress.nodes) + " nodes";
    char text[96];
    if (progress.best) {
        std::snprintf(text, sizeof text, "  best %.3f us", us(*progress.best));
        line += text;
    }
    std::snprintf(text, sizeof text, "  bound %.3f us", us(progress.bound));
    line += text;
    if (progress.best && progress.bound.ps > 0) {
        std::snprintf(text, sizeof text, "  gap %.2f %%", 100 * (us(*progress.best) / us(progress.bound) - 1));
        line += text;
    }
    return line;
}

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
    if (terminal_ && drawn_) {
        std::fputs("\r\033[K", stderr);
    }
}

void ProgressLine::draw(const std::string& text) {
    drawn_ = true;
    std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "%s\n", text.c_str());
}

Planner watched_planner(ProgressChoice choice) {
    return [shows = shows_progress(choice)](const PlanRequest& request) {
        using Clock = std::chrono::steady_clock;
        constexpr std::chrono::milliseconds patience(1'000);
        constexpr std::chrono::milliseconds interval(200);
        ProgressLine line;
        Clock::time_point next = Clock::now() + patience;
        SearchControl control;
        control.stop = &catch_interrupt();
        if (shows) {
            control.progress = [&](const SearchProgress& progress) {
                if (Clock::now() >= next) {
                    next = Clock::now() + interval;
                    line.draw(progress_text(progress));
                }
            };
        }
        return plan(request, control);
    };
}

int say_interrupted_planning() {
    std::fputs("simlette: interrupted before anything ran\n", stderr);
    return interrupted;
}

}  // namespace simlette::program
