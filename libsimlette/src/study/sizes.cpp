#include <algorithm>

#include <simlette/study/sizes.hpp>

namespace simlette {

namespace {

constexpr Bytes most_bytes{std::int64_t{1} << 40};
const char* const table_form =
    "a list of rows, such as [[0 B, 64 KiB], [1 KiB, 0 B]], or a CSV file of bytes, such as `sizes.csv`";

bool read_size(const Value& value, Bytes& into) {
    const bool zero = value.is_scalar() && value.node().plain && value.node().text == "0";
    return zero || size_kind({0}, most_bytes).read(value, into);
}

bool read_row(const Value& value, SizesText& into) {
    if (!value.is_list() || value.node().items.empty()) {
        return value.is_list() ? value.fail(value.name() + " is empty; expected a size for each rank")
                               : value.expect("a list of sizes, such as [0 B, 64 KiB]");
    }
    std::vector<Bytes> row(value.node().items.size());
    bool good = true;
    for (std::size_t i = 0; i < row.size() && !value.hopeless(); ++i) {
        good = read_size(value.item(i), row[i]) && good;
    }
    into.table.push_back(std::move(row));
    into.rows.push_back(value.node().place);
    return good;
}

bool read_sizes(const Value& value, SizesText& into) {
    if (value.is_scalar() && names_file(value.node().text)) {
        into.file = value.node().text;
        return true;
    }
    if (!value.is_list() || value.node().items.empty()) {
        return value.is_list() ? value.fail(value.name() + " is empty; expected " + table_form)
                               : value.expect(table_form);
    }
    bool good = true;
    for (std::size_t i = 0; i < value.node().items.size() && !value.hopeless(); ++i) {
        good = read_row(value.item(i), into) && good;
    }
    return good;
}

Node write_sizes(const SizesText& sizes) {
    std::vector<Node> rows;
    for (const std::vector<Bytes>& row : sizes.table) {
        std::vector<Node> items;
        for (const Bytes size : row) {
            items.push_back(text_node(size_text(size)));
        }
        rows.push_back(list_node(std::move(items)));
    }
    return rows.empty() ? Node{} : list_node(std::move(rows));
}

// One line of a table at a time.
class CsvReader {
public:
    CsvReader(const Source& source, Problems& problems, SizesText& into)
        : source_(source), problems_(problems), into_(into) {}

    bool run() {
        const std::size_t before = problems_.size();
        for (std::size_t start = 0; start < source_.text.size() && !problems_.full(); ++line_) {
            const std::size_t end = std::min(source_.text.find('\n', start), source_.text.size());
            read_line(start, end);
            start = end + 1;
        }
        if (problems_.size() == before && into_.rows.empty()) {
            problems_.add(source_, "has no rows; expected whole numbers of bytes with commas between them");
        }
        return problems_.size() == before;
    }

private:
    void read_line(std::size_t start, std::size_t end) {
        line_start_ = start;
        if (source_.text[start] == '#' || trimmed(start, end).empty()) {
            return;
        }
        into_.rows.push_back(place(start));
        into_.table.emplace_back();
        for (std::size_t cell = start; cell <= end;) {
            const std::size_t comma = std::min(source_.text.find(',', cell), end);
            read_cell(cell, comma);
            cell = comma + 1;
        }
    }

    void read_cell(std::size_t start, std::size_t end) {
        const std::string text = trimmed(start, end);
        std::int64_t bytes = 0;
        if (!parse_whole(text, bytes) || most_bytes < Bytes{bytes}) {
            problems_.add(place(start),
                          quote(text) + " is no size; expected " + whole_range(0, most_bytes.count) + ", in bytes");
        }
        into_.table.back().push_back({bytes});
    }

    std::string trimmed(std::size_t start, std::size_t end) const {
        const std::string text = source_.text.substr(start, end - start);
        const std::size_t first = text.find_first_not_of(" \t");
        return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
    }

    Place place(std::size_t at) const {
        return {&source_, line_, static_cast<int>(at - line_start_) + 1, static_cast<int>(at)};
    }

    const Source& source_;
    Problems& problems_;
    SizesText& into_;
    int line_ = 1;
    std::size_t line_start_ = 0;
};

}  // namespace

Kind<SizesText> sizes_kind() {
    Kind<SizesText> kind;
    kind.read = read_sizes;
    kind.write = write_sizes;
    const Node size = one_of({quantity_schema(size_units()), whole_schema(0, 0)});
    kind.schema = one_of({list_schema(list_schema(size)), file_schema()});
    return kind;
}

bool read_csv(const Source& source, Problems& problems, SizesText& into) {
    return CsvReader(source, problems, into).run();
}

}  // namespace simlette
