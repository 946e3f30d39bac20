// Rows of tests/vectors/overlays.txt.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/base/label.hpp>

namespace simlette {

using VectorRow = std::vector<std::string>;  // without the word in front

inline std::vector<VectorRow> overlay_vectors(const std::string& kind) {
    std::ifstream file("tests/vectors/overlays.txt");
    std::vector<VectorRow> rows;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string word;
        if (words >> word && word == kind) {
            rows.emplace_back();
            while (words >> word) {
                rows.back().push_back(word);
            }
        }
    }
    REQUIRE_FALSE(rows.empty());
    return rows;
}

inline std::uint32_t number_of(const std::string& text) {
    return static_cast<std::uint32_t>(std::stoul(text));
}

// "1,2,4"
inline std::vector<std::uint32_t> numbers_of(const std::string& text) {
    std::vector<std::uint32_t> numbers;
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ',');) {
        numbers.push_back(number_of(item));
    }
    return numbers;
}

}  // namespace simlette
