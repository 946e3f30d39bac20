#include "arguments.hpp"

#include <algorithm>
#include <charconv>

#include <simlette/base/error.hpp>
#include <simlette/study/problems.hpp>

#include "output.hpp"

namespace simlette::program {

namespace {

bool contains(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

void refuse_leftovers(const CLI::App& app, const std::vector<std::string>& later) {
    for (const std::string& argument : app.remaining()) {
        if (argument.size() < 2 || argument.front() != '-') {
            continue;
        }
        const std::string name = argument.substr(0, argument.find('='));
        if (contains(later, name)) {
            refuse("known option `" + name + "`, not in this version");
        }
        std::vector<std::string> names = option_names(app);
        names.insert(names.end(), later.begin(), later.end());
        refuse("unknown option `" + name + "`" + hint(name, names));
    }
    if (app.remaining_size() > 0) {
        refuse("unexpected argument `" + app.remaining().front() + "`");
    }
}

Override override_of(const std::string& set) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw Error({Problem{"--set " + set, 0, 0, "expected PATH=VALUE, such as `topology.ports=8`"}});
    }
    return {set.substr(0, equals), set.substr(equals + 1)};
}

std::uint64_t seed_of(const std::string& text) {
    std::uint64_t seed = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, seed);
    if (text.empty() || read.ec != std::errc() || read.ptr != end) {
        refuse("`--seed` is `" + text + "`; expected a whole number from 0 to 18446744073709551615");
    }
    return seed;
}

}  // namespace

void refuse(const std::string& message) {
    throw Error(ErrorKind::input, message);
}

std::string hint(const std::string& word, const std::vector<std::string>& words) {
    const std::string near = nearest(word, words);
    return near.empty() ? near : "; did you mean `" + near + "`?";
}

void expect_word(const std::string& kind, const std::string& word, const std::string& of,
                 const std::vector<Word>& words) {
    std::vector<std::string> built;
    std::string listed;
    for (const Word& known : words) {
        if (word == known.text && !known.built) {
            refuse("known " + kind + " `" + word + "`" + of + ", not in this version");
        }
        if (word == known.text) {
            return;
        }
        if (known.built) {
            listed += (listed.empty() ? "" : ", ") + std::string(known.text);
            built.emplace_back(known.text);
        }
    }
    refuse("unknown " + kind + " `" + word + "`" + of + hint(word, built) + "; expected " + listed);
}

void add_value(CLI::App& app, const std::string& name, std::string& value, const std::string& type,
               const std::string& help) {
    const auto not_empty = [](const std::string& text) {
        return text.empty() ? std::string("the value is empty") : std::string();
    };
    app.add_option(name, value, help)->type_name(type)->check(not_empty);
}

void add_files(CLI::App& app, CommonOptions& options) {
    app.add_option("TOPOLOGY", options.topology, "Topology file")->type_name("");
    app.add_option("WORKLOAD", options.workload, "Workload file")->type_name("");
}

void add_common_options(CLI::App& app, CommonOptions& options) {
    app.add_option("--set", options.sets, "Override any key of a file, such as topology.ports=8; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    add_value(app, "--seed", options.seed, "N", "Replace the seed of the topology");
    add_value(app, "--json", options.json, "FILE", "Write the result as JSON; `-` is stdout");
    app.add_flag("--quiet", options.quiet, "Print no table");
}

std::vector<Override> overrides_of(const CommonOptions& options) {
    std::vector<Override> overrides;
    for (const std::string& set : options.sets) {
        overrides.push_back(override_of(set));
    }
    return overrides;
}

unsigned threads_of(const std::string& option, const std::string& text) {
    constexpr unsigned most = 1024;
    const bool digits = text.find_first_not_of("0123456789") == std::string::npos && text.size() < 5;
    const unsigned long threads = digits ? std::stoul(text) : 0;
    if (threads == 0 || threads > most) {
        refuse("`" + option + "` is `" + text + "`; expected a whole number from 1 to " + std::to_string(most));
    }
    return static_cast<unsigned>(threads);
}

std::optional<std::uint64_t> seed_of(const CommonOptions& options) {
    return options.seed.empty() ? std::nullopt : std::optional<std::uint64_t>(seed_of(options.seed));
}

RunInputs inputs_of(const CommonOptions& options) {
    return {options.topology, options.workload, overrides_of(options), seed_of(options)};
}

bool parse(CLI::App& app, const Arguments& arguments, const std::vector<std::string>& later) {
    app.allow_extras();
    try {
        app.parse(Arguments(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        print(app.help());
        return false;
    } catch (const CLI::ParseError& error) {
        refuse(error.what());
    }
    refuse_leftovers(app, later);
    return true;
}

}  // namespace simlette::program
