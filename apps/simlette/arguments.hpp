// Reading the arguments of a subcommand: CLI11, with hints, and with what is known but not in this version.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simlette/study/load.hpp>

#include "command.hpp"

namespace simlette::program {

// A word that the program knows, and whether this version does anything with it.
struct Word {
    const char* text;
    bool built;
};

[[noreturn]] void refuse(const std::string& message);  // throws Error{input}

// "; did you mean `near`?", or nothing if no word comes near.
std::string hint(const std::string& word, const std::vector<std::string>& words);

// Refuses a word that is unknown or not built: "known value `all` of `--mode`, not in this version".
void expect_word(const std::string& kind, const std::string& word, const std::string& of,
                 const std::vector<Word>& words);

// An option with a value, which may not be empty.
void add_value(CLI::App& app, const std::string& name, std::string& value, const std::string& type,
               const std::string& help);

// The options of every subcommand that computes.
struct CommonOptions {
    std::string topology;  // of those that read one
    std::string workload;
    std::vector<std::string> sets;
    std::string seed;
    std::string json;
    bool quiet = false;
};

void add_common_options(CLI::App& app, CommonOptions& options);  // without the files
void add_files(CLI::App& app, CommonOptions& options);           // TOPOLOGY and WORKLOAD
std::vector<Override> overrides_of(const CommonOptions& options);
unsigned threads_of(const std::string& option, const std::string& text);
std::optional<std::uint64_t> seed_of(const CommonOptions& options);
RunInputs inputs_of(const CommonOptions& options);

// Parses; false if help was asked for and has been printed. Unknown options are refused with a hint, those of `later`
// with "known option".
bool parse(CLI::App& app, const Arguments& arguments, const std::vector<std::string>& later);

}  // namespace simlette::program
