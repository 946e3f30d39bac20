#include <fmt/format.h>

#include <iterator>
#include <map>

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

// Quoted only where a hyphen asks for it.
std::string dot_name(const std::string& name) {
    return name.find('-') == std::string::npos ? name : dot_quoted(name);
}

// A row for each level, where there are several.
std::string rows_of(const HostGraph& graph) {
    std::map<std::uint32_t, std::string> rows;
    for (std::uint32_t s = 0; s < graph.packet_switches; ++s) {
        rows[graph.switches[s].level] += ' ' + dot_name(graph.node_name(graph.accelerators + s)) + ';';
    }
    std::string text;
    for (const auto& [level, names] : rows) {
        text += rows.size() > 1 ? fmt::format("  {{rank=same;{}}}\n", names) : std::string();
    }
    return text;
}

}  // namespace

// Every device and every pair of links, one line each; circuits name their port, levels stand in rows.
std::string fabric_dot(const LoadedRun& loaded, const RunInputs& inputs) {
    const auto fabric = build_fabric_of(loaded, inputs);
    const HostGraph& graph = fabric->graph;
    const auto name = [&graph](NodeId node) { return dot_name(graph.node_name(node)); };
    std::string text =
        fmt::format("graph {} {{\n  label={};\n", dot_quoted(inputs.topology), dot_quoted(fabric_line(loaded.fabric)));
    text += fabric->circuits() ? "  layout=circo;\n" : "  rankdir=BT;\n";
    text += "  node [shape=box, fontname=\"sans-serif\"];\n";
    for (NodeId a = 0; a < graph.accelerators; ++a) {
        fmt::format_to(std::back_inserter(text), "  {};\n", name(a));
    }
    for (std::uint32_t s = 0; s < graph.packet_switches; ++s) {
        fmt::format_to(std::back_inserter(text), "  {} [style=rounded];\n", name(graph.accelerators + s));
    }
    text += rows_of(graph);
    for (const HostLink& link : graph.links) {
        if (link.from < link.to) {
            const std::string port =
                link.to < graph.accelerators ? fmt::format(" [label=\"p{}\"]", link.from_port) : std::string();
            fmt::format_to(std::back_inserter(text), "  {} -- {}{};\n", name(link.from), name(link.to), port);
        }
    }
    return text + "}\n";
}

}  // namespace simlette
