#include <simlette/study/describe_overlay.hpp>

#include "arguments.hpp"
#include "output.hpp"

namespace simlette::program {

int show_overlay_command(const Arguments& arguments) {
    std::vector<std::string> words;
    std::vector<std::string> axes;
    std::string json;
    std::string svg;
    std::string dot;
    bool quiet = false;
    CLI::App app(
        "Describe an overlay by itself: its distances, coset layers, and the schedules that run on it.\n\n"
        "An overlay is a cube `Q9`, a fold `Q9[3,3,3]`, a cube and generators `Q4+1100`, all generators\n"
        "`100,010,001`, a folded cube `FQ4`, a product of complete graphs `K4xK3`, or a circulant `Z64{1,5}` or\n"
        "`Z64 degree 6`.",
        "simlette show overlay");
    app.add_option("OVERLAY", words, "The overlay, in quotes for the shell")->type_name("");
    app.add_option("--axis", axes, "Bits of an axis of a mesh, such as 1100; once for each axis")
        ->type_name("BITS")
        ->allow_extra_args(false);
    add_value(app, "--json", json, "FILE", "Write the description as JSON; `-` is stdout");
    add_value(app, "--svg", svg, "FILE", "Draw the overlay");
    add_value(app, "--dot", dot, "FILE", "Write the overlay as a graph for Graphviz");
    app.add_flag("--quiet", quiet, "Print no table");
    app.footer("Example:\n  simlette show overlay 'Q4+1100' --axis 1100 --axis 0011");
    if (!parse(app, arguments, {})) {
        return done;
    }
    if (words.empty()) {
        refuse("expected an overlay: simlette show overlay 'Q9[3,3,3]'");
    }
    Outputs outputs;
    outputs.expect("--json", json);
    outputs.expect("--svg", svg);
    outputs.expect("--dot", dot);
    std::string text = words.front();  // `Z64 degree 6` may come as three words
    for (std::size_t i = 1; i < words.size(); ++i) {
        text += ' ' + words[i];
    }
    const OverlayDescription description = describe_overlay(text, axes);
    outputs.write("--json", outputs.wanted("--json") ? overlay_json(description) : "");
    outputs.write("--svg", outputs.wanted("--svg") ? overlay_svg(description) : "");
    outputs.write("--dot", outputs.wanted("--dot") ? overlay_dot(description) : "");
    if (!quiet && !outputs.uses_stdout()) {
        print(overlay_text(description));
    }
    return done;
}

}  // namespace simlette::program
