#include "progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace simlette::program {

bool shows_progress(ProgressChoice choice) {
    return choice == ProgressChoice::always || (choice == ProgressChoice::automatic && ::isatty(STDERR_FILENO) != 0);
}

std::string progress_text(const RunProgress& progress) {
    const auto delivered = static_cast<double>(progress.payload_delivered);
    const auto due = static_cast<double>(progress.payload_due);
    const double share = due > 0 ? delivered / due : 0;
    const double rate = progress.wall_seconds > 0 ? static_cast<double>(progress.events) / progress.wall_seconds : 0;
    char text[128];
    std::snprintf(text, sizeof text, "%3.0f %%  %.3f us  %.1f M events/s", 100 * share,
                  static_cast<double>(progress.now.ps) / 1e6, rate / 1e6);
    std::string line = text;
    if (share > 0) {
        std::snprintf(text, sizeof text, "  %.0f s left", progress.wall_seconds * (1 - share) / share);
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

void ProgressLine::draw(const RunProgress& progress) {
    drawn_ = true;
    if (terminal_) {
        std::fprintf(stderr, "\r\033[K%s", progress_text(progress).c_str());
    } else {
        std::fprintf(stderr, "%s\n", progress_text(progress).c_str());
    }
}

}  // namespace simlette::program
