#include <algorithm>
#include <map>
#include <set>

#include <simlette/collective/build_schedule.hpp>
#include <simlette/study/names.hpp>
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

Kind<ScheduleKind> schedule_kind() {
    Kind<ScheduleKind> kind = choice(schedule_names, {"auto-simulated"});
    kind.read = [choose = kind.read](const Value& value, ScheduleKind& into) {
        const std::string& text = value.node().text;
        return value.is_scalar() && names_file(text) ? value.not_built(text) : choose(value, into);
    };
    return kind;
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
        optional("group", &CollectiveText::group, group_kind(), "who takes part: world, a list or a range of ranks"),
        must(of_collective("bytes", &CollectiveSpec::bytes, size_kind({1}, most_bytes),
                           "the larger of a rank's input and output buffer, such as `64 KiB`")),
        of_collective("schedule", &CollectiveSpec::schedule, schedule_kind(), "how it is done"),
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
        check_missing(value.item(i), infos_of(collective_fields()));
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
    kind.schema = list_schema(schema_of(collective_fields()));
    return kind;
}

// What needs more than one key or the topology.
class Completion {
public:
    Completion(const Value& file, WorkloadFile& workload, const FabricSpec& fabric)
        : file_(file),
          collectives_(workload.collectives),
          accelerators_(fabric.accelerators),
          responses_(fabric.responses) {}

    void run() {
        for (index_ = 0; index_ < collectives_.size(); ++index_) {
            check_after();
            check_name();
            check_ranks();
            check_send_recv();
            check_schedule();
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

    void check_send_recv() const {
        const std::vector<std::uint32_t>& ranks = current().group.ranks;
        if (current().collective.primitive != Primitive::send_recv || (given("group") && !clean("group"))) {
            return;
        }
        const std::size_t count = ranks.empty() ? accelerators_ : ranks.size();
        if (count != 0 && count != 2) {
            at("group").fail("a send-recv has exactly two ranks, first to second; " + at("group").name() + " has " +
                             std::to_string(count));
        }
    }

    void check_schedule() const {
        const Primitive primitive = current().collective.primitive;
        const ScheduleKind schedule = current().collective.schedule;
        std::vector<ScheduleKind> known = schedules_of(primitive);
        known.push_back(ScheduleKind::automatic);
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

    void check_layers() const {
        const ScheduleKind schedule = current().collective.schedule;
        const bool known = clean("layers") && (clean("schedule") || !given("schedule"));
        if (given("layers") && known && !takes_layers(schedule)) {
            at("layers").fail(at("layers").name() + " is for schedules on coset layers, such as rs-ag; " +
                              at("schedule").name() + " is " + quote(std::string(name_of(schedule))));
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
    std::vector<CollectiveText>& collectives_;
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
        for (const char* key : {"axis", "calls", "multicast", "skew", "signal", "reduce_rate"}) {
            all.push_back(later<CollectiveText>(key));
        }
        return all;
    }();
    return fields;
}

const Fields<WorkloadFile>& workload_fields() {
    static const Fields<WorkloadFile> fields = [] {
        Fields<WorkloadFile> all{
            optional("collectives", &WorkloadFile::collectives, collectives_kind(), "a list of collectives"),
            optional("traffic", &WorkloadFile::traffic, traffic_kind(),
                     "synthetic traffic: messages at random times, instead of collectives")};
        for (const char* key : {"meshes", "trace", "model", "deployment", "jobs", "skew", "multicast", "start"}) {
            all.push_back(later<WorkloadFile>(key));
        }
        return all;
    }();
    return fields;
}

WorkloadFile read_workload(const Node& root, Problems& problems, const FabricSpec& fabric) {
    WorkloadFile workload;
    const Value file(root, "", problems);
    read_present(file, workload_fields(), workload);
    check_shape(file);
    check_hot_rank(file, workload, fabric);
    Completion(file, workload, fabric).run();
    return workload;
}

WorkloadSpec workload_spec(const WorkloadFile& workload) {
    WorkloadSpec spec;
    spec.traffic = workload.traffic;
    std::map<std::string, std::size_t> index_of_name;
    for (const CollectiveText& text : workload.collectives) {
        WorkloadEntry entry{text.name, text.group.text, text.collective, {}};
        entry.collective.group = text.group.ranks;
        for (const std::string& name : text.after) {
            entry.after.push_back(index_of_name.at(name));
        }
        index_of_name.emplace(text.name, spec.collectives.size());
        spec.collectives.push_back(std::move(entry));
    }
    return spec;
}

}  // namespace simlette
