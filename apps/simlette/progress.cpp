#include "progress.hpp"

#include <unistd.h>

#include <cstdio>

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
    std::snprintf(text, sizeof text, "%s%3.0f %%  %.3f us  %.1f M events/s", progress.again ? "critical path  " : "",
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

}  // namespace simlette::program
