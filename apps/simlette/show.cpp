#include <simlette/study/describe.hpp>
#include <simlette/study/draw_fabric.hpp>

#include "arguments.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace simlette::program {

int show_command(const Arguments& arguments) {
    if (!arguments.empty() && arguments.front() == "overlay") {
        return show_overlay_command({arguments.begin() + 1, arguments.end()});
    }
    CommonOptions options;
    std::string svg;
    std::string dot;
    CLI::App app(
        "Check a topology, alone or with a workload, and describe it.\n`simlette show overlay --help`: an overlay by "
        "itself.",
        "simlette show");
    add_files(app, options);
    add_common_options(app, options);
    add_value(app, "--svg", svg, "FILE", "Draw the fabric");
    add_value(app, "--dot", dot, "FILE", "Write the fabric as a graph for Graphviz");
    app.footer("Example:\n  simlette show topologies/single-level-ocs.yaml workloads/one-shot.yaml");
    if (!parse(app, arguments, {"--progress"})) {
        return done;
    }
    if (options.topology.empty()) {
        refuse("expected a topology file: simlette show TOPOLOGY [WORKLOAD]");
    }
    Outputs outputs;
    outputs.expect("--json", options.json);
    outputs.expect("--svg", svg);
    outputs.expect("--dot", dot);
    const RunInputs inputs = inputs_of(options);
    outputs.keep_apart_from({inputs.topology, inputs.workload});

    const LoadedRun loaded = load_run(inputs, watched_planner(progress_choice("auto", options.quiet)));
    if (catch_interrupt()) {
        return say_interrupted_planning();
    }
    outputs.keep_apart_from(loaded.named_files);
    const std::string text = description_text(loaded, inputs);
    if (outputs.wanted("--json")) {
        outputs.write("--json", description_json(loaded, inputs));
    }
    if (outputs.wanted("--svg")) {
        outputs.write("--svg", fabric_svg(loaded, inputs));
    }
    if (outputs.wanted("--dot")) {
        outputs.write("--dot", fabric_dot(loaded, inputs));
    }
    if (!options.quiet && !outputs.uses_stdout()) {
        print(text);
    }
    return done;
}

}  // namespace simlette::program
