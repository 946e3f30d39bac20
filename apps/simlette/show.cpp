#include <simlette/study/describe.hpp>

#include "arguments.hpp"
#include "output.hpp"

namespace simlette::program {

int show_command(const Arguments& arguments) {
    CommonOptions options;
    CLI::App app("Check a topology, alone or with a workload, and describe it.", "simlette show");
    add_common_options(app, options);
    app.footer("Example:\n  simlette show topologies/single-level-ocs.yaml workloads/one-shot.yaml");
    if (!parse(app, arguments, {"--svg", "--dot", "--progress"})) {
        return done;
    }
    if (options.topology.empty()) {
        refuse("expected a topology file: simlette show TOPOLOGY [WORKLOAD]");
    }
    Outputs outputs;
    outputs.expect("--json", options.json);
    const RunInputs inputs = inputs_of(options);
    outputs.keep_apart_from({inputs.topology, inputs.workload});

    const LoadedRun loaded = load_run(inputs);
    const std::string text = description_text(loaded, inputs);
    if (outputs.wanted("--json")) {
        outputs.write("--json", description_json(loaded, inputs));
    }
    if (!options.quiet && !outputs.uses_stdout()) {
        print(text);
    }
    return done;
}

}  // namespace simlette::program
