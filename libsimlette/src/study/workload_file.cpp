#include <algorithm>
#include <map>
#include <set>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/message_sizes.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/schedule_file.hpp>
#include <simlette/study/workload_file.hpp>

namespace simlette {

namespace {

constexpr Bytes most_bytes{std::int64_t{1} << 40};
constexpr Time latest_start{2'000'000 * ps_per_second};  // 23 days
const char* const names_form = "a list of names, such as [ar]";

// A member of the collective's own spec, filled in the file's struct.
template <class T>
Field<CollectiveText> of_collective(std::string key, T CollectiveSpec::*member, Kind<T> kind, std::string meaning) {
    Field<CollectiveText> field;
    field.info = {std::move(key), std::move(meaning), false, true};
    field.read = [member, kind](const Value& value, CollectiveText& into) {
        kind.read(value, into.collective.*member);
    };
    field.write = [member, kind](const CollectiveText& from) { return kind.write(from.collective.*member); };
    field.schema = kind.schema;
    return field;
}

Field<CollectiveText> must(Field<CollectiveText> field) {
    field.info.required = true;
    return field;
}

// A collective on an axis has no group of its own.
Field<CollectiveText> group_field() {
    Field<CollectiveText> field =
        optional("group", &CollectiveText::group, group_kind(), "who takes part: world, a list or a range of ranks");
    field.write = [write = field.write](const CollectiveText& from) {
        return from.axis.empty() ? write(from) : Node{};
    };
    return field;
}

// One call is the default and is not written.
Field<CollectiveText> calls_field() {
    Field<CollectiveText> field = optional("calls", &CollectiveText::calls, whole<std::uint32_t>(1, 1'000'000'000),
                                           "how often a decode step makes it: a weight for plans; it is run once");
    field.write = [write = field.write](const CollectiveText& from) { return from.calls == 1 ? Node{} : write(from); };
    return field;
}

// The name of a built-in schedule, or a file that holds one. The schedule itself is written.
Field<CollectiveText> schedule_field() {
    const Kind<ScheduleKind> kind = choice(schedule_names, {});
    Field<CollectiveText> field;
    field.info = {"schedule", "how it is done: the name of a schedule, or a file, relative to this one", false, true};
    field.read = [kind](const Value& value, CollectiveText& into) {
        if (value.is_scalar() && names_file(value.node().text)) {
            into.schedule_file = value.node().text;
        } else {
            kind.read(value, into.collective.schedule);
        }
    };
    field.write = [kind](const CollectiveText& from) {
        const CollectiveSpec& spec = from.collective;
        return spec.own_schedule ? write_fields(schedule_fields(), *spec.own_schedule) : kind.write(spec.schedule);
    };
    field.schema = one_of({kind.schema, file_schema()});
    return field;
}

Kind<Time> start_kind() {
    Kind<Time> kind = instant_kind(latest_start);
    kind.read = [read = kind.read](const Value& value, Time& into) {
        return value.is_map()
                   ? value.fail("known value of " + value.name() + ": a start for each rank, not in this version")
                   : read(value, into);
    };
    return kind;
}

Kind<std::vector<std::string>> names_kind() {
    Kind<std::vector<std::string>> kind;
    kind.read = [](const Value& value, std::vector<std::string>& into) {
        if (!value.is_list()) {
            return value.expect(names_form);
        }
        bool good = true;
        for (std::size_t i = 0; i < value.node().items.size(); ++i) {
            into.emplace_back();
            good = text_kind("a name").read(value.item(i), into.back()) && good;
        }
        return good;
    };
    kind.write = [](const std::vector<std::string>& names) {
        std::vector<Node> items;
        for (const std::string& name : names) {
            items.push_back(text_node(name));
        }
        return list_node(std::move(items));
    };
    kind.schema = map_node({{"type", text_node("array")}, {"items", map_node({{"type", text_node("string")}})}});
    return kind;
}

Fields<CollectiveText> built_collective_fields() {
    return {
        optional("name", &CollectiveText::name, text_kind("a name"), "for `after` and for reports; unique"),
        must(of_collective("primitive", &CollectiveSpec::primitive, choice(primitive_names, {}),
                           "what is done, such as `all-reduce`")),
        group_field(),
        optional("axis", &CollectiveText::axis, text_kind("an axis of a mesh, such as ffn.ep"),
                 "in place of `group`: every group of this axis runs it, all at the same time"),
        calls_field(),
        of_collective("bytes", &CollectiveSpec::bytes, size_kind({1}, most_bytes),
                      "the larger of a rank's input and output buffer, such as `64 KiB`"),
        optional("sizes", &CollectiveText::sizes, sizes_kind(),
                 "of all-to-all: what each rank has for each other, a row for each source, instead of `bytes`"),
        schedule_field(),
        of_collective("layers", &CollectiveSpec::layers, layers_kind(),
                      "coset layers of the schedule: sizes of blocks, or each layer by its generators"),
        of_collective("start", &CollectiveSpec::earliest_start, start_kind(),
                      "counted from 0, or from the end of the last of `after`"),
        of_collective("send_order", &CollectiveSpec::send_order, choice(send_order_names, {}),
                      "the order of destinations of direct sends"),
        of_collective("phase_barrier", &CollectiveSpec::phase_barrier, boolean_kind(),
                      "every member waits for the last delivery of a phase"),
        of_collective("operation", &CollectiveSpec::operation, choice(operation_names, {}),
                      "who moves the data: the sender writes it, or the receiver reads it"),
        optional("after", &CollectiveText::after, names_kind(), "names of collectives before this one"),
    };
}

bool read_collectives(const Value& value, std::vector<CollectiveText>& into) {
    if (!value.is_list()) {
        return value.expect("a list of collectives");
    }
    if (value.node().items.empty()) {
        return value.fail("`collectives` is empty; expected at least one");
    }
    for (std::size_t i = 0; i < value.node().items.size(); ++i) {
        into.emplace_back();
        into.back().clean = read_present(value.item(i), collective_fields(), into.back());
        std::vector<FieldInfo> needed = infos_of(collective_fields());
        for (FieldInfo& info : needed) {
            info.required = info.required || (info.key == "bytes" && find(value.node().items[i], "sizes") == nullptr);
        }
        check_missing(value.item(i), needed);
    }
    return true;
}

Kind<std::vector<CollectiveText>> collectives_kind() {
    Kind<std::vector<CollectiveText>> kind;
    kind.read = read_collectives;
    kind.write = [](const std::vector<CollectiveText>& collectives) {
        if (collectives.empty()) {
            return Node{};  // traffic
        }
        std::vector<Node> items;
        for (const CollectiveText& collective : collectives) {
            items.push_back(write_fields(collective_fields(), collective));
        }
        return list_node(std::move(items));
    };
    Node item = schema_of(collective_fields());
    const auto requires_key = [](const char* key) { return map_node({{"required", list_node({text_node(key)})}}); };
    set_member(item, {"anyOf", {}}, list_node({requires_key("bytes"), requires_key("sizes")}));
    kind.schema = list_schema(std::move(item));
    return kind;
}

// What needs more than one key or the topology.
class Completion {
public:
    Completion(const Value& file, WorkloadFile& workload, const FabricSpec& fabric, NamedFiles& files,
               Problems& problems)
        : file_(file),
          files_(files),
          problems_(problems),
          collectives_(workload.collectives),
          meshes_(workload.meshes),
          accelerators_(fabric.accelerators),
          responses_(fabric.responses) {}

    void run() {
        check_meshes(file_, meshes_, accelerators_);
        for (index_ = 0; index_ < collectives_.size(); ++index_) {
            check_after();
            check_name();
            check_ranks();
            check_axis();
            check_send_recv();
            check_schedule();
            check_own_schedule();
            check_sizes();
            check_layers();
            check_operation();
        }
    }

private:
    CollectiveText& current() const { return collectives_[index_]; }
    Value at(const std::string& key) const { return file_.at("collectives." + std::to_string(index_) + '.' + key); }

    bool given(const std::string& key) const {
        return find(file_.at("collectives." + std::to_string(index_)).node(), key) != nullptr;
    }
    bool clean(const std::string& key) const { return contains(current().clean, key); }

    void check_name() {
        const std::string& name = current().name;
        if (!name.empty() && !names_.insert(name).second) {
            at("name").fail(at("name").name() + " is " + quote(name) + ", the name of a collective before");
        }
    }

    void check_after() const {
        for (std::size_t i = 0; i < current().after.size(); ++i) {
            const std::string& name = current().after[i];
            if (!name.empty() && names_.count(name) == 0) {
                const Value value = at("after." + std::to_string(i));
                value.fail(value.name() + " is " + quote(name) + "; expected the name of a collective before this one");
            }
        }
    }

    void check_ranks() {
        std::vector<std::uint32_t>& ranks = current().group.ranks;
        if (accelerators_ == 0 || ranks.empty()) {
            return;
        }
        bool all = ranks.size() == accelerators_;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (ranks[i] >= accelerators_) {
                at("group." + std::to_string(i))
                    .fail(at("group").name() + " names rank " + std::to_string(ranks[i]) +
                          "; the fabric has ranks 0 to " + std::to_string(accelerators_ - 1));
                return;
            }
            all = all && ranks[i] == i;
        }
        if (all) {
            ranks.clear();
        }
    }

    void check_axis() {
        if (!given("axis") || !clean("axis")) {
            return;
        }
        if (given("group")) {
            at("axis").fail("a collective has a `group` or an `axis`, not both");
        } else if (!given_meshes_broken()) {
            resolve_axis(at("axis"), meshes_, current());
        }
    }

    // What is wrong with the meshes was told already.
    bool given_meshes_broken() const { return find(file_.node(), "meshes") != nullptr && meshes_.empty(); }

    void check_send_recv() const {
        const std::vector<std::uint32_t>& ranks = current().group.ranks;
        const char* const key = given("axis") ? "axis" : "group";
        if (current().collective.primitive != Primitive::send_recv || (given(key) && !clean(key))) {
            return;
        }
        const std::size_t count = given("axis") ? current().axis_size : ranks.empty() ? accelerators_ : ranks.size();
        if (count != 0 && count != 2) {
            at(key).fail("a send-recv has exactly two ranks, first to second; " + at(key).name() + " has " +
                         std::to_string(count));
        }
    }

    void check_schedule() const {
        const Primitive primitive = current().collective.primitive;
        const ScheduleKind schedule = current().collective.schedule;
        std::vector<ScheduleKind> known = schedules_of(primitive);
        known.push_back(ScheduleKind::automatic);
        known.push_back(ScheduleKind::automatic_simulated);
        const auto carries_out = [&](ScheduleKind kind) {
            return std::find(known.begin(), known.end(), kind) != known.end();
        };
        if (!clean("primitive") || !given("schedule") || !clean("schedule") || carries_out(schedule)) {
            return;
        }
        std::vector<std::string> names;
        for (const auto& [kind, text] : schedule_names) {
            if (carries_out(kind)) {
                names.emplace_back(text);
            }
        }
        at("schedule")
            .fail(at("schedule").name() + " is " + quote(std::string(name_of(schedule))) + ", which carries out no " +
                  std::string(name_of(primitive)) + "; expected " + alternatives(names));
    }

    std::string path_of(const std::string& named) const { return path_beside(file_.node(), named); }

    // Of the group; 0: not known.
    std::size_t ranks() const {
        const std::vector<std::uint32_t>& group = current().group.ranks;
        if (given("axis")) {
            return current().axis_size;
        }
        return given("group") && !clean("group") ? 0 : group.empty() ? accelerators_ : group.size();
    }

    void check_own_schedule() const {
        if (current().schedule_file.empty()) {
            return;
        }
        const InputTree& tree = files_.yaml(path_of(current().schedule_file));
        const Value file(tree.root, "", problems_);
        const auto schedule = std::make_shared<ScheduleSpec>();
        if (!tree.parsed || !read_schedule(file, *schedule)) {
            return;
        }
        if (ranks() != 0 && ranks() != schedule->ranks) {
            at("schedule")
                .fail(at("schedule").name() + " is for " + std::to_string(schedule->ranks) +
                      " ranks, but the group has " + std::to_string(ranks()));
        }
        if (clean("primitive") && prove_schedule(file, *schedule, current().collective.primitive)) {
            current().collective.own_schedule = schedule;
        }
    }

    bool read_sizes_file() const {
        SizesText& sizes = current().sizes;
        const InputTree& text = files_.text(path_of(sizes.file));
        return text.parsed && read_csv(*text.source, problems_, sizes);
    }

    void check_sizes() const {
        SizesText& sizes = current().sizes;
        if (!clean("sizes") || (!sizes.file.empty() && !read_sizes_file()) || !check_square(sizes)) {
            return;
        }
        const Value value = at("sizes");
        for (std::size_t rank = 0; rank < sizes.table.size(); ++rank) {
            sizes.table[rank][rank] = {0};
        }
        const Bytes largest = largest_buffer(sizes.table);
        Bytes& bytes = current().collective.bytes;
        if (clean("primitive") && current().collective.primitive != Primitive::all_to_all) {
            value.fail(value.name() + " goes with all-to-all; of " +
                       std::string(name_of(current().collective.primitive)) + " all ranks have equally much");
        }
        if (largest.count == 0 || most_bytes < largest) {
            value.fail(value.name() + " gives a buffer of " + std::to_string(largest.count) +
                       " bytes, the largest sum of a row or a column; expected 1 to " +
                       std::to_string(most_bytes.count));
        } else if (clean("bytes") && bytes != largest) {
            at("bytes").fail(at("bytes").name() + " is " + quote(at("bytes").node().text) +
                             ", but the largest sum of a row or a column of `sizes` is " + size_text(largest));
        }
        bytes = largest;
        current().collective.sizes = std::make_shared<const SizeTable>(sizes.table);
    }

    // A row and a column for each rank.
    bool check_square(const SizesText& sizes) const {
        const std::size_t count = ranks() == 0 ? sizes.table.size() : ranks();
        const std::string expected = ", but the group has " + std::to_string(count) + " ranks";
        if (sizes.table.size() != count) {
            return at("sizes").fail(at("sizes").name() + " has " + std::to_string(sizes.table.size()) + " rows" +
                                    expected);
        }
        bool good = true;
        for (std::size_t row = 0; row < count; ++row) {
            if (sizes.table[row].size() != count) {
                problems_.add(sizes.rows[row], "row " + std::to_string(row) + " of " + at("sizes").name() + " has " +
                                                   std::to_string(sizes.table[row].size()) + " sizes" + expected);
                good = false;
            }
        }
        return good;
    }

    void check_layers() const {
        const ScheduleKind schedule = current().collective.schedule;
        const bool known = clean("layers") && (clean("schedule") || !given("schedule"));
        const std::string& file = current().schedule_file;
        if (given("layers") && known && !takes_layers(schedule)) {
            at("layers").fail(at("layers").name() + " is for schedules on coset layers, such as rs-ag; " +
                              at("schedule").name() + " is " +
                              quote(file.empty() ? std::string(name_of(schedule)) : file));
        }
    }

    void check_operation() const {
        if (current().collective.operation == Operation::read && responses_ == ResponsePolicy::none) {
            at("operation")
                .fail(at("operation").name() +
                      " is `read`, but the topology has `responses: none`; data that is read is a response");
        }
    }

    const Value& file_;
    NamedFiles& files_;
    Problems& problems_;
    std::vector<CollectiveText>& collectives_;
    const std::vector<Mesh>& meshes_;
    std::uint32_t accelerators_;
    ResponsePolicy responses_;
    std::set<std::string> names_;
    std::size_t index_ = 0;
};

bool is_of_later_shape(const Node& root) {
    return find(root, "trace") != nullptr || find(root, "model") != nullptr;
}

// A workload is either collectives or traffic.
void check_shape(const Value& file) {
    const bool traffic = find(file.node(), "traffic") != nullptr;
    if (traffic && find(file.node(), "collectives") != nullptr) {
        file.fail_at_key(index_of(file.node(), "traffic"),
                         "`traffic` beside `collectives`; expected one of them: what is measured of traffic would be "
                         "the collectives too");
    } else if (!traffic && !is_of_later_shape(file.node())) {
        check_missing(file, {{"collectives", "a list of collectives", true, true}});
    }
}

void check_hot_rank(const Value& file, const WorkloadFile& workload, const FabricSpec& fabric) {
    if (workload.traffic && fabric.accelerators > 0 && workload.traffic->hot_rank >= fabric.accelerators) {
        file.at("traffic.hot_rank")
            .fail("`traffic.hot_rank` is " + std::to_string(workload.traffic->hot_rank) +
                  "; the fabric has ranks 0 to " + std::to_string(fabric.accelerators - 1));
    }
}

}  // namespace

const Fields<CollectiveText>& collective_fields() {
    static const Fields<CollectiveText> fields = [] {
        Fields<CollectiveText> all = built_collective_fields();
        for (const char* key : {"multicast", "skew", "signal", "reduce_rate"}) {
            all.push_back(later<CollectiveText>(key));
        }
        return all;
    }();
    return fields;
}

const Fields<WorkloadFile>& workload_fields() {
    static const Fields<WorkloadFile> fields = [] {
        Fields<WorkloadFile> all{
            optional("meshes", &WorkloadFile::meshes, meshes_kind(),
                     "named arrangements of all ranks: for each the sizes of its axes, slowest first"),
            optional("collectives", &WorkloadFile::collectives, collectives_kind(), "a list of collectives"),
            optional("traffic", &WorkloadFile::traffic, traffic_kind(),
                     "synthetic traffic: messages at random times, instead of collectives")};
        for (const char* key : {"trace", "model", "deployment", "jobs", "skew", "multicast", "start"}) {
            all.push_back(later<WorkloadFile>(key));
        }
        return all;
    }();
    return fields;
}

WorkloadFile read_workload(const Node& root, Problems& problems, const FabricSpec& fabric, NamedFiles& files) {
    WorkloadFile workload;
    const Value file(root, "", problems);
    read_present(file, workload_fields(), workload);
    check_shape(file);
    check_hot_rank(file, workload, fabric);
    Completion(file, workload, fabric, files, problems).run();
    return workload;
}

WorkloadSpec workload_spec(const WorkloadFile& workload) {
    WorkloadSpec spec;
    spec.meshes = workload.meshes;
    spec.traffic = workload.traffic;
    std::map<std::string, std::size_t> index_of_name;
    for (const CollectiveText& text : workload.collectives) {
        WorkloadEntry entry{
            text.name, text.axis.empty() ? text.group.text : text.axis, text.collective, {}, text.calls};
        entry.collective.group = text.group.ranks;
        entry.collective.groups = groups_of(text.axis, workload.meshes);
        for (const std::string& name : text.after) {
            entry.after.push_back(index_of_name.at(name));
        }
        index_of_name.emplace(text.name, spec.collectives.size());
        spec.collectives.push_back(std::move(entry));
    }
    return spec;
}

}  // namespace simlette
