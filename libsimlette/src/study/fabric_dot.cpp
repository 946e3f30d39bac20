#include <fmt/format.h>

#include <iterator>

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/study/describe.hpp>
#include <simlette/study/draw_fabric.hpp>
#include <simlette/study/run_setup.hpp>

namespace simlette {

namespace {

std::string dot_quoted(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
        }
        quoted += c == '\n' ? ' ' : c;
    }
    return quoted + '"';
}

}  // namespace

// Every device and every pair of links, one line each; circuits name their port.
std::string fabric_dot(const LoadedRun& loaded, const RunInputs& inputs) {
    const auto fabric = build_fabric_of(loaded, inputs);
    const HostGraph& graph = fabric->graph;
    std::string text =
        fmt::format("graph {} {{\n  label={};\n", dot_quoted(inputs.topology), dot_quoted(fabric_line(loaded.fabric)));
    text += fabric->circuits() ? "  layout=circo;\n" : "  rankdir=BT;\n";
    text += "  node [shape=box, fontname=\"sans-serif\"];\n";
    for (std::uint32_t a = 0; a < graph.accelerators; ++a) {
        fmt::format_to(std::back_inserter(text), "  a{};\n", a);
    }
    for (std::uint32_t s = 0; s < graph.packet_switches; ++s) {
        fmt::format_to(std::back_inserter(text), "  s{} [style=rounded];\n", s);
    }
    for (const HostLink& link : graph.links) {
        if (link.to >= graph.accelerators) {
            fmt::format_to(std::back_inserter(text), "  a{} -- s{};\n", link.from, link.to - graph.accelerators);
        } else if (link.from < link.to) {
            fmt::format_to(std::back_inserter(text), "  a{} -- a{} [label=\"p{}\"];\n", link.from, link.to,
                           link.from_port);
        }
    }
    return text + "}\n";
}

}  // namespace simlette
