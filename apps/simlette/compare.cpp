#include <simlette/study/compare.hpp>

#include "arguments.hpp"
#include "output.hpp"

namespace simlette::program {

int compare_command(const Arguments& arguments) {
    std::string a;
    std::string b;
    std::string json;
    bool quiet = false;
    CLI::App app("Say what differs between two results of `simlette run --json`.", "simlette compare");
    app.add_option("A", a, "JSON of a run")->type_name("");
    app.add_option("B", b, "JSON of another run")->type_name("");
    add_value(app, "--json", json, "FILE", "Write the comparison as JSON; `-` is stdout");
    app.add_flag("--quiet", quiet, "Print no table");
    app.footer(
        "Example:\n  simlette compare tests/golden/eps-one-shot-1-mib.json tests/golden/eps-one-shot-22-credits.json");
    if (!parse(app, arguments, {"--progress"})) {
        return done;
    }
    if (a.empty() || b.empty()) {
        refuse("expected two results: simlette compare A.json B.json");
    }
    Outputs outputs;
    outputs.expect("--json", json);
    outputs.keep_apart_from({a, b});
    const Comparison comparison = compare(a, b);
    if (outputs.wanted("--json")) {
        outputs.write("--json", comparison_json(comparison));
    }
    if (!quiet && !outputs.uses_stdout()) {
        print(comparison_table(comparison));
    }
    return done;
}

}  // namespace simlette::program
