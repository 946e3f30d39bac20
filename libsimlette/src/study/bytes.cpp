#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include <simlette/study/document.hpp>

namespace simlette {

namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20U;

std::string system_message() {
    return std::generic_category().message(errno);
}

// Empty: the path may be opened.
std::string why_not_a_file(const std::filesystem::path& path) {
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    if (std::filesystem::is_directory(status)) {
        return "is a directory; expected a file";
    }
    if (status.type() != std::filesystem::file_type::not_found) {
        return "";
    }
    std::error_code ignored;
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, ignored))) {
        return "is a link to " + quote(std::filesystem::read_symlink(path, ignored).string()) +
               ", which does not exist";
    }
    return "there is no such file";
}

// Empty: all was read.
std::string read_stream(std::istream& in, std::string& text) {
    std::vector<char> block(std::size_t{1} << 16U);
    while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
        text.append(block.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > most_bytes) {
            return "is larger than 16 MiB";
        }
    }
    return in.bad() ? "cannot be read: " + system_message() : "";
}

std::string read_file(const std::string& path, std::string& text) {
    const std::string reason = why_not_a_file(path);
    if (!reason.empty()) {
        return reason;
    }
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        return "cannot be opened: " + system_message();
    }
    const std::string failure = read_stream(in, text);
    if (!failure.empty()) {
        return failure;
    }
    return text.empty() ? "the file is empty" : "";
}

bool starts_with(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

bool looks_like_utf16(std::string_view text) {
    const bool marked = starts_with(text, "\xFF\xFE") || starts_with(text, "\xFE\xFF");
    const bool every_other_is_zero = text.size() >= 4 && (text[0] == '\0') == (text[2] == '\0') &&
                                     (text[1] == '\0') == (text[3] == '\0') && (text[0] == '\0') != (text[1] == '\0');
    return marked || every_other_is_zero;
}

unsigned byte_at(std::string_view text, std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

// Bytes of the well-formed UTF-8 character at i (Unicode 15, table 3-7); 0 if there is none.
std::size_t character_length(std::string_view text, std::size_t i) {
    const unsigned lead = byte_at(text, i);
    if (lead < 0x80) {
        return 1;
    }
    const std::size_t length = lead >= 0xC2 && lead <= 0xDF ? 2 : (lead & 0xF0U) == 0xE0 ? 3 : lead <= 0xF4 ? 4 : 0;
    if (lead < 0xC2 || length == 0) {
        return 0;
    }
    const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    const unsigned second = byte_at(text, i + 1);
    if (second < low || second > high) {
        return 0;
    }
    for (std::size_t k = 2; k < length; ++k) {
        if ((byte_at(text, i + k) & 0xC0U) != 0x80) {
            return 0;
        }
    }
    return length;
}

std::string byte_text(unsigned byte) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    return std::string("0x") + digits[byte >> 4U] + digits[byte & 15U];
}

// Why the character of `length` bytes at i may not stand in a file; empty if it may.
std::string why_refused(std::string_view text, std::size_t i, std::size_t length) {
    const unsigned byte = byte_at(text, i);
    if (length == 0) {
        return "byte " + byte_text(byte) + " is not UTF-8";
    }
    if (byte == 0) {
        return "a NUL byte; expected UTF-8 text";
    }
    if (byte == '\r') {
        return byte_at(text, i + 1) == '\n' ? "" : "a carriage return without a line feed";
    }
    if ((byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7F) {
        return "control byte " + byte_text(byte) + "; expected UTF-8 text";
    }
    const bool second_control_set = byte == 0xC2 && byte_at(text, i + 1) < 0xA0;
    return second_control_set ? "control character U+00" + byte_text(byte_at(text, i + 1)).substr(2) : "";
}

}  // namespace

bool read_bytes(Source& source, Problems& problems) {
    const std::string failure = read_file(source.name, source.text);
    if (!failure.empty()) {
        problems.add(source, failure);
    }
    return failure.empty();
}

bool normalize_text(Source& source, Problems& problems) {
    if (looks_like_utf16(source.text)) {
        problems.add(source, "is UTF-16; save it as UTF-8");
        return false;
    }
    const std::string_view text = starts_with(source.text, "\xEF\xBB\xBF") ? std::string_view(source.text).substr(3)
                                                                           : std::string_view(source.text);
    std::string normal;
    normal.reserve(text.size());
    Place place{&source, 1, 1, 0};
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = character_length(text, i);
        std::string refused = why_refused(text, i, length);
        if (!refused.empty()) {
            place.offset = static_cast<int>(normal.size());
            source.text = std::move(normal);
            problems.add(place, std::move(refused));
            return false;
        }
        const bool line_ends = text[i] == '\n';
        if (text[i] != '\r') {
            normal.append(text.substr(i, length));
            place.column = line_ends ? 1 : place.column + static_cast<int>(length);
            place.line += line_ends ? 1 : 0;
        }
        i += length;
    }
    source.text = std::move(normal);
    return true;
}

bool load_document(Source& source, Problems& problems, Node& root) {
    return read_bytes(source, problems) && normalize_text(source, problems) && parse_document(source, problems, root);
}

}  // namespace simlette
