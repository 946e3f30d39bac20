#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <simlette/fabric/built_fabric.hpp>
#include <simlette/study/draw_fabric.hpp>
#include <simlette/study/fabric_sketch.hpp>
#include <simlette/study/picture_style.hpp>
#include <simlette/study/svg.hpp>

using namespace simlette;
using namespace simlette::literals;
using Catch::Matchers::Contains;

namespace {

LoadedRun packets(std::uint32_t accelerators, std::uint32_t ports) {
    LoadedRun loaded;
    loaded.fabric.accelerators = accelerators;
    loaded.fabric.ports = ports;
    return loaded;
}

LoadedRun cube(std::uint32_t accelerators, std::uint32_t ports) {
    LoadedRun loaded = packets(accelerators, ports);
    loaded.fabric.device = DeviceKind::ocs;
    loaded.fabric.circuits.cube = true;
    return loaded;
}

LoadedRun racks(std::uint32_t accelerators, std::uint32_t group, std::uint32_t ports, DeviceKind level2) {
    LoadedRun loaded = packets(accelerators, ports);
    loaded.fabric.kind = FabricKind::two_level;
    loaded.fabric.group = group;
    loaded.fabric.level1 = {DeviceKind::eps, 2 * group, group, 2};
    loaded.fabric.level2 = {level2, accelerators / group, 0, 0};
    loaded.fabric.circuits.automatic = level2 == DeviceKind::ocs;
    return loaded;
}

std::string picture(const LoadedRun& loaded) {
    return fabric_svg(loaded, {"a < b & \"c\".yaml", "", {}, {}});
}

std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        ++found;
    }
    return found;
}

// Numbers that stand in attributes are finite and within the page, give or take a label.
bool within_page(const std::string& svg) {
    for (const char* name : {" x=\"", " y=\"", " cx=\"", " cy=\""}) {
        for (std::size_t at = svg.find(name); at != std::string::npos; at = svg.find(name, at + 1)) {
            const double value = std::stod(svg.substr(at + std::string(name).size(), 12));
            if (!(value >= 0 && value <= 1200)) {
                return false;
            }
        }
    }
    return svg.find("nan") == std::string::npos && svg.find("inf") == std::string::npos;
}

RunReport run_of(const LoadedRun& loaded) {
    return run(loaded, {"t.yaml", "w.yaml", {}, {}});
}

}  // namespace

TEST_CASE("a picture has a title, a description and a view box, and its words are escaped") {
    const std::string svg = picture(packets(4, 2));
    CHECK_THAT(svg, Contains("viewBox=\"0 0 1200 700\"") && Contains("<title id=\"title\">single-level eps, 4 ") &&
                        Contains("<desc id=\"description\">4 accelerators; 2 electronic packet switches; 16 directed"));
    CHECK_THAT(svg, Contains("a &lt; b &amp; &quot;c&quot;.yaml") && !Contains("a < b"));
    CHECK(xml_escaped("\x01") == "\xef\xbf\xbd");
    CHECK(svg == picture(packets(4, 2)));
}

TEST_CASE("a small fabric is drawn link by link and device by device") {
    const std::string eps = picture(packets(4, 2));
    CHECK(count(eps, " faint\"") == 8);
    CHECK(count(eps, "<rect class=\"device\"") == 4);
    CHECK(count(eps, "<rect class=\"switch\"") == 2);
    const std::string ocs = picture(cube(8, 3));
    CHECK(count(ocs, "<circle class=\"device\"") == 8);
    CHECK(count(ocs, "Q") >= 12);
    CHECK_THAT(ocs, Contains(">001<") && Contains(">010<") && Contains(">100<") && Contains("\u00d71, 4 circuits"));
}

TEST_CASE("a fabric of any size stays within the page, in groups where it is large") {
    for (const std::uint32_t accelerators : {1U, 2U, 3U, 32U, 33U, 1000U, 1024U}) {
        CHECK(within_page(picture(packets(accelerators, 72))));
    }
    for (const std::uint32_t accelerators : {1U, 2U, 4U, 64U, 128U, 256U, 1024U, 4096U}) {
        CHECK(within_page(picture(cube(accelerators, 12))));
    }
    CHECK_THAT(picture(packets(1000, 72)), Contains("drawn in groups of 32 accelerators") && Contains("a992\u2013999"));
    CHECK_THAT(picture(cube(1024, 12)), Contains("2,048 circuits within groups not drawn"));
}

TEST_CASE("a sketch keeps every link, drawn or within a group") {
    const auto circuits = build_fabric(cube(512, 19).fabric);
    const FabricSketch sketched = sketch(*circuits, {});
    std::uint64_t links = sketched.inside;
    for (const SketchEdge& edge : sketched.edges) {
        links += edge.links;
    }
    CHECK(links == circuits->graph.links.size() / 2);
    CHECK(sketched.copies == std::vector<std::uint32_t>(9, 2));
    const auto planes = build_fabric(packets(100, 40).fabric);
    links = 0;
    for (const SketchEdge& edge : sketch(*planes, {}).edges) {
        links += edge.links;
    }
    CHECK(links == 100 * 40);
}

TEST_CASE("a line between groups takes the use of its busiest link, each way") {
    const auto fabric = build_fabric(packets(64, 1).fabric);
    std::vector<std::int64_t> use(fabric->graph.links.size(), 10);
    use[3] = 700'000'000;       // a3 to s0
    use[64 + 2] = 300'000'000;  // s0 to a2
    const FabricSketch sketched = sketch(*fabric, use);
    REQUIRE(sketched.edges.size() == 32);
    CHECK(sketched.edges[1].use_forth == 700'000'000);
    CHECK(sketched.edges[1].use_back == 300'000'000);
    CHECK(sketched.edges[0].use_forth == 10);
}

TEST_CASE("two levels are drawn by level and rail: all rails of a small fabric, the busiest of a large one") {
    const std::string small = picture(racks(16, 4, 2, DeviceKind::eps));
    CHECK(count(small, "<rect class=\"device\"") == 16);
    CHECK(count(small, "<rect class=\"switch\"") == 2 * (4 + 2));
    CHECK(count(small, " faint\"") == 2 * (16 + 4 * 2));
    CHECK_THAT(small, Contains(">leaf3r1<") && Contains(">spine1r0<") && Contains(">rail 1<"));
    CHECK(within_page(small));

    LoadedRun large = racks(512, 32, 8, DeviceKind::eps);
    CHECK_THAT(picture(large), Contains("drawn: rail 0 of 8<") && Contains("drawn in groups of 32 accelerators") &&
                                   Contains(">spine1r0<") && !Contains("r1<"));
    const auto fabric = build_fabric(large.fabric);
    std::vector<std::int64_t> use(fabric->graph.links.size(), 10);
    use[8 * 40 + 5] = 700'000'000;  // a40 by its port 5
    const FabricSketch sketched = sketch(*fabric, use);
    CHECK(sketched.notes.front() == "drawn: rail 5 of 8, the busiest");
    CHECK(sketched.groups.size() == 16 + 16 + 2);
    CHECK(sketched.edges[1].use_forth == 700'000'000);
    for (const std::uint32_t accelerators : {32U, 64U, 2048U, 4096U}) {
        CHECK(within_page(picture(racks(accelerators, 32, 3, DeviceKind::eps))));
    }
}

TEST_CASE("circuits between racks rise above the switches of the racks") {
    LoadedRun hybrid = racks(16, 4, 3, DeviceKind::ocs);
    const std::string svg = picture(hybrid);
    CHECK(count(svg, "<rect class=\"switch\"") == 3 * 4);
    CHECK(within_page(svg));
    const auto fabric = build_fabric(hybrid.fabric);
    std::uint64_t circuits = 0;
    for (const SketchEdge& edge : sketch(*fabric, {}).edges) {
        circuits += edge.from >= 16 ? edge.links : 0;
    }
    CHECK(circuits == 3 * 4 * 2 / 2);
}

TEST_CASE("the switches of a graph stand in rows by their hops, each over what hangs below it") {
    LoadedRun graph = packets(4, 1);
    graph.fabric.kind = FabricKind::explicit_graph;
    graph.fabric.graph.devices = {{"far", 0}, {"right", 0}, {"left-1", 0}};
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> ends{{0, 6}, {1, 6}, {2, 5}, {3, 5}, {5, 4}, {6, 4}};
    for (const auto& [from, to] : ends) {
        GraphSpec::Link link;
        link.from = from;
        link.to = to;
        graph.fabric.graph.links.push_back(link);
    }
    const FabricSketch sketched = sketch(*build_fabric(graph.fabric), {});
    REQUIRE(sketched.groups.size() == 4 + 3);
    CHECK(sketched.groups[4].name == "right");
    CHECK(sketched.groups[4].level == 1);
    CHECK(sketched.groups[6].name == "far");
    CHECK(sketched.groups[6].level == 2);
    const std::string svg = picture(graph);
    CHECK(within_page(svg));
    CHECK_THAT(svg, Contains("3 electronic packet switches"));
    const auto x_of = [&svg](const std::string& name) {
        const std::size_t at = svg.rfind(" x=\"", svg.find('>' + name + '<'));
        return std::stod(svg.substr(at + 4, 8));
    };
    CHECK(x_of("left-1") < x_of("right"));
    CHECK_THAT(fabric_dot(graph, {"t.yaml", "", {}, {}}), Contains("  a0 -- \"left-1\";\n"));
}

TEST_CASE("a torus of two dimensions is a grid, its ring links bend around the row") {
    LoadedRun torus = packets(12, 4);
    torus.fabric.kind = FabricKind::direct;
    torus.fabric.circuits.shape = CircuitShape::torus;
    torus.fabric.circuits.torus = {3, 4};
    const std::string svg = picture(torus);
    CHECK_THAT(svg, Contains("ports 0 and 1") && Contains("ports 2 and 3") && Contains("12 circuits"));
    CHECK(sketch(*build_fabric(torus.fabric), {}).columns == 4);
    CHECK(within_page(svg));
}

TEST_CASE("use is shown in tenths, and apart where nothing was sent") {
    CHECK(use_class(0) == "idle");
    CHECK(use_class(1) == "u0");
    CHECK(use_class(99'999'999) == "u0");
    CHECK(use_class(100'000'000) == "u1");
    CHECK(use_class(1'000'000'000) == "u9");
}

TEST_CASE("the links of a run are coloured by their use, and the busiest are named") {
    LoadedRun loaded = packets(3, 1);
    WorkloadEntry entry;
    entry.collective.primitive = Primitive::send_recv;
    entry.collective.group = {2, 0};
    entry.collective.bytes = 64_KiB;
    loaded.workload.collectives = {entry};
    loaded.fabric.responses = ResponsePolicy::none;
    const std::string svg = links_svg(run_of(loaded));
    CHECK(count(svg, "path class=\"idle\"") == 1 + 4);  // one in the legend, two links of two halves without traffic
    CHECK(count(svg, "path class=\"u6\"") == 1 + 2);    // 103 flits of 12.8 ns in 104 of them and 810 ns
    CHECK_THAT(svg, Contains("a2.p0-&gt;s0.p2") && Contains("s0.p0-&gt;a0.p0") && Contains("t.yaml with w.yaml"));
}

TEST_CASE("a fabric without generators is coloured by port") {
    LoadedRun loaded = cube(4, 3);
    loaded.fabric.circuits.cube = false;
    loaded.fabric.circuits.port_pairs = {{{0, 1}, {2, 3}}, {}, {{1, 2}}};
    const std::string svg = picture(loaded);
    CHECK_THAT(svg, Contains("port 0") && Contains("port 2") && !Contains("port 1") && Contains("1 circuits"));
}

TEST_CASE("a graph for Graphviz has every device and every pair of links") {
    const std::string eps = fabric_dot(packets(4, 2), {"t\"1\".yaml", "", {}, {}});
    CHECK(count(eps, " -- ") == 8);
    CHECK_THAT(
        eps, Contains("graph \"t\\\"1\\\".yaml\" {") && Contains("  a3 -- s1;\n") && Contains("  s1 [style=rounded];"));
    const std::string ocs = fabric_dot(cube(4, 2), {"t.yaml", "", {}, {}});
    CHECK(count(ocs, " -- ") == 4);
    CHECK_THAT(ocs, Contains("  a0 -- a2 [label=\"p1\"];\n"));
    const std::string levels = fabric_dot(racks(8, 4, 1, DeviceKind::eps), {"t.yaml", "", {}, {}});
    CHECK(count(levels, " -- ") == 8 + 2 * 2);
    CHECK_THAT(levels, Contains("  a7 -- leaf1r0;\n") && Contains("  leaf1r0 -- spine1r0;\n") &&
                           Contains("  {rank=same; leaf0r0; leaf1r0;}\n"));
}
