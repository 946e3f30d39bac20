#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include <simlette/base/error.hpp>
#include <simlette/collective/circulant.hpp>
#include <simlette/collective/fold.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/overlay_text.hpp>
#include <simlette/study/problems.hpp>

namespace simlette {

namespace {

const char* const forms =
    "a cube such as `Q9`, a fold `Q9[3,3,3]`, more generators `Q4+1100`, all of them `100,010,001`, a product `K4xK3`, "
    "or a circulant `Z64{1,5}` or `Z64 degree 6`";

// A best circulant is searched for; the search takes time by its ranks and degree.
constexpr std::uint32_t most_searched_ranks = 128;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

class OverlayReader {
public:
    explicit OverlayReader(std::string_view text) : text_(text) {}

    NamedOverlay read() {
        CayleyGraph graph = read_form();
        if (at_ < text_.size()) {
            fail(at_, "unexpected " + here() + "; expected the end" + after());
        }
        return {std::string(text_), std::move(graph)};
    }

private:
    [[noreturn]] void fail(std::size_t at, const std::string& message) const {
        throw Error(ErrorKind::input, fmt::format("overlay {}, column {}: {}", quote(text_), at + 1, message));
    }

    std::string here() const { return at_ < text_.size() ? quote(text_.substr(at_, 1)) : "end"; }

    bool take(std::string_view word) {
        const bool there = text_.substr(at_, word.size()) == word;
        at_ += there ? word.size() : 0;
        return there;
    }

    void expect(char c, const std::string& why) {
        if (!take(std::string_view(&c, 1))) {
            fail(at_, fmt::format("unexpected {}; expected `{}`{}", here(), c, why));
        }
    }

    std::string_view take_digits() {
        const std::size_t from = at_;
        while (at_ < text_.size() && is_digit(text_[at_])) {
            ++at_;
        }
        return text_.substr(from, at_ - from);
    }

    std::uint32_t number(const std::string& what, std::uint32_t least, std::uint32_t most) {
        const std::size_t from = at_;
        const std::string_view digits = take_digits();
        if (digits.empty()) {
            fail(from, fmt::format("unexpected {}; expected {}", here(), what));
        }
        std::uint64_t value = 0;
        for (const char digit : digits) {
            value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(digit - '0'), UINT32_MAX);
        }
        if (digits.size() > 1 && digits.front() == '0') {
            fail(from, fmt::format("{} has a leading zero", quote(digits)));
        }
        if (value < least || value > most) {
            fail(from, fmt::format("{} is {}; expected {} to {}", what, quote(digits), least, most));
        }
        return static_cast<std::uint32_t>(value);
    }

    // What may still come, for the message about what came.
    std::string after() const {
        switch (text_.front()) {
            case 'Q':
                return ", or a generator such as `+1100`";
            case 'K':
                return ", or a factor such as `xK3`";
            default:
                return "";
        }
    }

    CayleyGraph read_form() {
        if (text_.empty()) {
            fail(0, std::string("expected ") + forms);
        }
        if (take("FQ")) {
            return folded_cube();
        }
        if (take("Q")) {
            return cube();
        }
        if (text_.front() == 'K') {
            return product();
        }
        if (take("Z")) {
            return circulant();
        }
        if (text_.front() == '0' || text_.front() == '1') {
            return generators();
        }
        const std::string meant = in_capitals();
        const std::string hint = meant.empty() ? meant : "; did you mean " + quote(meant) + "?";
        fail(0, fmt::format("unexpected {}{}; expected {}", here(), hint, forms));
    }

    // The text with its first letters in capitals, if it then begins as an overlay does.
    std::string in_capitals() const {
        const std::size_t letters = std::min(text_.find_first_of("0123456789"), text_.size());
        std::string capitals(text_);
        for (std::size_t i = 0; i < letters; ++i) {
            capitals[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(capitals[i])));
        }
        const std::string start = capitals.substr(0, letters);
        const bool known = start == "Q" || start == "FQ" || start == "K" || start == "Z";
        return known && letters < text_.size() ? capitals : std::string();
    }

    std::uint32_t bits() { return number("the number of bits", 1, bits_of(most_overlay_ranks)); }

    CayleyGraph folded_cube() {
        const std::uint32_t count = bits();
        CayleyGraph graph{RankGroup::binary(count), unit_generators(count)};
        if (count > 1) {
            graph.generators.push_back(graph.group.size() - 1);
        }
        return with_more(std::move(graph), count);
    }

    CayleyGraph cube() {
        const std::uint32_t count = bits();
        CayleyGraph graph{RankGroup::binary(count), unit_generators(count)};
        if (at_ < text_.size() && text_[at_] == '[') {
            graph = graph_of(layers_of(blocks(count)));
        }
        return with_more(std::move(graph), count);
    }

    BlockFold blocks(std::uint32_t count) {
        const std::size_t from = at_;
        BlockFold fold;
        expect('[', "");
        do {
            fold.push_back(number("the bits of a block", 1, count));
        } while (take(","));
        expect(']', " or `,`");
        if (bits_of_fold(fold) != count) {
            const std::string meant = bits_of_fold(fold) <= bits_of(most_overlay_ranks)
                                          ? "; did you mean " + quote(fold_text(fold)) + "?"
                                          : std::string();
            fail(from, fmt::format("the blocks add up to {} bits; expected {}{}", bits_of_fold(fold), count, meant));
        }
        return fold;
    }

    CayleyGraph with_more(CayleyGraph graph, std::uint32_t count) {
        while (take("+")) {
            add_mask(graph, count);
        }
        return graph;
    }

    void add_mask(CayleyGraph& graph, std::uint32_t count) {
        const std::size_t from = at_;
        const std::string_view digits = take_digits();
        const Label mask = mask_of(from, digits, count);
        if (mask == 0) {
            fail(from, "a generator of zeros joins every rank to itself; expected a `1`");
        }
        if (std::find(graph.generators.begin(), graph.generators.end(), mask) != graph.generators.end()) {
            fail(from, fmt::format("generator {} is there already", quote(digits)));
        }
        graph.generators.push_back(mask);
    }

    Label mask_of(std::size_t from, std::string_view digits, std::uint32_t count) const {
        const std::size_t wrong = digits.find_first_not_of("01");
        if (wrong != std::string_view::npos) {
            fail(from + wrong, fmt::format("unexpected {}; expected `0` or `1`", quote(digits.substr(wrong, 1))));
        }
        if (digits.size() != count) {
            fail(from, fmt::format("generator {} has {} bits; expected {}", quote(digits), digits.size(), count));
        }
        Label mask = 0;
        for (const char digit : digits) {
            mask = mask << 1 | static_cast<Label>(digit - '0');
        }
        return mask;
    }

    CayleyGraph generators() {
        const auto count = static_cast<std::uint32_t>(std::min(text_.find_first_not_of("01"), text_.size()));
        if (count > bits_of(most_overlay_ranks)) {
            fail(0, fmt::format("the generators have {} bits; expected 1 to {}", count, bits_of(most_overlay_ranks)));
        }
        CayleyGraph graph{RankGroup::binary(count), {}};
        do {
            take(" ");
            add_mask(graph, count);
        } while (take(","));
        return graph;
    }

    CayleyGraph product() {
        std::vector<std::uint32_t> factors;
        std::uint64_t ranks = 1;
        do {
            const std::size_t from = at_;
            expect('K', " and the size of a complete graph");
            factors.push_back(number("the size of a complete graph", 2, most_overlay_ranks));
            ranks *= factors.back();
            if (ranks > most_overlay_ranks) {
                fail(from, fmt::format("the product has {} ranks; expected at most {}", count_text(ranks),
                                       count_text(most_overlay_ranks)));
            }
        } while (take("x"));
        if (!std::all_of(factors.begin(), factors.end(), is_power_of_two)) {
            return graph_of(layers_of_radices(factors));
        }
        BlockFold fold;
        for (const std::uint32_t factor : factors) {
            fold.push_back(bits_of(factor));
        }
        return graph_of(layers_of(fold));
    }

    CayleyGraph circulant() {
        const std::uint32_t ranks = number("the number of ranks", 3, most_overlay_ranks);
        if (take(" degree ")) {
            if (ranks > most_searched_ranks) {
                fail(1, fmt::format("the best circulant is searched for up to {} ranks; name its steps: `Z{}{{1,...}}`",
                                    most_searched_ranks, ranks));
            }
            return best_circulant(ranks, number("the degree", 2, ranks - 1));
        }
        expect('{', " and steps, or ` degree ` and a number");
        CayleyGraph graph{RankGroup::cyclic(ranks), {}};
        do {
            add_step(graph, ranks);
        } while (take(","));
        expect('}', " or `,`");
        return graph;
    }

    void add_step(CayleyGraph& graph, std::uint32_t ranks) {
        const std::size_t from = at_;
        const std::uint32_t step = number("a step", 1, ranks - 1);
        if (std::find(graph.generators.begin(), graph.generators.end(), step) != graph.generators.end()) {
            fail(from, fmt::format("step `{}` is there already; a step leads both ways", step));
        }
        graph.generators.push_back(step);
        if (2 * step != ranks) {
            graph.generators.push_back(ranks - step);
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

NamedOverlay read_overlay(std::string_view text) {
    return OverlayReader(text).read();
}

Label read_mask(const std::string& what, std::string_view text, unsigned bits) {
    if (text.size() != bits || text.find_first_not_of("01") != std::string_view::npos ||
        text.find('1') == std::string_view::npos) {
        throw Error(ErrorKind::input,
                    fmt::format("{} is {}; expected {} bits, at least one of them `1`", what, quote(text), bits));
    }
    Label mask = 0;
    for (const char digit : text) {
        mask = mask << 1 | static_cast<Label>(digit - '0');
    }
    return mask;
}

std::string label_name(Label label, const RankGroup& group) {
    if (group.is_binary()) {
        return label_text(label, static_cast<unsigned>(group.radices().size()));
    }
    if (group.is_cyclic()) {
        return std::to_string(label);
    }
    std::vector<std::uint32_t> digits;
    for (const std::uint32_t radix : group.radices()) {
        digits.push_back(label % radix);
        label /= radix;
    }
    return fmt::format("({})", fmt::join(digits, ","));
}

}  // namespace simlette
