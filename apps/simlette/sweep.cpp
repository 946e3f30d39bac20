#include <cstdio>
#include <thread>

#include <simlette/study/plot.hpp>
#include <simlette/study/sweep.hpp>

#include "arguments.hpp"
#include "gnuplot.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "shares.hpp"

namespace simlette::program {

namespace {

struct SweepOptions {
    CommonOptions common;
    std::string study;
    std::string out;
    std::string jobs;
    std::string csv;
    std::string plot;
    std::string svg;
    std::string progress = "auto";
};

void add_sweep_options(CLI::App& app, SweepOptions& options) {
    app.add_option("STUDY", options.study, "Study file")->type_name("");
    add_value(app, "--out", options.out, "FILE",
              "Keep results in this SQLite database, and take those that are there; without it nothing is kept");
    add_value(app, "--jobs", options.jobs, "N", "Points at a time; as many as there are cores if not given");
    add_value(app, "--csv", options.csv, "FILE", "Write one row a point");
    add_value(app, "--plot", options.plot, "X,Y,SERIES",
              "Draw lines, such as x=topology.buffers,y=completion_ps,series=topology; needs gnuplot");
    add_value(app, "--svg", options.svg, "FILE", "Where the lines of --plot go");
    add_common_options(app, options.common);
    add_value(app, "--progress", options.progress, "WHEN", "Progress on stderr: auto, always or never");
    app.footer(
        "Example:\n  simlette sweep workloads/studies/buffers.yaml --jobs 2\n\n"
        "Exit status: 0 done, 1 a point stalled or was refused, 2 bad input, 3 no output, 130 interrupted.\n"
        "A sweep that was interrupted or killed goes on where it was when it is started again with the same --out.\n"
        "Under mpirun or srun each process runs its share; the same command without them gathers the shares and "
        "reports.");
}

unsigned jobs_of(const std::string& text) {
    return text.empty() ? std::max(1U, std::thread::hardware_concurrency()) : threads_of("--jobs", text);
}

Outputs outputs_of(const SweepOptions& options) {
    Outputs outputs;
    if (options.out == "-") {
        refuse("`--out` is a database, which cannot go to stdout; `--csv -` can");
    }
    outputs.expect("--out", options.out);
    outputs.expect("--csv", options.csv);
    outputs.expect("--json", options.common.json);
    outputs.expect("--svg", options.svg);
    outputs.keep_apart_from({options.study});
    return outputs;
}

// What is finished in `finished` is not run.
bool simulate(const Study& study, SweepStore& store, const SweepOptions& options, const Share& share,
              std::set<std::string> finished) {
    ProgressLine line;
    SweepControl control;
    control.jobs = jobs_of(options.jobs);
    control.share = share.number;
    control.shares = share.of;
    control.finished = std::move(finished);
    control.stop = &catch_interrupt();
    if (shows_progress(progress_choice(options.progress, options.common.quiet))) {
        control.progress = [&line](const SweepProgress& progress) { line.draw(progress_text(progress)); };
    }
    return sweep(study, store, control);
}

int say_interrupted(const SweepOptions& options) {
    std::fputs(options.out.empty() ? "simlette: interrupted; without `--out` nothing was kept\n"
                                   : "simlette: interrupted; the same command goes on from here\n",
               stderr);
    return interrupted;
}

// One for all processes.
void say_what_is_not_written(const Outputs& outputs, const Share& share) {
    std::string names;
    for (const char* option : {"--csv", "--json", "--svg"}) {
        if (outputs.wanted(option)) {
            names += (names.empty() ? "`" : ", `") + std::string(option) + '`';
        }
    }
    if (share.number == 0 && !names.empty()) {
        std::fprintf(stderr,
                     "simlette: nothing goes to %s yet; the same command alone gathers the shares and writes it\n",
                     names.c_str());
    }
}

// One of several processes: runs its share into a database of its own, for one process to gather later.
int sweep_share(const Study& study, const SweepOptions& options, const Share& share) {
    if (options.out.empty()) {
        refuse("expected `--out`: each of " + std::to_string(share.of) + " processes keeps its share beside it");
    }
    SweepStore store(file_of_share(options.out, share.number), study, Database::Access::alone);
    const bool whole = simulate(study, store, options, share, finished_in(options.out));
    return whole ? done : say_interrupted(options);
}

void gather(const std::string& out, SweepStore& store) {
    if (!out.empty()) {
        for (const std::string& file : files_of_shares(out)) {
            store.take(file);
            remove_database(file);
        }
    }
}

// Says why the first points failed.
int status_of(const SweepTable& table) {
    constexpr std::size_t most_explained = 3;
    std::size_t failed = 0;
    for (const SweepRow& row : table.rows) {
        if (row.outcome == "finished") {
            continue;
        }
        if (++failed <= most_explained) {
            std::fprintf(stderr, "simlette: point %s %s: %s\n", std::to_string(row.point).c_str(), row.outcome.c_str(),
                         row.error.c_str());
        }
    }
    if (failed > 0) {
        std::fprintf(stderr, "simlette: %s of %s points failed\n", std::to_string(failed).c_str(),
                     std::to_string(table.rows.size()).c_str());
    }
    return failed > 0 ? stalled : done;
}

// None: no plot was asked for. Fails before anything runs if there is no gnuplot.
std::optional<PlotRequest> plot_of(const SweepOptions& options, const Study& study) {
    if (options.plot.empty() != options.svg.empty()) {
        refuse("expected both `--plot` and `--svg`: what to draw, and where to write it");
    }
    if (options.plot.empty()) {
        return std::nullopt;
    }
    const PlotRequest request = plot_request(options.plot, study);
    gnuplot("");
    return request;
}

void write_reports(const Study& study, SweepStore& store, const SweepOptions& options, const Outputs& outputs) {
    if (outputs.wanted("--csv")) {
        outputs.write("--csv", sweep_csv(store.table(study.record())));
    }
    if (outputs.wanted("--json")) {
        outputs.write("--json", sweep_json(store.table(study.record())));
    }
    if (!options.common.quiet && !outputs.uses_stdout()) {
        print(sweep_table(
            store.table(study.record().empty() ? std::vector<std::string>{"completion_ps"} : study.record())));
    }
}

}  // namespace

int sweep_command(const Arguments& arguments) {
    SweepOptions options;
    CLI::App app("Run every point of a study: topologies, workloads, modes and parameters crossed.", "simlette sweep");
    add_sweep_options(app, options);
    if (!parse(app, arguments, {})) {
        return done;
    }
    expect_word("value", options.progress, " of `--progress`", {{"auto", true}, {"always", true}, {"never", true}});
    if (options.study.empty()) {
        refuse("expected a study file: simlette sweep STUDY --out results.sqlite");
    }
    const StudyInputs inputs{options.study, overrides_of(options.common), seed_of(options.common)};
    jobs_of(options.jobs);
    const Outputs outputs = outputs_of(options);
    const Study study(inputs, watched_planner(progress_choice(options.progress, options.common.quiet)));
    if (catch_interrupt()) {
        return say_interrupted_planning();
    }
    outputs.keep_apart_from(study.files());
    const std::optional<PlotRequest> plot = plot_of(options, study);
    const Share share = share_of_environment();
    if (share.of > 1) {
        say_what_is_not_written(outputs, share);
        return sweep_share(study, options, share);
    }
    SweepStore store(options.out, study, Database::Access::shared);
    gather(options.out, store);
    const bool whole = simulate(study, store, options, share, {});
    write_reports(study, store, options, outputs);
    if (plot) {
        outputs.write("--svg", gnuplot(plot_script(*plot, store.table({plot->y}))));
    }
    return whole ? status_of(store.table({"completion_ps"})) : say_interrupted(options);
}

}  // namespace simlette::program
