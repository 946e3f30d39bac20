#include "shares.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

namespace simlette::program {

namespace {

namespace fs = std::filesystem;

constexpr const char* share_mark = ".share-";

std::optional<std::size_t> number_in(const char* name) {
    const char* value = std::getenv(name);
    const std::string_view text = value == nullptr ? "" : value;
    std::size_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = !text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size();
    return whole ? std::optional<std::size_t>(number) : std::nullopt;
}

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

Share share_of_environment() {
    // A batch script of Slurm has a process id, but only a step, which srun starts, has a number of tasks of its own.
    constexpr std::pair<const char*, const char*> launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                                                 {"PMI_RANK", "PMI_SIZE"},
                                                                 {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    for (const auto& [rank, size] : launchers) {
        const auto number = number_in(rank);
        const auto of = number_in(size);
        if (number && of && *number < *of) {
            return {*number, *of};
        }
    }
    return {};
}

std::string file_of_share(const std::string& out, std::size_t share) {
    return out + share_mark + std::to_string(share);
}

std::vector<std::string> files_of_shares(const std::string& out) {
    const std::string start = fs::path(out).filename().string() + share_mark;
    const fs::path folder = fs::path(out).has_parent_path() ? fs::path(out).parent_path() : fs::path(".");
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.compare(0, start.size(), start) == 0 && is_number(name.substr(start.size()))) {
            files.push_back(out + name.substr(start.size() - std::string_view(share_mark).size()));
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

void remove_database(const std::string& file) {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm"}) {
        fs::remove(file + suffix, ignored);
    }
}

}  // namespace simlette::program
