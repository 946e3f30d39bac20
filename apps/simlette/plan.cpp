#include <charconv>
#include <cstdio>

#include <simlette/planner/plan_cache.hpp>
#include <simlette/planner/price.hpp>
#include <simlette/sim/planned_racks.hpp>
#include <simlette/study/describe_overlay.hpp>
#include <simlette/study/draw_plan.hpp>
#include <simlette/study/plan_check.hpp>
#include <simlette/study/plan_report.hpp>
#include <simlette/study/planning.hpp>
#include <simlette/study/what_if.hpp>

#include "arguments.hpp"
#include "gnuplot.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace simlette::program {

namespace {

struct PlanOptions {
    CommonOptions common;
    std::string out;
    std::string svg;
    std::string device;
    std::string axis;
    std::string effort;
    std::string ports;
    std::string payload_scale;
    std::string survive;
    std::string survivor;
    std::string with;
    std::string progress = "auto";
    bool check = false;
};

void add_plan_options(CLI::App& app, PlanOptions& options) {
    add_files(app, options.common);
    add_common_options(app, options.common);
    add_value(app, "--out", options.out, "FILE", "Write the plan as YAML: `circuits: FILE` in a topology uses it");
    add_value(app, "--svg", options.svg, "FILE",
              "Draw every generator in small; with --axis or --device one of them; with --ports the curve (gnuplot)");
    add_value(app, "--axis", options.axis, "NAME", "What --svg draws: the overlay of this axis, such as ffn.ep");
    add_value(app, "--device", options.device, "NAME", "What --svg draws: what this circuit switch joins");
    add_value(app, "--effort", options.effort, "N", "Look at this many nodes of the search at most");
    app.add_flag("--check", options.check,
                 "Simulate every collective of the plan in flit mode; print planned against simulated");
    add_value(app, "--ports", options.ports, "A..B", "Plan for each number of ports; print what each port saves");
    add_value(app, "--payload-scale", options.payload_scale, "F[,F...]",
              "Keep the circuits under payloads of so many times the size; print what a plan for these would save");
    add_value(app, "--survive", options.survive, "[PART=]K",
              "Print what the worst failure of K accelerators, ports or devices costs, patched and planned anew; "
              "ports=K asks for one kind of parts");
    add_value(app, "--survivor", options.survivor, "FILE",
              "With --survive: write the plan that lives on after the worst of these failures, as --out writes one");
    add_value(app, "--with", options.with, "PLAN",
              "Keep the circuits of this plan file under WORKLOAD; print what a plan for it would save; with --check "
              "simulate these");
    add_value(app, "--progress", options.progress, "WHEN", "Progress on stderr: auto, always or never");
    app.footer(
        "Example:\n  simlette plan topologies/planned-256.yaml workloads/plan-256.yaml --check\n\n"
        "Exit status: 0 done, 1 --check found that the plan does not hold, 2 bad input, 3 no output, 130 interrupted.");
}

// At most one question besides the plan itself.
void check_question(const PlanOptions& options) {
    const std::pair<const char*, bool> questions[] = {{"--check", options.check},
                                                      {"--ports", !options.ports.empty()},
                                                      {"--payload-scale", !options.payload_scale.empty()},
                                                      {"--survive", !options.survive.empty()},
                                                      {"--with", !options.with.empty()}};
    const char* asked = nullptr;
    for (const auto& [option, given] : questions) {
        const bool both = options.check && given && option == std::string("--with");
        if (given && asked != nullptr && !both) {
            refuse(std::string("`") + asked + "` and `" + option + "` are two questions; ask one at a time");
        }
        asked = given ? option : asked;
    }
}

void check_pictures(const PlanOptions& options) {
    if (!options.axis.empty() && !options.device.empty()) {
        refuse("`--axis` and `--device` are two pictures; draw one at a time");
    }
    const std::string& chosen = !options.axis.empty() ? options.axis : options.device;
    const char* option = !options.axis.empty() ? "`--axis`" : "`--device`";
    if (!chosen.empty() && options.svg.empty()) {
        refuse(std::string(option) + " says what `--svg` draws; expected `--svg FILE` too");
    }
    if (!chosen.empty() && !options.ports.empty()) {
        refuse(std::string(option) + " draws one plan; `--ports` makes several");
    }
    if (!options.survivor.empty() && options.survive.empty()) {
        refuse("`--survivor` writes what lives on after a failure; expected `--survive K` too");
    }
    if (!options.out.empty() && !options.ports.empty()) {
        refuse("`--out` writes one plan; `--ports` makes several");
    }
}

// Nothing depends on the load between racks that are joined evenly, and prices of packets are no bounds.
void check_options_of_racks(const PlanOptions& options) {
    const std::pair<const char*, bool> others[] = {{"--check", options.check},
                                                   {"--payload-scale", !options.payload_scale.empty()},
                                                   {"--survive", !options.survive.empty()},
                                                   {"--with", !options.with.empty()},
                                                   {"--axis", !options.axis.empty()}};
    for (const auto& [option, given] : others) {
        if (given) {
            refuse(
                std::string("`") + option +
                "` goes with circuits between accelerators; those of this fabric join racks. `simlette run` with the "
                "plan simulates it");
        }
    }
    if (!options.svg.empty() && options.device.empty() && options.ports.empty()) {
        refuse(
            "`--svg` draws circuits between accelerators; those of this fabric join racks: expected `--device NAME`");
    }
}

std::uint64_t count_of(const char* option, const std::string& text, std::uint64_t most) {
    std::uint64_t count = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, count);
    if (read.ec != std::errc() || read.ptr != end || count < 1 || count > most) {
        refuse(std::string("`") + option + "` is `" + text + "`; expected a whole number from 1 to " +
               std::to_string(most));
    }
    return count;
}

const PlannedAxis& axis_named(const Plan& plan, const std::string& name) {
    std::vector<std::string> names;
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            names.push_back(axis_text(mesh, axis));
            if (names.back() == name) {
                return axis;
            }
        }
    }
    refuse("`--axis` is `" + name + "`, which the plan does not have" + hint(name, names));
}

// The picture of one plan.
std::string picture_of(const Plan& plan, const PlanOptions& options, const FabricSpec& fabric) {
    if (!options.axis.empty()) {
        const PlannedAxis& axis = axis_named(plan, options.axis);
        if (axis.degree == 0) {
            refuse("axis `" + options.axis + "` has no circuits: the workload has no collective on it");
        }
        return overlay_svg(describe_overlay(axis.topology, {}));
    }
    if (!options.device.empty()) {
        return device_svg(plan, fabric, options.device);
    }
    return plan_sheet_svg(plan, "plan of " + options.common.workload + " on " + options.common.topology);
}

// What a question adds to the plan: a table, and members of the JSON object.
struct Answer {
    std::string text;
    std::string json;
    int status = done;
    std::string survivor = {};  // a plan file
};

Answer check_answer(const Plan& plan, const PlanRequest& request, const FabricSpec& fabric,
                    const PlanOptions& options) {
    ProgressLine line;
    std::function<void(std::size_t, std::size_t)> told;
    if (shows_progress(progress_choice(options.progress, options.common.quiet))) {
        told = [&line](std::size_t simulated, std::size_t of) {
            line.draw(std::to_string(simulated) + " of " + std::to_string(of) + " collectives simulated");
        };
    }
    const PlanCheck check = check_plan(plan, request, fabric, told, &catch_interrupt());
    if (!check.interrupted && !check.holds()) {
        std::fputs("simlette: the plan does not hold: a collective takes longer than planned with whole flits\n",
                   stderr);
    }
    return {plan_check_text(check), plan_check_json(check),
            check.interrupted ? interrupted
            : check.holds()   ? done
                              : stalled};
}

Answer kept_answer(const std::vector<KeptPlan>& plans) {
    return {kept_text(plans), kept_json(plans)};
}

Answer survival_answer(const Plan& plan, const PlanRequest& request, const FabricSpec& fabric,
                       const PlanOptions& options, const Planner& planner) {
    const Failure failure = failure_of("`--survive`", options.survive);
    const std::vector<Survival> survivals = survive(plan, request, fabric, failure, planner);
    Answer answer{survival_text(plan, failure, survivals), survival_json(plan, failure, survivals)};
    if (!options.survivor.empty()) {
        const Survival& worst = worst_of(survivals, failure);
        answer.survivor = plan_yaml(*worst.survivor(), worst.left);
    }
    return answer;
}

Answer answer_of(const Plan& plan, const PlanRequest& request, const FabricSpec& fabric, const PlanOptions& options,
                 const Planner& planner) {
    if (options.check) {
        if (options.with.empty()) {
            return check_answer(plan, request, fabric, options);
        }
        Answer answer = check_answer(price(load_plan(options.with), request), request, fabric, options);
        answer.text = "circuits kept from " + options.with + ", not those above: " + answer.text;
        return answer;
    }
    if (!options.payload_scale.empty()) {
        const auto scales = payload_scales("`--payload-scale`", options.payload_scale);
        return kept_answer(scale_payloads(plan, request, scales, planner));
    }
    if (!options.survive.empty()) {
        return survival_answer(plan, request, fabric, options, planner);
    }
    if (!options.with.empty()) {
        return kept_answer({{options.common.workload, price(load_plan(options.with), request), plan}});
    }
    return {};
}

int plan_stairs(const PlanRequest& request, const PlanOptions& options, const Outputs& outputs,
                const Planner& planner) {
    const std::vector<Stair> stairs =
        staircase(request, port_range("`--ports`", options.ports), planner, &catch_interrupt());
    outputs.write("--json", staircase_json(stairs));
    if (outputs.wanted("--svg")) {
        outputs.write("--svg", gnuplot(staircase_script(stairs)));
    }
    if (!options.common.quiet && !outputs.uses_stdout()) {
        print(staircase_text(stairs));
    }
    if (catch_interrupt()) {
        std::fputs("simlette: interrupted; the other numbers of ports were not planned\n", stderr);
        return interrupted;
    }
    return done;
}

int plan_once(const PlanTask& task, const PlanOptions& options, const RunInputs& inputs, const Outputs& outputs,
              const Planner& planner) {
    const PlanRequest& request = task.request;
    const Plan plan = planner(request);
    check_plan_fits(plan, task, inputs);
    const std::string svg = outputs.wanted("--svg") ? picture_of(plan, options, task.fabric) : "";
    Answer answer;
    if (!catch_interrupt()) {
        answer = answer_of(plan, request, task.fabric, options, planner);
    }
    if (catch_interrupt()) {
        answer = options.check && !answer.text.empty() ? answer : Answer{"", "", interrupted};
        std::fputs("simlette: interrupted; the plan is the best that was found until then\n", stderr);
    }
    if (outputs.wanted("--out")) {
        outputs.write("--out", plan_yaml(plan, request));
    }
    if (outputs.wanted("--survivor") && !answer.survivor.empty()) {
        outputs.write("--survivor", answer.survivor);
    }
    outputs.write("--json", answer.json.empty() ? plan_json(plan) : joined_json(plan_json(plan), answer.json));
    outputs.write("--svg", svg);
    if (!options.common.quiet && !outputs.uses_stdout()) {
        print(plan_table(plan, task, inputs) + (answer.text.empty() ? "" : '\n' + answer.text));
    }
    return answer.status;
}

}  // namespace

int plan_command(const Arguments& arguments) {
    PlanOptions options;
    CLI::App app("Plan circuits, schedules and the place of every rank together, for all collectives of a workload.",
                 "simlette plan");
    add_plan_options(app, options);
    if (!parse(app, arguments, {})) {
        return done;
    }
    if (options.common.topology.empty() || options.common.workload.empty()) {
        refuse("expected a topology and a workload file: simlette plan TOPOLOGY WORKLOAD");
    }
    expect_word("value", options.progress, " of `--progress`", {{"auto", true}, {"always", true}, {"never", true}});
    check_question(options);
    check_pictures(options);
    const RunInputs inputs = inputs_of(options.common);
    Outputs outputs;
    outputs.expect("--out", options.out);
    outputs.expect("--survivor", options.survivor);
    outputs.expect("--json", options.common.json);
    outputs.expect("--svg", options.svg);
    outputs.keep_apart_from({inputs.topology, inputs.workload, options.with});

    PlanTask task = load_plan_task(inputs);
    outputs.keep_apart_from(task.named_files);
    if (is_hybrid(task.fabric)) {
        check_options_of_racks(options);
    }
    task.request.effort = options.effort.empty() ? 0 : count_of("--effort", options.effort, UINT64_MAX);
    const bool laid = !options.out.empty() || !options.survivor.empty() || options.check || !options.device.empty();
    task.request.rings = !laid;
    PlanCache cache(is_hybrid(task.fabric) ? [&task](const PlanRequest& asked) { return plan_for(task.fabric, asked); }
                                           : watched_planner(progress_choice(options.progress, options.common.quiet)));
    const Planner planner = [&cache](const PlanRequest& asked) { return cache.plan(asked); };
    if (!options.ports.empty()) {
        return plan_stairs(task.request, options, outputs, planner);
    }
    return plan_once(task, options, inputs, outputs, planner);
}

}  // namespace simlette::program
