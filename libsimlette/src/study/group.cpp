#include <algorithm>
#include <numeric>

#include <simlette/study/workload_file.hpp>

namespace simlette {

namespace {

constexpr std::int64_t most_ranks = 65'536;
const char* const group_forms = "world, a list of ranks, or a range such as `0..7`";

// `0..7`: both ends belong to it. False: the text is no range of ranks.
bool parse_range(const std::string& text, std::vector<std::uint32_t>& ranks) {
    const std::size_t dots = text.find("..");
    std::int64_t first = 0;
    std::int64_t last = 0;
    if (dots == std::string::npos || !parse_whole(text.substr(0, dots), first) ||
        !parse_whole(text.substr(dots + 2), last) || first > last || last >= most_ranks) {
        return false;
    }
    ranks.resize(static_cast<std::size_t>(last - first + 1));
    std::iota(ranks.begin(), ranks.end(), static_cast<std::uint32_t>(first));
    return true;
}

bool check_repeats(const Value& value, const std::vector<std::uint32_t>& ranks) {
    std::vector<bool> taken(most_ranks);
    bool good = true;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (taken[ranks[i]]) {
            good = value.item(i).fail(value.name() + " names rank " + std::to_string(ranks[i]) + " twice");
        }
        taken[ranks[i]] = true;
    }
    return good;
}

std::string list_text(const std::vector<std::uint32_t>& ranks) {
    std::string text = "[";
    for (const std::uint32_t rank : ranks) {
        text += (text.size() > 1 ? ", " : "") + std::to_string(rank);
    }
    return text + "]";
}

bool read_group(const Value& value, GroupText& into) {
    GroupText group;
    if (value.is_list()) {
        if (!whole_list(0, most_ranks - 1, group_forms).read(value, group.ranks) ||
            !check_repeats(value, group.ranks)) {
            return false;
        }
        group.text = list_text(group.ranks);
    } else {
        group.text = value.node().text;
        if (!value.is_scalar() || (group.text != "world" && !parse_range(group.text, group.ranks))) {
            return value.expect(group_forms);
        }
    }
    into = std::move(group);
    return true;
}

// One text for one group, however it was written.
Node write_group(const GroupText& group) {
    const std::vector<std::uint32_t>& ranks = group.ranks;
    if (ranks.empty()) {
        return text_node("world");
    }
    const bool run = std::adjacent_find(ranks.begin(), ranks.end(),
                                        [](std::uint32_t a, std::uint32_t b) { return b != a + 1; }) == ranks.end();
    if (run) {
        return text_node(std::to_string(ranks.front()) + ".." + std::to_string(ranks.back()));
    }
    return whole_list(0, most_ranks - 1, "").write(ranks);
}

}  // namespace

Kind<GroupText> group_kind() {
    Kind<GroupText> kind;
    kind.read = read_group;
    kind.write = write_group;
    kind.schema = one_of({choice_schema({"world"}),
                          map_node({{"type", text_node("string")}, {"pattern", text_node("^[0-9]+[.][.][0-9]+$")}}),
                          list_schema(whole_schema(0, most_ranks - 1))});
    return kind;
}

}  // namespace simlette
