#include "gnuplot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <simlette/base/error.hpp>

extern char** environ;

namespace simlette::program {

namespace {

[[noreturn]] void fail(const std::string& message) {
    throw Error(ErrorKind::output, "gnuplot, which draws the plot, " + message);
}

struct Pipe {
    Pipe() {
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            fail(std::string("cannot be started: ") + std::strerror(errno));
        }
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close(0);
        close(1);
    }
    void close(std::size_t end) {
        if (ends[end] >= 0) {
            ::close(ends[end]);
            ends[end] = -1;
        }
    }

    std::array<int, 2> ends{-1, -1};  // to read from, to write to
};

pid_t start(const Pipe& in, const Pipe& out) {
    std::string name = "gnuplot";
    std::string no_settings_of_the_user = "-d";
    std::array<char*, 3> arguments{name.data(), no_settings_of_the_user.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
    pid_t process = 0;
    const int error = posix_spawnp(&process, name.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT) {
        fail("is not installed; on Debian: apt install gnuplot-nox");
    }
    if (error != 0) {
        fail(std::string("cannot be started: ") + std::strerror(error));
    }
    return process;
}

void write_script(const Pipe& in, const std::string& script) {
    for (std::size_t written = 0; written < script.size();) {
        const ssize_t count = ::write(in.ends[1], script.data() + written, script.size() - written);
        if (count < 0 && errno != EINTR) {
            return;  // it has ended; its status says more
        }
        written += count < 0 ? 0 : static_cast<std::size_t>(count);
    }
}

std::string read_all(const Pipe& out) {
    std::string text;
    std::array<char, 1 << 16> block{};
    for (;;) {
        const ssize_t count = ::read(out.ends[0], block.data(), block.size());
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return text;
        }
        text.append(block.data(), count < 0 ? 0 : static_cast<std::size_t>(count));
    }
}

}  // namespace

std::string gnuplot(const std::string& script) {
    Pipe in;
    Pipe out;
    const pid_t process = start(in, out);
    in.close(0);
    out.close(1);
    write_script(in, script);
    in.close(1);
    std::string picture = read_all(out);
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail("failed");
    }
    return picture;
}

}  // namespace simlette::program
