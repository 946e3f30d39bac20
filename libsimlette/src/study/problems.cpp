#include <algorithm>
#include <utility>

#include <simlette/study/problems.hpp>

namespace simlette {

namespace {

constexpr std::size_t most_reported = 20;
constexpr std::size_t most_kept = 1'000;
constexpr std::size_t longest_shown = 60;
constexpr std::size_t longest_compared = 48;

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Places count bytes; people count characters.
int column_in_characters(const Place& place) {
    const std::string_view text = place.source->text;
    const auto end = std::min(static_cast<std::size_t>(place.offset), text.size());
    const auto length = std::min(static_cast<std::size_t>(place.column - 1), end);
    const std::string_view before = text.substr(end - length, length);
    return place.column - static_cast<int>(std::count_if(before.begin(), before.end(), is_continuation));
}

Problem problem_at(const Place& place, const std::string& message) {
    Problem problem{"", 0, 0, message};
    if (place.source == nullptr) {
        return problem;
    }
    problem.file = place.source->name;
    if (place.source->has_lines && place.line > 0) {
        problem.line = place.line;
        problem.column = column_in_characters(place);
    }
    return problem;
}

// Edits between two texts, where swapping two neighbours counts as one.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                edits[i][j] = i + j;
                continue;
            }
            const std::size_t replaced = edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
            }
        }
    }
    return edits[a.size()][b.size()];
}

void append_escaped(std::string& out, char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
        out += c;
    } else if (c == '\n') {
        out += "\\n";
    } else {
        out += "\\x";
        out += "0123456789abcdef"[byte >> 4U];
        out += "0123456789abcdef"[byte & 15U];
    }
}

}  // namespace

Source& Problems::add_source(std::string name, bool has_lines) {
    return sources_.emplace_back(Source{std::move(name), "", has_lines});
}

bool Problems::full() const {
    return entries_.size() >= most_kept;
}

void Problems::add(const Place& place, std::string message) {
    if (!full()) {
        entries_.push_back({place, std::move(message)});
    }
}

void Problems::add(const Source& source, std::string message) {
    Place place;
    place.source = &source;
    add(place, std::move(message));
}

void Problems::add_new(const Problems& other) {
    for (const Entry& entry : other.entries_) {
        const bool known = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& mine) {
            return mine.place.source == entry.place.source && mine.place.offset == entry.place.offset &&
                   mine.message == entry.message;
        });
        if (!known) {
            add(entry.place, entry.message);
        }
    }
}

std::size_t Problems::count_of(const Source& source) const {
    return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(),
                                                  [&](const Entry& entry) { return entry.place.source == &source; }));
}

std::size_t Problems::order_of(const Entry& entry) const {
    std::size_t order = 0;
    while (order < sources_.size() && &sources_[order] != entry.place.source) {
        ++order;
    }
    return order;
}

void Problems::raise_any() const {
    if (entries_.empty()) {
        return;
    }
    std::vector<Entry> sorted = entries_;
    std::stable_sort(sorted.begin(), sorted.end(), [this](const Entry& a, const Entry& b) {
        return std::make_pair(order_of(a), a.place.offset) < std::make_pair(order_of(b), b.place.offset);
    });
    std::vector<Problem> problems;
    for (const Entry& entry : sorted) {
        if (problems.size() < most_reported) {
            problems.push_back(problem_at(entry.place, entry.message));
        }
    }
    throw Error(std::move(problems));
}

std::string quote(std::string_view text) {
    std::string shown = "`";
    std::size_t end = std::min(text.size(), longest_shown);
    while (end > 0 && end < text.size() && is_continuation(text[end])) {
        --end;
    }
    for (const char c : text.substr(0, end)) {
        append_escaped(shown, c);
    }
    return shown + (end < text.size() ? "...`" : "`");
}

std::string alternatives(const std::vector<std::string>& texts) {
    std::string joined;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        joined += i == 0 ? "" : i + 1 == texts.size() ? " or " : ", ";
        joined += texts[i];
    }
    return joined;
}

std::string nearest(std::string_view text, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t least = 0;
    if (text.size() > longest_compared) {
        return best;
    }
    for (const std::string& candidate : candidates) {
        const std::size_t edits = distance(text, candidate);
        if (2 * edits <= std::max(text.size(), candidate.size()) && (best.empty() || edits < least)) {
            best = candidate;
            least = edits;
        }
    }
    return best;
}

}  // namespace simlette
