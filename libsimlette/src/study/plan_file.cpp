#include <simlette/study/plan_file.hpp>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <simlette/base/error.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/planner/matchings.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/rungs.hpp>
#include <simlette/study/kinds.hpp>
#include <simlette/study/overlay_text.hpp>
#include <simlette/study/plan_report.hpp>
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
                 "of the accelerator's label that hold the coordinate, most significant first; of other sizes than "
                 "powers of two its digits"),
        optional("blocks", &PlannedAxis::blocks, blocks_kind(),
                 "the same bits in blocks, each joined completely; none without collectives"),
        optional("topology", &PlannedAxis::topology, text_kind("a topology, such as Q6[3,3] or K4xK3"),
                 "its circuits, named"),
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

// Labels as texts. What they mean is known once the number of ranks and the radices are.
Field<PlanFile> generators_field() {
    Field<PlanFile> field;
    field.info = {"generators",
                  "accelerator x is joined to x XOR g; bit strings, most significant bit first; of other sizes than "
                  "powers of two to x plus g, digit by digit: (1,0,2), the lowest digit first",
                  true, true};
    field.read = [](const Value& value, PlanFile& into) {
        if (!value.is_list()) {
            value.expect("a list of generators, such as [\"01\", \"10\"]");
            return;
        }
        for (std::size_t i = 0; i < value.node().items.size(); ++i) {
            into.generators.push_back(value.item(i).node().text);
        }
    };
    field.write = [](const PlanFile& from) {
        std::vector<Node> items;
        for (const Label generator : from.plan.generators) {
            items.push_back(text_node(generator_text(from.plan, generator)));
        }
        return list_node(std::move(items));
    };
    field.schema = map_node(
        {{"type", text_node("array")},
         {"items", map_node({{"type", text_node("string")}, {"pattern", text_node("^([01]+|[(]?[0-9,]+[)]?)$")}})}});
    return field;
}

Field<PlanFile> racks_field() {
    const auto numbers = number<std::uint32_t>(1, most_ranks);
    Field<PlanFile> field = within("racks", &PlanFile::plan, &Plan::racks, numbers,
                                   "that circuits join evenly, above electronic switches; left out where circuits join "
                                   "accelerators");
    field.info.required = false;
    field.write = [=](const PlanFile& from) { return from.plan.racks == 0 ? Node{} : numbers.write(from.plan.racks); };
    return field;
}

Field<PlanFile> radices_field() {
    const auto numbers = whole_list(2, most_ranks, "a list of primes, such as [2, 2, 3]");
    Field<PlanFile> field;
    field.info = {
        "radices",
        "of the digits of an accelerator's label, the lowest one first; left out for a power of two of ranks, "
        "whose digits are bits",
        false, true};
    field.read = [=](const Value& value, PlanFile& into) { numbers.read(value, into.radices); };
    field.write = [=](const PlanFile& from) {
        return is_power_of_two(from.plan.ranks) ? Node{} : numbers.write(labels_of(from.plan).radices());
    };
    field.schema = numbers.schema;
    return field;
}

// A label as label_name() writes it; nothing if it is none of the group.
std::optional<Label> read_label(std::string_view text, const RankGroup& labels) {
    const bool bracketed = labels.radices().size() > 1;
    if (bracketed && (text.size() < 2 || text.front() != '(' || text.back() != ')')) {
        return std::nullopt;
    }
    text = bracketed ? text.substr(1, text.size() - 2) : text;
    Label label = 0;
    Label weight = 1;
    const char* at = text.data();
    const char* end = at + text.size();
    for (std::size_t digit = 0; digit < labels.radices().size(); ++digit) {
        std::uint32_t value = 0;
        const auto read = std::from_chars(at, end, value);
        const bool last = digit + 1 == labels.radices().size();
        if (read.ec != std::errc() || value >= labels.radices()[digit] || (read.ptr == end) != last ||
            (!last && *read.ptr != ',')) {
            return std::nullopt;
        }
        label += value * weight;
        weight *= labels.radices()[digit];
        at = read.ptr + 1;
    }
    return label;
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

// Takes what needs more than one key, and checks what the file says twice.
class PlanCheck {
public:
    PlanCheck(const Value& file, PlanFile& read) : file_(file), read_(read), plan_(read.plan) {}

    bool run() {
        if (!radices()) {
            return false;
        }
        labels_ = is_power_of_two(plan_.ranks) ? RankGroup::binary(bits_of(plan_.ranks)) : RankGroup(read_.radices);
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

    // The prime factors of the ranks, in any order.
    bool radices() const {
        if (is_power_of_two(plan_.ranks)) {
            return read_.radices.empty() ||
                   fail("radices", fmt::format("goes with ranks that are no power of two; there are {}", plan_.ranks));
        }
        std::vector<std::uint32_t> expected;
        const Primes primes = primes_of(plan_.ranks);
        for (std::size_t i = 0; i < primes.radices.size(); ++i) {
            expected.insert(expected.end(), primes.counts[i], primes.radices[i]);
        }
        std::vector<std::uint32_t> given = read_.radices;
        std::sort(given.begin(), given.end());
        return given == expected ||
               fail("radices", fmt::format("must be the prime factors of {} ranks in any order: {}", plan_.ranks,
                                           fmt::join(expected, ", ")));
    }

    bool generators() {
        const unsigned bits = bits_of(plan_.ranks);
        std::set<Label> seen;
        for (std::size_t i = 0; i < read_.generators.size(); ++i) {
            const std::string path = fmt::format("generators.{}", i);
            const std::string& text = read_.generators[i];
            const std::optional<Label> label = read_generator(text);
            if (!label && labels_.is_binary()) {
                return text.empty() || text.find_first_not_of("01") != std::string::npos
                           ? file_.at(path).expect("a bit string, most significant bit first, such as `00001`")
                           : fail(path, fmt::format("is {}, of {} bits; expected {} for {} ranks", quote(text),
                                                    text.size(), bits, plan_.ranks));
            }
            if (!label) {
                return fail(path, fmt::format("is {}; expected a label such as {}", quote(text),
                                              quote(label_name(1, labels_))));
            }
            if (*label == 0 || !seen.insert(*label).second) {
                return fail(path, "is " + quote(text) +
                                      (*label == 0 ? "; it would join each accelerator to itself"
                                                   : ", which stands there before; use `multiplicity`"));
            }
            plan_.generators.push_back(*label);
        }
        return plan_.degree == plan_.generators.size() ||
               fail("degree", fmt::format("is {}; there are {} generators", plan_.degree, plan_.generators.size()));
    }

    std::optional<Label> read_generator(const std::string& text) const {
        if (!labels_.is_binary()) {
            return read_label(text, labels_);
        }
        const bool good =
            text.size() == bits_of(plan_.ranks) && !text.empty() && text.find_first_not_of("01") == std::string::npos;
        return good ? std::optional(static_cast<Label>(std::stoul(text, nullptr, 2))) : std::nullopt;
    }

    bool copies() const {
        if (plan_.copies.size() != plan_.generators.size()) {
            return fail("multiplicity", fmt::format("has {} numbers; expected {}, one for each generator",
                                                    plan_.copies.size(), plan_.generators.size()));
        }
        const std::uint64_t sum = std::accumulate(plan_.copies.begin(), plan_.copies.end(), std::uint64_t{0});
        return ports(sum) && ways_back();
    }

    // Of every generator the one that leads back has as many circuits.
    bool ways_back() const {
        for (std::size_t i = 0; i < plan_.generators.size(); ++i) {
            const Label back = labels_.minus(0, plan_.generators[i]);
            const auto found = std::find(plan_.generators.begin(), plan_.generators.end(), back);
            if (found == plan_.generators.end() ||
                plan_.copies[static_cast<std::size_t>(found - plan_.generators.begin())] != plan_.copies[i]) {
                return fail(fmt::format("generators.{}", i),
                            fmt::format("is {}; {}, which leads back, must have as many circuits",
                                        quote(read_.generators[i]), quote(label_name(back, labels_))));
            }
        }
        return true;
    }

    // With or without ports that stay dark where both ends of a circuit are on the same one.
    bool ports(std::uint64_t sum) const {
        const std::uint64_t idle = idle_ports_of(labels_, plan_.generators, plan_.copies);
        if (plan_.ports_used != sum && plan_.ports_used != sum + idle) {
            return fail(
                "ports_used",
                fmt::format("is {}; the sum of `multiplicity` is {}{}", plan_.ports_used, sum,
                            idle == 0 ? "" : fmt::format(", and {} ports stay dark on circuit switches", idle)));
        }
        return plan_.ports_used <= plan_.ports ||
               fail("ports", fmt::format("is {}, but the circuits need {}", plan_.ports, plan_.ports_used));
    }

    bool mesh(PlannedMesh& mesh, const std::string& path) {
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

    bool axis(PlannedAxis& axis, const std::string& path, std::set<unsigned>& taken) {
        std::uint64_t size = 1;
        for (const unsigned bit : axis.bits) {
            const bool beyond = bit >= labels_.radices().size();
            if (beyond || !taken.insert(bit).second) {
                return fail(path + ".bits",
                            fmt::format("names {} {}, {}", labels_.is_binary() ? "bit" : "digit", bit,
                                        beyond ? "beyond the labels of the accelerators" : "which is taken already"));
            }
            axis.radices.push_back(labels_.radices()[bit]);
            size *= axis.radices.back();
        }
        if (axis.size != size) {
            return fail(path + ".bits", labels_.is_binary()
                                            ? fmt::format("has {} bits for a size of {}", axis.bits.size(), axis.size)
                                            : fmt::format("has {} values for a size of {}", size, axis.size));
        }
        return blocks(axis, path) && collectives(axis, path);
    }

    bool blocks(const PlannedAxis& axis, const std::string& path) {
        std::vector<unsigned> bits;
        for (auto block = axis.blocks.rbegin(); block != axis.blocks.rend(); ++block) {
            bits.insert(bits.end(), block->begin(), block->end());
        }
        std::vector<unsigned> expected = axis.bits;
        if (is_power_of_two(axis.size)) {
            std::sort(bits.begin(), bits.end());
            std::sort(expected.begin(), expected.end());
        }
        const bool wanted = plan_.racks == 0 && !axis.collectives.empty() && axis.size > 1;
        if (axis.blocks.empty() ? wanted : bits != expected) {
            return fail(path + ".blocks", is_power_of_two(axis.size)
                                              ? "must hold every bit of `bits` once"
                                              : "must be the digits of `bits` in blocks, the last block first there");
        }
        for (const std::vector<unsigned>& block : axis.blocks) {
            if (!labels_stand(axis, block, path)) {
                return false;
            }
        }
        return true;
    }

    // Every label on the block is a generator, with as many copies as the axis counts on.
    bool labels_stand(const PlannedAxis& axis, const std::vector<unsigned>& block, const std::string& path) {
        const std::vector<Label> needed = labels_on(labels_, block);
        for (auto label = needed.rbegin(); label != needed.rend(); ++label) {
            const auto found = std::find(plan_.generators.begin(), plan_.generators.end(), *label);
            const std::uint32_t stand = found == plan_.generators.end()
                                            ? 0
                                            : plan_.copies[static_cast<std::size_t>(found - plan_.generators.begin())];
            if (stand < std::max(axis.multiplicity, 1U)) {
                return fail(path + ".blocks",
                            fmt::format("need {} circuits of generator {}; there are {}",
                                        std::max(axis.multiplicity, 1U), quote(label_name(*label, labels_)), stand));
            }
        }
        return true;
    }

    bool collectives(const PlannedAxis& axis, const std::string& path) const {
        for (std::size_t i = 0; i < axis.collectives.size(); ++i) {
            const PlanCollective& collective = axis.collectives[i].collective;
            const std::vector<ScheduleKind> known = schedules_of(collective.primitive);
            if (axis.size == 1 && collective.schedule == ScheduleKind::automatic) {
                continue;  // one rank has nothing to send, so none was chosen
            }
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
        return (sum == plan_.total || fail("total", fmt::format("is {}; calls times time add up to {}",
                                                                duration_text(plan_.total), duration_text(sum)))) &&
               bound();
    }

    bool bound() const {
        const bool good = plan_.optimal ? plan_.bound == plan_.total : plan_.bound <= plan_.total;
        return good || fail("bound", fmt::format("is {}; expected {}{}, the total{}", duration_text(plan_.bound),
                                                 plan_.optimal ? "" : "at most ", duration_text(plan_.total),
                                                 plan_.optimal ? " of a plan that is optimal" : ""));
    }

    const Value& file_;
    PlanFile& read_;
    Plan& plan_;
    RankGroup labels_ = RankGroup::binary(0);
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
            racks_field(),
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
            of("ports_used", &Plan::ports_used, count,
               "of each accelerator: its circuits, and ports that stay dark on circuit switches"),
            radices_field(),
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
    plan->request.ranks = plan->plan.ranks;
    plan->request.ports = plan->plan.ports;
    return PlanCheck(file, *plan).run() ? plan : nullptr;
}

}  // namespace simlette
