#include <simlette/study/plan_file.hpp>

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include <simlette/base/error.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/study/kinds.hpp>
#include <simlette/study/yaml_text.hpp>

namespace simlette {

namespace {

constexpr std::int64_t most_ranks = 65'536;
constexpr std::int64_t most_ports = 1'024;
constexpr std::int64_t most_bits = 16;
constexpr std::int64_t most_calls = 1'000'000'000;
constexpr Bytes most_bytes{std::int64_t{1} << 40};
constexpr Duration longest{INT64_MAX};

template <class T>
Kind<T> number(std::int64_t low, std::int64_t high) {
    return whole<T>(low, high);
}

// A field of a member of the struct.
template <class S, class M, class T>
Field<S> within(std::string key, M S::*outer, T M::*member, Kind<T> kind, std::string meaning) {
    Field<S> field;
    field.info = {std::move(key), std::move(meaning), true, true};
    field.read = [=](const Value& value, S& into) { kind.read(value, into.*outer.*member); };
    field.write = [=](const S& from) { return kind.write(from.*outer.*member); };
    field.schema = kind.schema;
    return field;
}

template <class S>
Field<S> may(Field<S> field) {
    field.info.required = false;
    return field;
}

// Left out where it is empty.
template <class T>
Kind<std::vector<T>> or_none(Kind<std::vector<T>> kind) {
    kind.write = [write = kind.write](const std::vector<T>& list) { return list.empty() ? Node{} : write(list); };
    return kind;
}

Kind<std::vector<unsigned>> bits_kind() {
    return or_none(whole_list(0, most_bits - 1, "bits of the accelerator's label, such as [7, 6]"));
}

Kind<std::vector<std::vector<unsigned>>> blocks_kind() {
    Kind<std::vector<std::vector<unsigned>>> kind;
    kind.read = [](const Value& value, std::vector<std::vector<unsigned>>& into) {
        if (!value.is_list()) {
            return value.expect("a list of blocks of bits, such as [[7, 6], [5]]");
        }
        bool good = true;
        for (std::size_t i = 0; i < value.node().items.size(); ++i) {
            good = bits_kind().read(value.item(i), into.emplace_back()) && good;
        }
        return good;
    };
    kind.write = [](const std::vector<std::vector<unsigned>>& blocks) {
        std::vector<Node> items;
        for (const std::vector<unsigned>& block : blocks) {
            items.push_back(bits_kind().write(block));
        }
        return items.empty() ? Node{} : list_node(std::move(items));
    };
    kind.schema = list_schema(bits_kind().schema);
    return kind;
}

Fields<PlannedCollective> collective_fields_of_plan() {
    using P = PlannedCollective;
    return {
        within("primitive", &P::collective, &PlanCollective::primitive, choice(primitive_names, {}), "what is done"),
        within("bytes", &P::collective, &PlanCollective::bytes, size_kind({1}, most_bytes),
               "the larger of a rank's input and output buffer"),
        within("calls", &P::collective, &PlanCollective::calls, number<std::uint32_t>(1, most_calls),
               "its weight: how often a step makes it"),
        within("schedule", &P::collective, &PlanCollective::schedule, choice(schedule_names, {}), "that was chosen"),
        required("phases", &P::phases, number<std::uint32_t>(0, most_ranks), "of one call"),
        required("time", &P::time, time_kind({0}, longest), "of one call"),
    };
}

Fields<PlannedAxis> axis_fields() {
    return {
        required("name", &PlannedAxis::name, text_kind("a name"), "of the axis"),
        required("size", &PlannedAxis::size, number<std::uint32_t>(1, most_ranks), "ranks along it"),
        optional("bits", &PlannedAxis::bits, bits_kind(),
                 "of the accelerator's label that hold the coordinate, most significant first"),
        optional("blocks", &PlannedAxis::blocks, blocks_kind(),
                 "the same bits in blocks, each with all masks over it; none without collectives"),
        optional("topology", &PlannedAxis::topology, text_kind("a topology, such as Q6[3,3]"), "its circuits, named"),
        required("degree", &PlannedAxis::degree, number<std::uint32_t>(0, most_ranks), "generators of the axis"),
        required("multiplicity", &PlannedAxis::multiplicity, number<std::uint32_t>(0, most_ports),
                 "parallel circuits of each generator that its schedules count on"),
        optional("collectives", &PlannedAxis::collectives,
                 or_none(list_of(collective_fields_of_plan(), "a list of collectives")), "that run along it"),
    };
}

Fields<PlannedMesh> mesh_fields() {
    return {
        required("name", &PlannedMesh::name, text_kind("a name"), "of the mesh"),
        required("axes", &PlannedMesh::axes, list_of(axis_fields(), "a list of axes"), "slowest first"),
    };
}

// Labels as bit strings. Their length is checked once the number of ranks is known.
Field<PlanFile> generators_field() {
    Field<PlanFile> field;
    field.info = {"generators", "accelerator x is joined to x XOR g; bit strings, most significant bit first", true,
                  true};
    field.read = [](const Value& value, PlanFile& into) {
        if (!value.is_list()) {
            value.expect("a list of bit strings, such as [\"01\", \"10\"]");
            return;
        }
        for (std::size_t i = 0; i < value.node().items.size(); ++i) {
            const std::string& text = value.item(i).node().text;
            if (text.empty() || text.size() > most_bits || text.find_first_not_of("01") != std::string::npos) {
                value.item(i).expect("a bit string, most significant bit first, such as `00001`");
                return;
            }
            into.plan.generators.push_back(static_cast<Label>(std::stoul(text, nullptr, 2)));
        }
    };
    field.write = [](const PlanFile& from) {
        std::vector<Node> items;
        for (const Label generator : from.plan.generators) {
            items.push_back(text_node(label_text(generator, bits_of(from.plan.ranks))));
        }
        return list_node(std::move(items));
    };
    field.schema = map_node({{"type", text_node("array")},
                             {"items", map_node({{"type", text_node("string")}, {"pattern", text_node("^[01]+$")}})}});
    return field;
}

Fields<PlanFile> request_part() {
    using R = PlanRequest;
    constexpr Duration second{ps_per_second};
    return {
        within("rate", &PlanFile::request, &R::rate, rate_kind(), "payload rate of a port, one direction"),
        within("latency", &PlanFile::request, &R::latency, time_kind({0}, second),
               "of a circuit inside a group, core to core; on one level of every circuit"),
        within("latency_across", &PlanFile::request, &R::latency_across, time_kind({0}, second),
               "of a circuit between groups"),
        within("group", &PlanFile::request, &R::group, number<std::uint32_t>(0, most_ranks),
               "accelerators of a rack; 0: one level"),
        within("up", &PlanFile::request, &R::up, number<std::uint32_t>(0, most_ranks),
               "circuits of one rail that may leave a rack"),
    };
}

class PlanCheck {
public:
    PlanCheck(const Value& file, const PlanFile& file_read) : file_(file), plan_(file_read.plan) {}

    bool run() {
        if (!is_power_of_two(plan_.ranks)) {
            return fail("ranks",
                        fmt::format("is {}; plans are for a power of two of ranks in this version", plan_.ranks));
        }
        if (!generators() || !copies()) {
            return false;
        }
        bool good = true;
        std::set<std::string> names;
        for (std::size_t i = 0; i < plan_.meshes.size(); ++i) {
            const std::string path = fmt::format("meshes.{}", i);
            good = (names.insert(plan_.meshes[i].name).second ||
                    fail(path + ".name", "is " + quote(plan_.meshes[i].name) + ", the name of a mesh before")) &&
                   mesh(plan_.meshes[i], path) && good;
        }
        return good && total();
    }

private:
    bool fail(const std::string& path, const std::string& what) const {
        return file_.at(path).fail(quote(path) + ' ' + what);
    }

    bool generators() const {
        const unsigned bits = bits_of(plan_.ranks);
        std::set<Label> seen;
        for (std::size_t i = 0; i < plan_.generators.size(); ++i) {
            const std::string path = fmt::format("generators.{}", i);
            const std::string& text = file_.at(path).node().text;
            if (text.size() != bits) {
                return fail(path, fmt::format("is {}, of {} bits; expected {} for {} ranks", quote(text), text.size(),
                                              bits, plan_.ranks));
            }
            if (plan_.generators[i] == 0 || !seen.insert(plan_.generators[i]).second) {
                return fail(path, "is " + quote(text) +
                                      (plan_.generators[i] == 0 ? "; it would join each accelerator to itself"
                                                                : ", which stands there before; use `multiplicity`"));
            }
        }
        return plan_.degree == plan_.generators.size() ||
               fail("degree", fmt::format("is {}; there are {} generators", plan_.degree, plan_.generators.size()));
    }

    bool copies() const {
        if (plan_.copies.size() != plan_.generators.size()) {
            return fail("multiplicity", fmt::format("has {} numbers; expected {}, one for each generator",
                                                    plan_.copies.size(), plan_.generators.size()));
        }
        const std::uint64_t sum = std::accumulate(plan_.copies.begin(), plan_.copies.end(), std::uint64_t{0});
        if (sum != plan_.ports_used) {
            return fail("ports_used", fmt::format("is {}; the sum of `multiplicity` is {}", plan_.ports_used, sum));
        }
        return sum <= plan_.ports || fail("ports", fmt::format("is {}, but the circuits need {}", plan_.ports, sum));
    }

    bool mesh(const PlannedMesh& mesh, const std::string& path) {
        std::uint64_t product = 1;
        std::set<unsigned> taken;
        bool good = true;
        for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
            product = std::min<std::uint64_t>(product * mesh.axes[i].size, UINT32_MAX);
            good = axis(mesh.axes[i], fmt::format("{}.axes.{}", path, i), taken) && good;
        }
        return (product == plan_.ranks || fail(path, fmt::format("has {} ranks; expected {}", product, plan_.ranks))) &&
               good;
    }

    bool axis(const PlannedAxis& axis, const std::string& path, std::set<unsigned>& taken) {
        if (axis.size != std::uint64_t{1} << axis.bits.size()) {
            return fail(path + ".bits", fmt::format("has {} bits for a size of {}", axis.bits.size(), axis.size));
        }
        for (const unsigned bit : axis.bits) {
            if (bit >= bits_of(plan_.ranks) || !taken.insert(bit).second) {
                return fail(path + ".bits",
                            fmt::format("names bit {}, {}", bit,
                                        bit >= bits_of(plan_.ranks) ? "beyond the labels of the accelerators"
                                                                    : "which is taken already"));
            }
        }
        return blocks(axis, path) && collectives(axis, path);
    }

    bool blocks(const PlannedAxis& axis, const std::string& path) {
        std::vector<unsigned> bits;
        for (const std::vector<unsigned>& block : axis.blocks) {
            bits.insert(bits.end(), block.begin(), block.end());
        }
        std::vector<unsigned> expected = axis.bits;
        std::sort(bits.begin(), bits.end());
        std::sort(expected.begin(), expected.end());
        if (axis.blocks.empty() ? !axis.collectives.empty() && axis.size > 1 : bits != expected) {
            return fail(path + ".blocks", "must hold every bit of `bits` once");
        }
        for (const std::vector<unsigned>& block : axis.blocks) {
            if (!masks_stand(axis, block, path)) {
                return false;
            }
        }
        return true;
    }

    // Every mask over the block is a generator, with as many copies as the axis counts on.
    bool masks_stand(const PlannedAxis& axis, const std::vector<unsigned>& block, const std::string& path) {
        Label all = 0;
        for (const unsigned bit : block) {
            all |= Label{1} << bit;
        }
        for (Label mask = all; mask != 0; mask = (mask - 1) & all) {
            const auto found = std::find(plan_.generators.begin(), plan_.generators.end(), mask);
            const std::uint32_t stand = found == plan_.generators.end()
                                            ? 0
                                            : plan_.copies[static_cast<std::size_t>(found - plan_.generators.begin())];
            if (stand < std::max(axis.multiplicity, 1U)) {
                return fail(path + ".blocks", fmt::format("need {} circuits of generator {}; there are {}",
                                                          std::max(axis.multiplicity, 1U),
                                                          quote(label_text(mask, bits_of(plan_.ranks))), stand));
            }
        }
        return true;
    }

    bool collectives(const PlannedAxis& axis, const std::string& path) const {
        for (std::size_t i = 0; i < axis.collectives.size(); ++i) {
            const PlanCollective& collective = axis.collectives[i].collective;
            const std::vector<ScheduleKind> known = schedules_of(collective.primitive);
            if (std::find(known.begin(), known.end(), collective.schedule) == known.end()) {
                return fail(fmt::format("{}.collectives.{}.schedule", path, i),
                            fmt::format("is `{}`, which carries out no {}", name_of(collective.schedule),
                                        name_of(collective.primitive)));
            }
        }
        return true;
    }

    bool total() const {
        Duration sum{0};
        for (const PlannedMesh& mesh : plan_.meshes) {
            for (const PlannedAxis& axis : mesh.axes) {
                for (const PlannedCollective& planned : axis.collectives) {
                    std::int64_t part = 0;
                    if (__builtin_mul_overflow(planned.time.ps, std::int64_t{planned.collective.calls}, &part) ||
                        __builtin_add_overflow(sum.ps, part, &sum.ps)) {
                        return fail("total", "is not the sum of calls times time, which is too large");
                    }
                }
            }
        }
        return sum == plan_.total || fail("total", fmt::format("is {}; calls times time add up to {}",
                                                               duration_text(plan_.total), duration_text(sum)));
    }

    const Value& file_;
    const Plan& plan_;
};

}  // namespace

const Fields<PlanFile>& plan_fields() {
    static const Fields<PlanFile> fields = [] {
        const auto time = time_kind({0}, longest);
        const auto count = number<std::uint32_t>(0, most_ranks);
        const auto of = [](auto key, auto member, auto kind, const char* meaning) {
            return within(key, &PlanFile::plan, member, kind, meaning);
        };
        Fields<PlanFile> all{
            of("ranks", &Plan::ranks, number<std::uint32_t>(1, most_ranks), "accelerators that the plan is for"),
            of("ports", &Plan::ports, number<std::uint32_t>(1, most_ports), "of each accelerator, that there are"),
        };
        for (Field<PlanFile>& field : request_part()) {
            all.push_back(std::move(field));
        }
        const Fields<PlanFile> rest{
            of("space", &Plan::space, text_kind("a text"), "what was searched, and so what `optimal` means"),
            of("total", &Plan::total, time, "the sum of calls times time"),
            of("bound", &Plan::bound, time, "no plan of the space is faster"),
            of("optimal", &Plan::optimal, boolean_kind(), "the total is the bound"),
            of("truncated", &Plan::truncated, boolean_kind(), "the search ended before its proof"),
            of("degree", &Plan::degree, count, "generators"),
            of("ports_used", &Plan::ports_used, count, "circuits of an accelerator"),
            generators_field(),
            may(of("multiplicity", &Plan::copies, or_none(whole_list(1, most_ports, "a list of numbers")),
                   "parallel circuits of each generator")),
            of("meshes", &Plan::meshes, list_of(mesh_fields(), "a list of meshes"), "with what was chosen for them"),
        };
        all.insert(all.end(), rest.begin(), rest.end());
        return all;
    }();
    return fields;
}

std::string plan_text(const PlanFile& plan) {
    if (!is_power_of_two(plan.plan.ranks)) {
        throw Error(ErrorKind::input, fmt::format("a plan for {} ranks has no file in this version; powers of two have",
                                                  plan.plan.ranks));
    }
    if (has_rings(plan.plan)) {
        throw Error(ErrorKind::input, "a plan with a ring has no file: rings are priced, their circuits are not laid");
    }
    return "# A plan: circuits, schedules and placement, chosen together by simlette plan.\n" +
           yaml_text(write_fields(plan_fields(), plan));
}

std::shared_ptr<const PlanFile> read_plan(const InputTree& tree, Problems& problems) {
    auto plan = std::make_shared<PlanFile>();
    const Value file(tree.root, "", problems);
    if (!tree.parsed || !read_fields(file, plan_fields(), *plan)) {
        return nullptr;
    }
    for (PlannedMesh& mesh : plan->plan.meshes) {
        for (PlannedAxis& axis : mesh.axes) {
            axis.radices.assign(axis.bits.size(), 2);
        }
    }
    plan->request.ranks = plan->plan.ranks;
    plan->request.ports = plan->plan.ports;
    return PlanCheck(file, *plan).run() ? plan : nullptr;
}

}  // namespace simlette
