#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include <simlette/study/document.hpp>

namespace simlette {
namespace {

// A text, parsed, with its problems as people see them.
struct Parsed {
    explicit Parsed(const std::string& text) : source(problems.add_source("f", true)) {
        source.text = text;
        readable = normalize_text(source, problems) && parse_document(source, problems, root);
    }

    std::string said() const {
        try {
            problems.raise_any();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }

    Problems problems;
    Source& source;
    Node root;
    bool readable = false;
};

std::string place_text(const Node& node) {
    return std::to_string(node.place.line) + ':' + std::to_string(node.place.column);
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

}  // namespace

TEST_CASE("every value and key has its line and column") {
    const Parsed parsed(
        "# first\nports: 8\nlatency:\n  base: nominal\n  egress: {endpoint: 125 ns}\nlist: [a, \"b\"]\n");
    REQUIRE(parsed.said().empty());
    CHECK(place_text(find_deepest(parsed.root, "ports")) == "2:8");
    CHECK(place_text(find_deepest(parsed.root, "latency")) == "4:3");
    CHECK(place_text(find_deepest(parsed.root, "latency.egress.endpoint")) == "5:22");
    CHECK(place_text(find_deepest(parsed.root, "list.1")) == "6:11");
    CHECK(parsed.root.keys[1].place.line == 3);
    CHECK(find_deepest(parsed.root, "list.0").plain);
    CHECK_FALSE(find_deepest(parsed.root, "list.1").plain);
}

TEST_CASE("a byte order mark and carriage returns change neither values nor places") {
    const std::string text = "ports: 8\nlatency: {switch: 300 ns}\nname: \"two\n  lines\"\n";
    std::string other = "\xEF\xBB\xBF";
    for (const char c : text) {
        other += c == '\n' ? "\r\n" : std::string(1, c);
    }
    const Parsed plain(text);
    const Parsed marked(other);
    REQUIRE(marked.said().empty());
    CHECK(marked.source.text == plain.source.text);
    CHECK(place_text(find_deepest(marked.root, "ports")) == "1:8");
    CHECK(place_text(find_deepest(marked.root, "latency.switch")) == "2:19");
    CHECK(find_deepest(marked.root, "name").text == "two lines");
}

TEST_CASE("columns count characters, not bytes") {
    CHECK(Parsed("{\xC3\xA9: 1, \xE2\x82\xAC: 2, \xC3\xA9: 3}").said() ==
          "f:1:14: duplicate key `\xC3\xA9`; it stands already in line 1");
}

TEST_CASE("an end marker, a start marker and a YAML directive are no second document") {
    for (const char* text : {"a: 1\n...\n", "---\na: 1\n", "%YAML 1.2\n---\na: 1\n"}) {
        const Parsed parsed(text);
        CHECK(parsed.said().empty());
        CHECK(find_deepest(parsed.root, "a").text == "1");
    }
}

TEST_CASE("quotes and escapes within quotes do not end them") {
    const Parsed parsed("{a: \"b\\\"c\\\\\", d: 'it''s', e: 'two\n  lines'}");
    CHECK(parsed.said().empty());
    CHECK(find_deepest(parsed.root, "a").text == "b\"c\\");
    CHECK(find_deepest(parsed.root, "d").text == "it's");
    CHECK(find_deepest(parsed.root, "e").text == "two lines");
}

TEST_CASE("a value of one character is read") {
    const Parsed parsed("7");
    CHECK(parsed.said().empty());
    CHECK(parsed.root.text == "7");
}

TEST_CASE("what would be read twice or not as it looks is refused where it stands") {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"a: &x 1", "f:1:4: an anchor `&x`; write each value out where it is used"},
        {"a: &x 1\nb: *x",
         "f:1:4: an anchor `&x`; write each value out where it is used\n"
         "f:2:4: an alias; write the value out"},
        {"a: *x", "f:1:4: not valid YAML: the referenced anchor is not defined"},
        {"<<: {a: 1}", "f:1:1: a merge key `<<`; write the keys out"},
        {"a: !!str 1", "f:1:4: a tag; the key alone says what kind of value it takes"},
        {"a: ! 1", "f:1:4: a tag; the key alone says what kind of value it takes"},
        {"a: !mine [1]", "f:1:4: a tag; the key alone says what kind of value it takes"},
        {"? [a]\n: 1", "f:1:3: a complex key; expected a plain one, such as `ports: 8`"},
        {"{a: 1}: 1", "f:1:1: a complex key; expected a plain one, such as `ports: 8`"},
        {"? a\n: 1", "f:1:3: a complex key; expected a plain one, such as `ports: 8`"},
        {": 1", "f:1:1: an empty key"},
        {"a: 1\nb: 2\na: 3", "f:3:1: duplicate key `a`; it stands already in line 1"},
        {"a: 1\n\"a\": 2", "f:2:1: duplicate key `a`; it stands already in line 1"},
        {"a: 1\n---\nb: 2", "f:2:1: a second document; expected one document in a file"},
        {"a: 1\n---\n", "f:2:1: a second document; expected one document in a file"},
        {"[1] [2]", "f:1:5: text after the end of the document; expected one value or map"},
        {"a:\n\tb: 1", "f:2:3: not valid YAML: a tab in the indentation; use spaces"},
        {"a: {b: 1", "f:1:1: not valid YAML: a map in braces does not end in `}`"},
        {"a: \"b", "f:1:6: not valid YAML: illegal EOF in scalar"},
        {"a: 1\nb: \"c\n", "f:2:4: not valid YAML: a text in quotes does not end"},
        {"b: 'it''s\n", "f:1:4: not valid YAML: a text in quotes does not end"},
        {"%abric: direct\nseed: 1\n", "f:1:1: a directive; only `%YAML` is read"},
        {"%TAG ! tag:x,2000:\n---\nseed: 1\n", "f:1:1: a directive; only `%YAML` is read"},
        {"a: @b", "f:1:4: not valid YAML: unknown token"},
        {"# nothing", "f: holds no values; expected a map of keys"},
    };
    for (const auto& example : cases) {
        INFO(example.first);
        CHECK(Parsed(example.first).said() == example.second);
    }
}

TEST_CASE("text that nests or repeats without end is refused, not followed") {
    CHECK(Parsed(repeated("[", 100'000)).said() == "f:1:33: nested more than 64 levels deep");
    CHECK(Parsed(repeated("- ", 100'000)).said() == "f:1:129: nested more than 64 levels deep");
    CHECK(Parsed(repeated("? ", 100'000)).said() == "f:1:129: nested more than 64 levels deep");
    CHECK(Parsed(repeated("[1], ", 100'000)).said() ==
          "f:1:4: text after the end of the document; expected one value or map");
    CHECK(Parsed(repeated("a: ", 100'000)).said() == "f:1:5: not valid YAML: a `:` where no key can stand");
    CHECK(Parsed(repeated("---\n", 100'000)).said() == "f:2:1: a second document; expected one document in a file");
    CHECK(Parsed(std::string(1'000'000, 'x')).root.text.size() == 1'000'000);
}

TEST_CASE("64 levels are read and 65 are not") {
    CHECK(Parsed(std::string(64, '[') + std::string(64, ']')).said().empty());
    CHECK_FALSE(Parsed(std::string(65, '[') + std::string(65, ']')).said().empty());
}

}  // namespace simlette
