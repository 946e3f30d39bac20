#include <cstdio>

#include <simlette/study/describe.hpp>
#include <simlette/study/draw_fabric.hpp>
#include <simlette/study/draw_utilization.hpp>
#include <simlette/study/run.hpp>
#include <simlette/study/trace.hpp>

#include "arguments.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace simlette::program {

namespace {

struct RunOptions {
    CommonOptions common;
    std::string mode = "flit";
    std::string engine = "auto";
    std::string threads = "1";
    std::string until;
    std::string csv;
    std::string messages;
    std::string links;
    std::string trace;
    std::string svg_links;
    std::string utilization;
    std::string svg_utilization;
    std::string progress = "auto";
    bool check = false;
    bool explain = false;
    bool by_collective = false;
};

void add_run_options(CLI::App& app, RunOptions& options) {
    add_files(app, options.common);
    add_common_options(app, options.common);
    add_value(app, "--mode", options.mode, "MODE",
              "How to simulate: flit, message or analytic; or all, side by side. All outputs but --json and the table "
              "of modes then tell of the flit run");
    add_value(
        app, "--engine", options.engine, "ENGINE",
        "What carries flit mode: reference (an event for each flit), sweep (windows, the same results sooner), or "
        "auto");
    add_value(
        app, "--threads", options.threads, "N",
        "Threads for one simulation, at most: the sweep shares planes among them, the parts of a fabric behind "
        "each port of the accelerators. Those that carry the same are simulated once, by one thread. The results are "
        "the same, however many. No effect where the reference simulates, as with --trace and --by-collective, and in "
        "message and analytic mode");
    add_value(app, "--until", options.until, "TIME", "Stop at this simulated time, such as `50 us`");
    app.add_flag("--check", options.check, "Print the resolved configuration and an estimate; simulate nothing");
    app.add_flag("--explain", options.explain, "Print the critical path, message by message and port by port");
    add_value(app, "--csv", options.csv, "FILE", "Write the scalar results: a header and one row");
    add_value(app, "--messages", options.messages, "FILE", "Write one row a message and port");
    add_value(app, "--links", options.links, "FILE", "Write one row a directed link");
    add_value(app, "--trace", options.trace, "FILE",
              "Write a Chrome trace, which Perfetto opens; about 160 bytes a message and link, the first 2 million");
    add_value(app, "--svg-links", options.svg_links, "FILE", "Draw the fabric, its links coloured by utilization");
    add_value(app, "--utilization", options.utilization, "FILE",
              "Write how busy the links were over time: one row a span and level");
    add_value(app, "--svg-utilization", options.svg_utilization, "FILE", "Draw that, a line a level");
    app.add_flag("--by-collective", options.by_collective,
                 "Tell in --links, --json and the table how many flits of a link are of which collective");
    add_value(app, "--progress", options.progress, "WHEN", "Progress on stderr: auto, always or never");
    app.footer(
        "Example:\n  simlette run topologies/single-level-eps.yaml workloads/one-shot.yaml --set "
        "'workload.collectives.0.bytes=1 MiB'\n\n"
        "Exit status: 0 done, 1 the simulated system stalled, 2 bad input, 3 no output, 130 interrupted.");
}

void check_words(const RunOptions& options) {
    expect_word("value", options.mode, " of `--mode`",
                {{"flit", true}, {"message", true}, {"analytic", true}, {"all", true}});
    expect_word("value", options.engine, " of `--engine`", {{"auto", true}, {"reference", true}, {"sweep", true}});
    expect_word("value", options.progress, " of `--progress`", {{"auto", true}, {"always", true}, {"never", true}});
    if (options.common.topology.empty() || options.common.workload.empty()) {
        refuse("expected a topology and a workload file: simlette run TOPOLOGY WORKLOAD");
    }
}

bool all_modes(const RunOptions& options) {
    return options.mode == "all";
}

// Flit for `all`: what the other modes cannot tell is told of that run.
Mode mode_of(const RunOptions& options) {
    return options.mode == "message" ? Mode::message : options.mode == "analytic" ? Mode::analytic : Mode::flit;
}

// Refuses what the mode cannot tell.
void check_mode(const RunOptions& options) {
    const Mode mode = mode_of(options);
    if (mode != Mode::flit && (options.explain || options.by_collective || !options.trace.empty())) {
        refuse(std::string(options.explain         ? "`--explain`"
                           : options.by_collective ? "`--by-collective`"
                                                   : "`--trace`") +
               " follows single flits, which `--mode " + options.mode +
               "` does not have; use `--mode flit` or `--mode all`");
    }
    const std::pair<const char*, const std::string*> of_links[] = {{"--messages", &options.messages},
                                                                   {"--links", &options.links},
                                                                   {"--svg-links", &options.svg_links},
                                                                   {"--utilization", &options.utilization},
                                                                   {"--svg-utilization", &options.svg_utilization}};
    for (const auto& [option, file] : of_links) {
        if (mode == Mode::analytic && !file->empty()) {
            refuse(std::string("`") + option +
                   "` tells of messages on links, which `--mode analytic` does not have; use `--mode flit`");
        }
    }
}

Outputs outputs_of(const RunOptions& options, const RunInputs& inputs) {
    Outputs outputs;
    outputs.expect("--json", options.common.json);
    if (!options.check) {
        outputs.expect("--csv", options.csv);
        outputs.expect("--messages", options.messages);
        outputs.expect("--links", options.links);
        outputs.expect("--trace", options.trace);
        outputs.expect("--svg-links", options.svg_links);
        outputs.expect("--utilization", options.utilization);
        outputs.expect("--svg-utilization", options.svg_utilization);
    }
    outputs.keep_apart_from({inputs.topology, inputs.workload});
    return outputs;
}

int print_check(const LoadedRun& loaded, const RunInputs& inputs, const Outputs& outputs, bool quiet) {
    const std::string text = check_text(loaded, inputs);
    if (outputs.wanted("--json")) {
        outputs.write("--json", check_json(loaded, inputs));
    }
    if (!quiet && !outputs.uses_stdout()) {
        print(text);
    }
    return done;
}

std::vector<ModeRun> simulate(const LoadedRun& loaded, const RunInputs& inputs, const RunOptions& options,
                              RunControl control) {
    ProgressLine line;
    if (shows_progress(progress_choice(options.progress, options.common.quiet))) {
        control.progress = [&line](const RunProgress& progress) { line.draw(progress_text(progress)); };
    }
    control.stop = &catch_interrupt();
    control.engine = options.engine == "sweep"       ? Engine::sweep
                     : options.engine == "reference" ? Engine::reference
                                                     : Engine::automatic;
    if (all_modes(options)) {
        return run_modes(loaded, inputs, control);
    }
    control.mode = mode_of(options);
    std::vector<ModeRun> runs(1);
    runs.front().mode = control.mode;
    runs.front().report = run(loaded, inputs, control);
    return runs;
}

void write_pictures(const RunReport& report, const Outputs& outputs) {
    if (report.trace) {
        outputs.write_pieces("--trace", [&](const auto& write) { write_trace(report, write); });
        if (report.trace->left_out > 0) {
            std::fprintf(stderr, "simlette: the trace is not whole: it leaves out %s records\n",
                         std::to_string(report.trace->left_out).c_str());
        }
    }
    if (outputs.wanted("--svg-links")) {
        outputs.write("--svg-links", links_svg(report));
    }
    if (outputs.wanted("--svg-utilization")) {
        outputs.write("--svg-utilization", utilization_svg(report));
    }
}

void print_tables(const std::vector<ModeRun>& runs, bool all) {
    const RunReport& report = *runs.front().report;
    print(report_table(report) + (all ? '\n' + modes_table(runs) : "") +
          (report.explained ? '\n' + explanation_text(report) : ""));
}

void write_reports(const std::vector<ModeRun>& runs, const RunOptions& options, const Outputs& outputs) {
    const RunReport& report = *runs.front().report;
    if (outputs.wanted("--json")) {
        outputs.write("--json", all_modes(options) ? modes_json(runs) : report_json(report));
    }
    if (outputs.wanted("--csv")) {
        outputs.write("--csv", report_csv(report));
    }
    if (outputs.wanted("--messages")) {
        outputs.write("--messages", messages_csv(report));
    }
    if (outputs.wanted("--links")) {
        outputs.write("--links", links_csv(report));
    }
    if (outputs.wanted("--utilization")) {
        outputs.write("--utilization", utilization_csv(report));
    }
    write_pictures(report, outputs);
    if (!options.common.quiet && !outputs.uses_stdout()) {
        print_tables(runs, all_modes(options));
    }
}

int status_of(const RunReport& report) {
    switch (report.outcome) {
        case Outcome::finished:
        case Outcome::time_limit:
            return report.paths_missing ? interrupted : done;
        case Outcome::stalled:
            return stalled;
        case Outcome::interrupted:
            return interrupted;
    }
    return broken;
}

// That of the first run which did not end well; says why it stalled, or what it lacks though it ended.
int status_of(const std::vector<ModeRun>& runs) {
    for (const ModeRun& run : runs) {
        const int status = run.report ? status_of(*run.report) : done;
        if (status == stalled) {
            std::fprintf(stderr, "simlette: the simulated system stalled: %s", stall_text(*run.report).c_str());
        }
        if (run.report && run.report->paths_missing) {
            std::fputs("simlette: interrupted; the run is whole, its critical paths were not found\n", stderr);
        }
        if (status != done) {
            return status;
        }
    }
    return done;
}

}  // namespace

int run_command(const Arguments& arguments) {
    RunOptions options;
    CLI::App app("Simulate a workload on a topology.", "simlette run");
    add_run_options(app, options);
    if (!parse(app, arguments, {"--report", "--svg", "--dot"})) {
        return done;
    }
    check_words(options);
    check_mode(options);
    const RunInputs inputs = inputs_of(options.common);
    RunControl control;
    if (!options.until.empty()) {
        control.until = time_of("`--until`", options.until);
    }
    control.threads = threads_of("--threads", options.threads);
    const Outputs outputs = outputs_of(options, inputs);
    const LoadedRun loaded = load_run(inputs, watched_planner(progress_choice(options.progress, options.common.quiet)));
    if (catch_interrupt()) {
        return say_interrupted_planning();
    }
    outputs.keep_apart_from(loaded.named_files);
    if (options.check) {
        return print_check(loaded, inputs, outputs, options.common.quiet);
    }
    control.record_messages = outputs.wanted("--messages");
    control.record_trace = outputs.wanted("--trace");
    control.record_utilization = outputs.wanted("--utilization") || outputs.wanted("--svg-utilization");
    control.count_shares = options.by_collective;
    control.explain = options.explain;
    const std::vector<ModeRun> runs = simulate(loaded, inputs, options, control);
    write_reports(runs, options, outputs);
    return status_of(runs);
}

}  // namespace simlette::program
