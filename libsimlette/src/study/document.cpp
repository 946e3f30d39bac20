#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <streambuf>

#include <simlette/study/document.hpp>

namespace simlette {

namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t most_values = 4'000'000;

// Ends the parse; the problem has been added.
struct Refused {};

// Lets a stream read a text without copying it. The parser only reads.
class TextBuffer : public std::streambuf {
public:
    explicit TextBuffer(const std::string& text) {
        char* begin = const_cast<char*>(text.data());
        setg(begin, begin, begin + text.size());
    }
};

// The quote that ends the text whose first quote is at `open`; npos if there is none.
std::size_t closing_quote(const std::string& text, std::size_t open) {
    const char quote = text[open];
    for (std::size_t at = open + 1; at < text.size(); ++at) {
        const bool doubled = quote == '\'' && text.compare(at, 2, "''") == 0;
        const bool escape = quote == '"' && text[at] == '\\';
        if (doubled || escape) {
            ++at;
        } else if (text[at] == quote) {
            return at;
        }
    }
    return std::string::npos;
}

class TreeBuilder : public YAML::EventHandler {
public:
    TreeBuilder(const Source& source, Problems& problems, Node& root)
        : source_(source), problems_(problems), root_(root) {}

    bool started() const { return started_; }
    bool finished() const { return finished_; }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (started_) {
            const bool marked = source_.text.compare(static_cast<std::size_t>(mark.pos), 3, "---") == 0;
            problems_.add(place_of(mark), marked ? "a second document; expected one document in a file"
                                                 : "text after the end of the document; expected one value or map");
            throw Refused{};
        }
        started_ = true;
        refuse_directives(static_cast<std::size_t>(mark.pos));
    }
    void OnDocumentEnd() override { finished_ = true; }

    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(node_at(mark)); }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        problems_.add(place_of(mark), "an alias; write the value out");
        Node node = node_at(mark);
        node.broken = true;
        add(std::move(node));
    }

    void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
        problems_.add(place_of(mark), "an anchor " + quote("&" + name) + "; write each value out where it is used");
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& text) override {
        Node node = node_at(mark);
        node.broken = refuse_tag(mark, tag) || refuse_open_quote(node.place) || refuse_control(node.place, text);
        node.kind = Node::Kind::scalar;
        node.plain = tag == "?";
        node.text = text;
        add(std::move(node));
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        refuse_tag(mark, tag);
        open(mark, Node::Kind::list);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {
        refuse_tag(mark, tag);
        open(mark, Node::Kind::map);
    }
    void OnMapEnd() override {
        refuse_duplicates(open_.back().node);
        close();
    }

private:
    struct Open {
        Node node;
        bool has_key = false;  // of a map: the next value belongs to `key`
        bool drops = false;    // the key was refused, its value goes too
        Key key;
    };

    Place place_of(const YAML::Mark& mark) const { return {&source_, mark.line + 1, mark.column + 1, mark.pos}; }

    Node node_at(const YAML::Mark& mark) {
        if (++values_ > most_values) {
            problems_.add(place_of(mark), "more than 4000000 values in one file");
            throw Refused{};
        }
        Node node;
        node.place = place_of(mark);
        return node;
    }

    bool refuse_tag(const YAML::Mark& mark, const std::string& tag) {
        const auto at = static_cast<std::size_t>(mark.pos);
        const bool bang = at < source_.text.size() && source_.text[at] == '!';
        if (bang || (tag != "?" && tag != "!" && !tag.empty())) {
            problems_.add(place_of(mark), "a tag; the key alone says what kind of value it takes");
            return true;
        }
        return false;
    }

    // The parser takes a quote that is still open in the last line for closed.
    // An escape such as `\0` would bring one in where the bytes of the file have none.
    bool refuse_control(const Place& place, const std::string& text) {
        const bool found = std::any_of(text.begin(), text.end(), [](char c) {
            return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7F;
        });
        if (found) {
            problems_.add(place, "a control character in a text; texts hold printable characters");
        }
        return found;
    }

    bool refuse_open_quote(const Place& place) {
        const auto at = static_cast<std::size_t>(place.offset);
        const bool opens = at < source_.text.size() && (source_.text[at] == '"' || source_.text[at] == '\'');
        const bool open = opens && closing_quote(source_.text, at) == std::string::npos;
        if (open) {
            problems_.add(place, "not valid YAML: a text in quotes does not end");
        }
        return open;
    }

    // The parser passes over directives that it does not know.
    void refuse_directives(std::size_t end) {
        int line = 1;
        for (std::size_t at = 0; at < end; ++line) {
            if (source_.text[at] == '%' && source_.text.compare(at, 6, "%YAML ") != 0) {
                problems_.add(Place{&source_, line, 1, static_cast<int>(at)}, "a directive; only `%YAML` is read");
            }
            at = std::min(source_.text.find('\n', at), end) + 1;
        }
    }

    void open(const YAML::Mark& mark, Node::Kind kind) {
        if (open_.size() == deepest) {
            problems_.add(place_of(mark), "nested more than 64 levels deep");
            throw Refused{};
        }
        Node node = node_at(mark);
        node.kind = kind;
        open_.push_back({std::move(node), false, false, {}});
    }

    void close() {
        Node node = std::move(open_.back().node);
        open_.pop_back();
        add(std::move(node));
    }

    void add(Node node) {
        if (open_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& parent = open_.back();
        if (parent.node.kind == Node::Kind::list) {
            parent.node.items.push_back(std::move(node));
        } else if (parent.has_key) {
            add_member(parent, std::move(node));
        } else {
            take_key(parent, node);
        }
    }

    void take_key(Open& parent, const Node& node) {
        const std::string refused = why_no_key(node);
        if (!refused.empty()) {
            problems_.add(node.place, refused);
        }
        parent.has_key = true;
        parent.drops = !refused.empty() || node.broken;
        parent.key = {node.text, node.place};
    }

    std::string why_no_key(const Node& node) const {
        if (node.broken) {
            return "";
        }
        if (node.kind == Node::Kind::null) {
            return "an empty key";
        }
        if (node.kind != Node::Kind::scalar || follows_question_mark(node.place)) {
            return "a complex key; expected a plain one, such as `ports: 8`";
        }
        return node.plain && node.text == "<<" ? "a merge key `<<`; write the keys out" : "";
    }

    bool follows_question_mark(const Place& place) const {
        auto at = static_cast<std::size_t>(place.offset);
        while (at > 0 && (source_.text[at - 1] == ' ' || source_.text[at - 1] == '\t')) {
            --at;
        }
        return at > 0 && at < static_cast<std::size_t>(place.offset) && source_.text[at - 1] == '?';
    }

    static void add_member(Open& parent, Node node) {
        parent.has_key = false;
        if (parent.drops) {
            return;
        }
        if (node.kind == Node::Kind::null && !node.broken) {
            node.place = parent.key.place;
        }
        parent.node.keys.push_back(std::move(parent.key));
        parent.node.items.push_back(std::move(node));
    }

    void refuse_duplicates(const Node& map) {
        std::vector<const Key*> sorted;
        for (const Key& key : map.keys) {
            sorted.push_back(&key);
        }
        std::stable_sort(sorted.begin(), sorted.end(), [](const Key* a, const Key* b) { return a->text < b->text; });
        const Key* first = nullptr;
        for (const Key* key : sorted) {
            if (first != nullptr && first->text == key->text && !problems_.full()) {
                problems_.add(key->place, "duplicate key " + quote(key->text) + "; it stands already in line " +
                                              std::to_string(first->place.line));
            } else {
                first = key;
            }
        }
    }

    const Source& source_;
    Problems& problems_;
    Node& root_;
    std::vector<Open> open_;
    std::size_t values_ = 0;
    bool started_ = false;
    bool finished_ = false;
};

// The parser's words where they would puzzle a reader.
std::string plain_words(const std::string& message) {
    if (message == YAML::ErrorMsg::END_OF_MAP_FLOW) {
        return "a map in braces does not end in `}`";
    }
    if (message == YAML::ErrorMsg::END_OF_SEQ_FLOW) {
        return "a list in brackets does not end in `]`";
    }
    return message == YAML::ErrorMsg::MAP_VALUE ? "a `:` where no key can stand" : message;
}

bool has_tab_in_indentation(const Source& source, const Place& place) {
    const auto offset = std::min(static_cast<std::size_t>(place.offset), source.text.size());
    const std::size_t start = offset - std::min(static_cast<std::size_t>(place.column - 1), offset);
    const std::size_t tab = source.text.find_first_not_of(' ', start);
    return tab != std::string::npos && source.text[tab] == '\t';
}

std::string syntax_message(const Source& source, const Place& place, const std::string& message) {
    const bool tab = has_tab_in_indentation(source, place);
    return "not valid YAML: " + (tab ? "a tab in the indentation; use spaces" : plain_words(message));
}

void parse(const Source& source, Problems& problems, TreeBuilder& builder) {
    TextBuffer buffer(source.text);
    std::istream in(&buffer);
    try {
        YAML::Parser parser(in);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const Refused&) {
    } catch (const YAML::Exception& error) {
        Place place{&source, error.mark.line + 1, error.mark.column + 1, error.mark.pos};
        place = error.mark.is_null() ? Place{&source, 0, 1, 0} : place;
        problems.add(place, syntax_message(source, place, error.msg));
    }
}

}  // namespace

bool parse_document(const Source& source, Problems& problems, Node& root) {
    const std::size_t before = problems.size();
    TreeBuilder builder(source, problems, root);
    parse(source, problems, builder);
    if (!builder.started() && problems.size() == before) {
        problems.add(source, source.has_lines ? "holds no values; expected a map of keys" : "the value is empty");
    }
    return builder.finished();
}

}  // namespace simlette
