#include <simlette/study/reproduce.hpp>

#include "arguments.hpp"
#include "output.hpp"

namespace simlette::program {

int reproduce_command(const Arguments& arguments) {
    std::vector<std::string> names;
    std::string json;
    bool list = false;
    bool quiet = false;
    CLI::App app(
        "Set numbers that the paper prints beside ours, which are computed now. Without NAME: list what there is.",
        "simlette reproduce");
    app.add_option("NAME", names, "A table or figure of the paper, such as table-4; `all` is every one")->type_name("");
    app.add_flag("--list", list, "List what there is");
    add_value(app, "--json", json, "FILE", "Write the result as JSON; `-` is stdout");
    app.add_flag("--quiet", quiet, "Print no table");
    app.footer("Example:\n  simlette reproduce table-4 figure-17");
    if (!parse(app, arguments, {})) {
        return done;
    }
    if (list || names.empty()) {
        if (!json.empty()) {
            refuse("`--json` needs a NAME, or `all`");
        }
        print(reproducible_text());
        return done;
    }
    if (names == std::vector<std::string>{"all"}) {
        names.clear();
        for (const PublishedEntry& entry : reproducible()) {
            names.push_back(entry.name);
        }
    }
    Outputs outputs;
    outputs.expect("--json", json);
    std::vector<Reproduced> all;
    for (const std::string& name : names) {
        all.push_back(reproduce(name));
    }
    if (outputs.wanted("--json")) {
        outputs.write("--json", reproduced_json(all));
    }
    if (!quiet && !outputs.uses_stdout()) {
        print(reproduced_text(all));
    }
    return done;
}

}  // namespace simlette::program
