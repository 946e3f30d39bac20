// simlette: simulates collectives on scale-up fabrics. Each subcommand has a file of its own.
#include <csignal>
#include <cstdio>
#include <new>

#include <simlette/base/error.hpp>
#include <simlette/version.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "output.hpp"

namespace simlette::program {

namespace {

struct Command {
    const char* name;
    const char* does;
    int (*run)(const Arguments&);  // none: not in this version
};

constexpr Command commands[] = {
    {"run", "simulate a workload on a topology and print what came out", run_command},
    {"sweep", "run the points of a study and keep their results in a database", sweep_command},
    {"compare", "say what differs between the JSON of two runs", compare_command},
    {"show", "check a topology, alone or with a workload, and describe it", show_command},
    {"plan", "choose circuits, schedules and placement for a workload", plan_command},
    {"schema", "print the JSON Schema of a file kind", schema_command},
    {"gxnet", "", nullptr},
    {"reproduce", "set published numbers beside ours", reproduce_command},
};

std::string help_text() {
    std::string text =
        "simlette simulates collectives on scale-up fabrics of accelerators, flit by flit.\n\n"
        "Usage: simlette COMMAND [OPTIONS]\n\nCommands:\n";
    for (const Command& command : commands) {
        if (command.run != nullptr) {
            text += "  " + std::string(command.name) + std::string(10 - std::string(command.name).size(), ' ') +
                    command.does + '\n';
        }
    }
    return text +
           "\nOptions:\n  --help    this text; `simlette COMMAND --help` says more\n  --version\n\n"
           "Example:\n  simlette run topologies/single-level-eps.yaml workloads/one-shot.yaml\n";
}

int dispatch(const Arguments& arguments) {
    if (arguments.empty()) {
        refuse("expected a command; `simlette --help` lists them");
    }
    const std::string& name = arguments.front();
    if (name == "--help" || name == "-h") {
        print(help_text());
        return done;
    }
    if (name == "--version") {
        print(std::string("simlette ") + version() + '\n');
        return done;
    }
    std::vector<std::string> names;
    for (const Command& command : commands) {
        if (name == command.name && command.run == nullptr) {
            refuse("known command `" + name + "`, not in this version");
        }
        if (name == command.name) {
            return command.run({arguments.begin() + 1, arguments.end()});
        }
        names.emplace_back(command.name);
    }
    if (name.front() == '-') {
        refuse("unknown option `" + name + "`" + hint(name, {"--help", "--version"}));
    }
    refuse("unknown command `" + name + "`" + hint(name, names) + "; `simlette --help` lists them");
}

int explain(const Error& error) {
    for (const Problem& problem : error.problems()) {
        std::fprintf(stderr, "%s%s\n", problem.file.empty() ? "simlette: " : "", problem.text().c_str());
    }
    switch (error.kind()) {
        case ErrorKind::input:
            return bad_input;
        case ErrorKind::output:
            return no_output;
        case ErrorKind::reentrancy:
        case ErrorKind::internal:
            break;
    }
    std::fputs("simlette: this is a defect of the program, not of the input; please report it\n", stderr);
    return broken;
}

}  // namespace

}  // namespace simlette::program

int main(int argc, char** argv) {
    using namespace simlette::program;
    // A reader that went away and a file that may not grow are errors to report, not an end without a word.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        return dispatch(Arguments(argv + (argc > 0 ? 1 : 0), argv + argc));
    } catch (const simlette::Error& error) {
        return explain(error);
    } catch (const std::bad_alloc&) {
        std::fputs("simlette: not enough memory for an input of this size\n", stderr);
        return bad_input;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "simlette: %s\nsimlette: this is a defect of the program; please report it\n",
                     error.what());
        return broken;
    }
}
