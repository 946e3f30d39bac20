#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include <simlette/base/error.hpp>

namespace simlette::program {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& place, int error) {
    throw Error(ErrorKind::output, place + ": cannot be written: " + std::strerror(error));
}

// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }

    int number() const { return number_; }

private:
    int number_;
};

// Returns 0 or an errno.
int write_all(int descriptor, std::string_view text) {
    std::size_t written = 0;
    while (written < text.size()) {
        const ssize_t count = ::write(descriptor, text.data() + written, text.size() - written);
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        written += count < 0 ? 0 : static_cast<std::size_t>(count);
    }
    return 0;
}

// Where the bytes end up: links are followed, also those that lead to nothing yet, so that a link stays one.
fs::path target_of(const std::string& file) {
    std::error_code error;
    fs::path target = fs::absolute(file, error);
    constexpr int most_links = 40;
    for (int i = 0; i < most_links && fs::is_symlink(target, error); ++i) {
        target = target.parent_path() / fs::read_symlink(target, error);
    }
    const fs::path canonical = fs::weakly_canonical(target, error);
    return error ? fs::path(file) : canonical;
}

// A pipe, a terminal or /dev/null is written as it is; only a regular file can be replaced as a whole.
bool is_replaced(const fs::path& target) {
    struct stat status {};
    return ::stat(target.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

fs::path folder_of(const fs::path& target) {
    return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// While it lives, SIGINT, SIGTERM and SIGHUP are held back from the thread that writes: no other runs by then.
class SignalsHeld {
public:
    SignalsHeld() {
        sigset_t held;
        sigemptyset(&held);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            sigaddset(&held, signal);
        }
        ::pthread_sigmask(SIG_BLOCK, &held, &before_);
    }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;
    ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

// A new file beside the target, which is gone again unless it takes the target's name.
class Replacement {
public:
    Replacement(const std::string& file, const fs::path& target)
        : file_(file),
          target_(target),
          path_((folder_of(target) / (".simlette-" + std::string(6, 'X'))).string()),  // mkstemp names the rest
          descriptor_(::mkstemp(path_.data())) {
        if (descriptor_.number() < 0) {
            fail(file_, errno);
        }
    }
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;
    ~Replacement() {
        if (!renamed_) {
            ::unlink(path_.c_str());
        }
    }

    void append(std::string_view text) {
        if (const int error = write_all(descriptor_.number(), text)) {
            fail(file_, error);
        }
    }

    void take_name() {
        if (::fchmod(descriptor_.number(), mode()) != 0 || ::fsync(descriptor_.number()) != 0 ||
            ::rename(path_.c_str(), target_.c_str()) != 0) {
            fail(file_, errno);
        }
        renamed_ = true;
        const Descriptor folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY));
        ::fsync(folder.number());
    }

private:
    // The mode of the file that is replaced, or what a new file would get.
    mode_t mode() const {
        struct stat status {};
        if (::stat(target_.c_str(), &status) == 0) {
            return status.st_mode & 07777;
        }
        const mode_t mask = ::umask(0);
        ::umask(mask);
        return 0666 & ~mask;
    }

    SignalsHeld held_;  // the first member: until the file has its name or is gone
    std::string file_;
    fs::path target_;
    std::string path_;
    Descriptor descriptor_;
    bool renamed_ = false;
};

void write_in_place(const std::string& file, const fs::path& target, const Outputs::Pieces& write) {
    const Descriptor descriptor(::open(target.c_str(), O_WRONLY));
    if (descriptor.number() < 0) {
        fail(file, errno);
    }
    write([&](std::string_view text) {
        if (const int error = write_all(descriptor.number(), text)) {
            fail(file, error);
        }
    });
}

void check_writable(const std::string& file) {
    const fs::path target = target_of(file);
    if (fs::is_directory(target)) {
        fail(file, EISDIR);
    }
    if (!is_replaced(target)) {
        if (::access(target.c_str(), W_OK) != 0) {
            fail(file, errno);
        }
        return;
    }
    if (fs::exists(target) && ::access(target.c_str(), W_OK) != 0) {
        fail(file, errno);
    }
    const Replacement probe(file, target);
}

}  // namespace

void print(std::string_view text) {
    if (const int error = write_all(STDOUT_FILENO, text)) {
        fail("stdout", error);
    }
}

void Outputs::expect(const std::string& option, const std::string& file) {
    if (file.empty()) {
        return;
    }
    for (const auto& other : files_) {
        if (file == "-" ? other.second == "-" : other.second != "-" && target_of(other.second) == target_of(file)) {
            throw Error(ErrorKind::input, "`" + other.first + "` and `" + option + "` both write to " +
                                              (file == "-" ? "stdout" : "`" + file + "`"));
        }
    }
    if (file != "-") {
        check_writable(file);
    }
    files_.emplace_back(option, file);
}

const std::string* Outputs::file_of(const std::string& option) const {
    for (const auto& file : files_) {
        if (file.first == option) {
            return &file.second;
        }
    }
    return nullptr;
}

bool Outputs::wanted(const std::string& option) const {
    return file_of(option) != nullptr;
}

bool Outputs::uses_stdout() const {
    for (const auto& file : files_) {
        if (file.second == "-") {
            return true;
        }
    }
    return false;
}

void Outputs::keep_apart_from(const std::vector<std::string>& inputs) const {
    for (const auto& file : files_) {
        for (const std::string& input : inputs) {
            if (file.second != "-" && !input.empty() && target_of(file.second) == target_of(input)) {
                throw Error(ErrorKind::input, "`" + file.first + "` would replace the input `" + input + "`");
            }
        }
    }
}

void Outputs::write(const std::string& option, const std::string& text) const {
    write_pieces(option, [&](const auto& write) { write(text); });
}

void Outputs::write_pieces(const std::string& option, const Pieces& write) const {
    const std::string* file = file_of(option);
    if (file == nullptr) {
        return;
    }
    if (*file == "-") {
        write([](std::string_view text) { print(text); });
        return;
    }
    const fs::path target = target_of(*file);
    if (!is_replaced(target)) {
        write_in_place(*file, target, write);
        return;
    }
    Replacement replacement(*file, target);
    write([&](std::string_view text) { replacement.append(text); });
    replacement.take_name();
}

}  // namespace simlette::program
