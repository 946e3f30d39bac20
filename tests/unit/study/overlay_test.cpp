#include <algorithm>
#include <bit>
#include <deque>
#include <numeric>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/circulant.hpp>
#include <simlette/collective/delivery_plan.hpp>
#include <simlette/collective/proof.hpp>
#include <simlette/study/describe_overlay.hpp>
#include <simlette/study/exact_text.hpp>
#include <simlette/study/names.hpp>

#include <support/shapes.hpp>

using namespace simlette;
using Catch::Matchers::Contains;

namespace {

std::vector<Label> generators(const std::string& text) {
    return read_overlay(text).graph.generators;
}

std::string refused(const std::string& text) {
    try {
        read_overlay(text);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        return error.problems().front().text();
    }
    return "accepted";
}

std::string refused_axes(const std::string& text, const std::vector<std::string>& axes) {
    try {
        describe_overlay(text, axes);
    } catch (const Error& error) {
        return error.problems().front().text();
    }
    return "accepted";
}

// Distances by a search of its own, on labels that are added by hand.
std::vector<std::uint32_t> searched(const CayleyGraph& graph) {
    std::vector<std::uint32_t> distance(graph.group.size(), UINT32_MAX);
    std::deque<Label> queue{0};
    distance[0] = 0;
    while (!queue.empty()) {
        const Label label = queue.front();
        queue.pop_front();
        for (const Label generator : graph.generators) {
            const Label next = graph.group.is_binary() ? label ^ generator : graph.group.plus(label, generator);
            if (distance[next] == UINT32_MAX) {
                distance[next] = distance[label] + 1;
                queue.push_back(next);
            }
        }
    }
    return distance;
}

// Whether labels at a distance can come over last hops with at most `load` labels each.
class LoadCheck {
public:
    LoadCheck(const CayleyGraph& graph, const std::vector<std::uint32_t>& distance, std::uint32_t load)
        : graph_(graph), distance_(distance), load_(load), placed_(graph.generators.size()) {}

    bool fits(std::uint32_t at) {
        for (Label label = 0; label < distance_.size(); ++label) {
            tried_.assign(graph_.generators.size(), false);
            if (distance_[label] == at && !place(label)) {
                return false;
            }
        }
        return true;
    }

private:
    bool place(Label label) {
        for (std::size_t g = 0; g < graph_.generators.size(); ++g) {
            if (tried_[g] || distance_[graph_.group.minus(label, graph_.generators[g])] + 1 != distance_[label]) {
                continue;
            }
            tried_[g] = true;
            if (placed_[g].size() < load_) {
                placed_[g].push_back(label);
                return true;
            }
            for (Label& other : placed_[g]) {
                if (place(other)) {
                    other = label;
                    return true;
                }
            }
        }
        return false;
    }

    const CayleyGraph& graph_;
    const std::vector<std::uint32_t>& distance_;
    std::uint32_t load_;
    std::vector<std::vector<Label>> placed_;
    std::vector<bool> tried_;
};

// What a built schedule moves over its busiest circuit, per byte of the buffer: its pieces are of one size.
Exact volume_of(const Schedule& schedule) {
    Exact sum = 0;
    for (const Phase& phase : schedule.phases) {
        std::uint32_t most = 0;
        for (std::uint32_t rank = 0; rank < schedule.ranks; ++rank) {
            for (const Send& send : schedule.sends_of(phase, rank)) {
                most = std::max(most, send.pieces);
            }
        }
        sum += Exact(most, schedule.blocks * schedule.slices);
    }
    return sum;
}

}  // namespace

TEST_CASE("an overlay is read from the name that people give it") {
    CHECK(generators("Q3") == std::vector<Label>{1, 2, 4});
    CHECK(generators("Q3[2,1]") == std::vector<Label>{1, 2, 3, 4});
    CHECK(generators("Q4+1100+0011") == std::vector<Label>{1, 2, 4, 8, 12, 3});
    CHECK(generators("FQ3") == std::vector<Label>{1, 2, 4, 7});
    CHECK(generators("FQ1") == std::vector<Label>{1});
    CHECK(generators("100,010, 001") == std::vector<Label>{4, 2, 1});
    CHECK(generators("K4xK2") == generators("Q3[2,1]"));
    CHECK(generators("K4xK3") == std::vector<Label>{1, 2, 3, 4, 8});
    CHECK(generators("Z8{1,4}") == std::vector<Label>{1, 7, 4});
    CHECK(generators("Z8 degree 3") == best_circulant(8, 3).generators);
    CHECK(read_overlay("K4xK2").graph.group.is_binary());
    CHECK(read_overlay("K4xK3").graph.group.radices() == std::vector<std::uint32_t>{4, 3});
    CHECK(read_overlay("Z8{1}").graph.group.is_cyclic());
    CHECK(generators("Q10[10]").size() == 1023);
}

TEST_CASE("a text that is no overlay is refused with its column, what was expected, and a hint") {
    CHECK(refused("Q9[3,3,4]") ==
          "overlay `Q9[3,3,4]`, column 3: the blocks add up to 10 bits; expected 9; did you mean `Q10[3,3,4]`?");
    CHECK(refused("Q4+110") == "overlay `Q4+110`, column 4: generator `110` has 3 bits; expected 4");
    CHECK(refused("Q4+1102") == "overlay `Q4+1102`, column 7: unexpected `2`; expected `0` or `1`");
    CHECK(refused("Q4+1000") == "overlay `Q4+1000`, column 4: generator `1000` is there already");
    CHECK_THAT(refused("Q4+0000"), Contains("column 4: a generator of zeros"));
    CHECK_THAT(refused("q9"), Contains("column 1: unexpected `q`; did you mean `Q9`?; expected a cube"));
    CHECK_THAT(refused("fq4"), Contains("did you mean `FQ4`?"));
    CHECK_THAT(refused("foo"), Contains("column 1: unexpected `f`; expected a cube such as `Q9`"));
    CHECK_THAT(refused(""), Contains("column 1: expected a cube"));
    CHECK_THAT(refused("Q11"), Contains("column 2: the number of bits is `11`; expected 1 to 10"));
    CHECK_THAT(refused("Q09"), Contains("column 2: `09` has a leading zero"));
    CHECK_THAT(refused("Q"), Contains("column 2: unexpected end; expected the number of bits"));
    CHECK_THAT(refused("Q9[3,3,3"), Contains("column 9: unexpected end; expected `]` or `,`"));
    CHECK_THAT(refused("Q9[3,0,6]"), Contains("column 6: the bits of a block is `0`; expected 1 to 9"));
    CHECK_THAT(refused("Q4 1100"), Contains("column 3: unexpected ` `; expected the end, or a generator such as"));
    CHECK_THAT(refused("100,01"), Contains("column 5: generator `01` has 2 bits; expected 3"));
    CHECK_THAT(refused("K4x3"), Contains("column 4: unexpected `3`; expected `K`"));
    CHECK_THAT(refused("K40xK40"), Contains("column 5: the product has 1,600 ranks; expected at most 1,024"));
    CHECK_THAT(refused("Z64{1,63}"), Contains("column 7: step `63` is there already; a step leads both ways"));
    CHECK_THAT(refused("Z64{64}"), Contains("column 5: a step is `64`; expected 1 to 63"));
    CHECK_THAT(refused("Z64"), Contains("column 4: unexpected end; expected `{`"));
    CHECK_THAT(refused("Z64 degree 64"), Contains("column 12: the degree is `64`; expected 2 to 63"));
    CHECK_THAT(refused("Z512 degree 4"), Contains("column 2: the best circulant is searched for up to 128 ranks"));
    CHECK_THAT(refused("Q99999999999999999999"), Contains("column 2: the number of bits is"));
}

TEST_CASE("axes share the bits of the labels out, each bit in one") {
    CHECK_THAT(refused_axes("Q4", {"1100"}), Contains("no `--axis` has the bits 0011"));
    CHECK_THAT(refused_axes("Q4", {"1100", "0110"}), Contains("`--axis 0110` has a bit of another axis"));
    CHECK_THAT(refused_axes("Q4", {"12"}), Contains("`--axis` is `12`; expected 4 bits"));
    CHECK_THAT(refused_axes("K3", {"1"}), Contains("the ranks of `K3` have none"));
    const OverlayDescription mesh = describe_overlay("Q4+1100", {"1100", "0011"});
    CHECK(mesh.axes[0].diameter == 1);
    CHECK(mesh.axes[1].diameter == 2);
    CHECK_FALSE(describe_overlay("1100,0100,0011", {"1100", "0011"}).axes[1].diameter);
}

TEST_CASE("what is said of overlays of 7 to 9 bits agrees with searches of its own and with the built schedules") {
    for (const std::string text : {"Q7[4,3]", "Q7+1111111", "Q8[4,2,2]", "Q8[3,3,2]", "Q9[3,3,3]", "FQ9"}) {
        CAPTURE(text);
        const OverlayDescription description = describe_overlay(text, {});
        const CayleyGraph& graph = description.overlay.graph;
        const std::vector<std::uint32_t> distance = searched(graph);
        CHECK(description.diameter == *std::max_element(distance.begin(), distance.end()));
        std::uint32_t inside = 0;
        for (std::uint32_t k = 0; k < description.spheres.size(); ++k) {
            CHECK(description.spheres[k] == std::count(distance.begin(), distance.end(), k));
            inside += description.spheres[k];
            CHECK(description.balls[k] == inside);
        }
        for (std::uint32_t k = 1; k <= description.loads.size(); ++k) {
            const std::uint32_t load = description.loads[k - 1];
            CHECK(LoadCheck(graph, distance, load).fits(k));
            CHECK_FALSE(LoadCheck(graph, distance, load - 1).fits(k));
        }
        const Overlay overlay = overlay_of_graph(graph);
        for (const OverlaySchedule& line : description.schedules) {
            // A ring is long; the price by the narrowest layer is of no schedule of its own.
            if (line.misfit || line.kind == ScheduleKind::ring || line.kind == ScheduleKind::rs_ag_parallel_r_min) {
                continue;
            }
            CAPTURE(name_of(line.kind), name_of(line.primitive));
            const Schedule schedule = build_schedule(line.primitive, line.kind, overlay);
            CHECK(schedule.phases.size() == line.cost.phases);
            CHECK(volume_of(schedule) == line.cost.volume);
        }
    }
}

TEST_CASE("the schedules on a fold of 9 bits pass their proof") {
    const Overlay overlay = overlay_of_graph(read_overlay("Q9[3,3,3]").graph);
    for (const ScheduleKind kind : {ScheduleKind::one_shot_dvo, ScheduleKind::coset_factored_parallel,
                                    ScheduleKind::rs_ag, ScheduleKind::rs_ag_parallel}) {
        CHECK_FALSE(find_flaw(build_schedule(Primitive::all_reduce, kind, overlay), Primitive::all_reduce));
    }
}

TEST_CASE("an overlay that does not reach every rank is described, without what it lacks") {
    const OverlayDescription description = describe_overlay("Z8{2}", {});
    CHECK_FALSE(description.connected);
    CHECK_FALSE(description.diameter);
    CHECK(description.balls.back() == 4);
    CHECK(description.loads.empty());
    CHECK_THAT(overlay_text(description), Contains("not connected; 4 are reached"));
    CHECK_THAT(overlay_text(description), Contains("no all-reduce by one-shot: it needs circuits"));
    CHECK_THAT(overlay_json(description), Contains("\"diameter\": null"));
}

TEST_CASE("layers are told apart: blocks, and sets that are no subgroup") {
    const std::string text = overlay_text(describe_overlay("FQ3", {}));
    CHECK_THAT(text, Contains("1      4      no subgroup  001 010 100"));
    CHECK_THAT(text, Contains("coset layers that join their ranks completely"));
    CHECK_THAT(overlay_text(describe_overlay("Q3[2,1]", {})), Contains("1      4      block  001 010 011"));
    CHECK_THAT(overlay_text(describe_overlay("K3xK2", {})), Contains("1      3      subgroup  (1,0) (2,0)"));
}

TEST_CASE("a picture of an overlay joins ranks by the colour of the generator, of many by the layer") {
    const auto count = [](const std::string& text, const std::string& part) {
        std::size_t found = 0;
        for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
            ++found;
        }
        return found;
    };
    const std::string few = overlay_svg(describe_overlay("Q3", {}));
    CHECK(count(few, "<circle") == 8);
    CHECK(count(few, "<path class=\"c0\"") == 4 + 1);  // and the one of the legend
    CHECK_THAT(overlay_svg(describe_overlay("Z8{1,4}", {})), Contains("\u00b11<"));
    CHECK_THAT(overlay_svg(describe_overlay("Q9[9]", {})),
               Contains("layer 1, 511 generators") && Contains("drawn in groups of 8 ranks"));
    CHECK(count(overlay_dot(describe_overlay("Q3", {})), " -- ") == 12);
}

TEST_CASE("fractions are written exactly, or rounded half away from zero") {
    CHECK(fraction_text(Exact(73, 256)) == "73/256");
    CHECK(fraction_text(Exact(6, 2)) == "3");
    CHECK(decimal_text(Exact(73, 256), 4) == "0.2852");
    CHECK(decimal_text(Exact(1, 2), 0) == "1");
    CHECK(decimal_text(Exact(-1, 8), 2) == "-0.13");
    CHECK(decimal_text(Exact(-1, 1000), 2) == "0.00");
    CHECK(decimal_text(Exact(12345, 100), 1) == "123.5");
}
