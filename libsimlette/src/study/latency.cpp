#include <simlette/base/contract.hpp>
#include <simlette/study/document.hpp>
#include <simlette/study/profiles.hpp>

namespace simlette {

namespace {

constexpr Duration longest{ps_per_second};
const char* const propagation_forms = "a time such as `10 ns`, or {length: 2 m}, or {level1: 10 ns, level2: 100 ns}";

Fields<Duration> length_fields() {
    Field<Duration> length;
    length.info = {"length", "at 5 ns/m", true, true};
    length.read = [](const Value& value, Duration& into) { length_kind().read(value, into); };
    length.write = [](const Duration& propagation) { return latency_segment().write(propagation); };
    length.schema = length_kind().schema;
    return {length};
}

// Of the links of one level: a time, or a length.
Kind<Duration> level_kind() {
    Kind<Duration> kind = latency_segment();
    kind.read = [](const Value& value, Duration& into) {
        if (value.is_map()) {
            return read_fields(value, length_fields(), into);
        }
        return value.is_scalar() ? latency_segment().read(value, into)
                                 : value.expect("a time such as `10 ns`, or {length: 2 m}");
    };
    kind.schema = one_of({quantity_schema(time_units()), schema_of(length_fields())});
    return kind;
}

Fields<LatencySpec> propagation_fields() {
    return {
        optional("length", &LatencySpec::propagation, length_kind(), "length of every link, at 5 ns/m"),
        optional("level1", &LatencySpec::propagation, level_kind(), "of links between accelerators and level 1"),
        optional("level2", &LatencySpec::propagation_level2, level_kind(), "of links between level 1 and level 2"),
    };
}

void read_propagation_map(const Value& value, LatencySpec& into) {
    const bool good = read_fields(value, propagation_fields(), into);
    const bool by_length = find(value.node(), "length") != nullptr;
    if (good && by_length && value.node().keys.size() > 1) {
        value.fail(value.name() + " takes either `length`, of every link, or `level1` and `level2`");
    } else if (by_length) {
        into.propagation_level2 = into.propagation;
    }
}

void read_propagation(const Value& value, LatencySpec& into) {
    if (value.is_map() && !value.node().keys.empty()) {
        read_propagation_map(value, into);
    } else if (value.is_scalar()) {
        latency_segment().read(value, into.propagation);
        into.propagation_level2 = into.propagation;
    } else {
        value.expect(propagation_forms);
    }
}

Node write_propagation(const LatencySpec& latency) {
    const auto written = latency_segment().write;
    if (latency.propagation == latency.propagation_level2) {
        return written(latency.propagation);
    }
    return map_node({{"level1", written(latency.propagation)}, {"level2", written(latency.propagation_level2)}});
}

Field<LatencySpec> propagation() {
    Field<LatencySpec> field =
        optional("propagation", &LatencySpec::propagation, latency_segment(), "of every link, or of each level");
    field.read = read_propagation;
    field.write = write_propagation;
    field.schema = one_of({quantity_schema(time_units()), schema_of(propagation_fields())});
    return field;
}

Fields<LatencySpec> segments() {
    const Fields<LatencySpec> egress{
        optional("endpoint", &LatencySpec::egress_endpoint, latency_segment(),
                 "inside the accelerator, on the way out"),
        optional("protocol", &LatencySpec::egress_protocol, latency_segment(), "of the scale-up port, on the way out"),
    };
    const Fields<LatencySpec> ingress{
        optional("endpoint", &LatencySpec::ingress_endpoint, latency_segment(),
                 "inside the accelerator, on the way in"),
        optional("protocol", &LatencySpec::ingress_protocol, latency_segment(), "of the scale-up port, on the way in"),
    };
    return {
        section("egress", egress, "core to wire"),
        section("ingress", ingress, "wire to core"),
        propagation(),
        optional("switch", &LatencySpec::packet_switch, latency_segment(), "of an electronic switch, pin to pin"),
        optional("ocs", &LatencySpec::circuit_switch, latency_segment(), "of an optical circuit switch, pass-through"),
    };
}

bool read_profile(const Value& value, LatencySpec& into) {
    const std::vector<std::string> names = latency_profile_names();
    std::size_t index = 0;
    const bool good = read_choice(value, names, {}, index);
    into = good ? latency_profile(names[index]) : into;
    return good;
}

Field<LatencySpec> hold_total() {
    Field<LatencySpec> field;
    field.info = {"hold_total",
                  "a path through one electronic switch takes as long as with the base: what the other fields change, "
                  "the endpoint parts give or take, half each way",
                  false, true};
    field.read = [](const Value& value, LatencySpec&) {
        bool held = false;
        boolean_kind().read(value, held);
    };
    field.write = [](const LatencySpec&) { return Node{}; };
    field.schema = boolean_kind().schema;
    return field;
}

Fields<LatencySpec> latency_fields() {
    Field<LatencySpec> base;
    base.info = {"base", "the profile that gives the fields left out; nominal by default", false, true};
    base.read = read_profile;
    base.write = [](const LatencySpec&) { return Node{}; };
    base.schema = choice_schema(latency_profile_names());
    Fields<LatencySpec> fields{base, hold_total()};
    for (Field<LatencySpec>& field : segments()) {
        fields.push_back(std::move(field));
    }
    return fields;
}

Node profiles_tree(Problems& problems) {
    Source& source = problems.add_source("topologies/profiles/latencies.yaml", true);
    source.text = latency_profiles_text();
    Node root;
    parse_document(source, problems, root);
    return root;
}

Duration total_through_switch(const LatencySpec& latency) {
    return latency.egress_endpoint + latency.egress_protocol + latency.propagation * 2 + latency.packet_switch +
           latency.ingress_protocol + latency.ingress_endpoint;
}

bool names_endpoint(const Node& latency) {
    for (const char* way : {"egress", "ingress"}) {
        const Node* parts = find(latency, way);
        if (parts != nullptr && find(*parts, "endpoint") != nullptr) {
            return true;
        }
    }
    return false;
}

// Requires: the map was read without a problem.
bool hold_total_of(const LatencySpec& base, const Value& value, LatencySpec& into) {
    const Value held = value.member(index_of(value.node(), "hold_total"));
    if (names_endpoint(value.node())) {
        return held.fail(held.name() + " moves the endpoint parts, so they cannot be given as well");
    }
    const Duration spare = total_through_switch(base) - total_through_switch(into);
    const Duration out{spare.ps / 2};
    into.egress_endpoint = into.egress_endpoint + out;
    into.ingress_endpoint = into.ingress_endpoint + (spare - out);
    if (into.egress_endpoint < Duration{0} || into.ingress_endpoint < Duration{0}) {
        return held.fail(held.name() + " keeps " + duration_text(total_through_switch(base)) +
                         " through one electronic switch; to make up for " + duration_text({-spare.ps}) +
                         " more, half each way, the endpoint parts have only " + duration_text(base.egress_endpoint) +
                         " and " + duration_text(base.ingress_endpoint));
    }
    return true;
}

bool read_latency_map(const Value& value, LatencySpec& into) {
    const LatencySpec plain;
    if (!read_fields(value, latency_fields(), into)) {
        return false;
    }
    const Node* held = find(value.node(), "hold_total");
    if (held == nullptr || held->text != "true") {
        return true;
    }
    const Node* base = find(value.node(), "base");
    return hold_total_of(base == nullptr ? plain : latency_profile(base->text), value, into);
}

}  // namespace

Kind<Duration> latency_segment() {
    return time_kind({0}, longest);
}

// At 5 ns/m.
Kind<Duration> length_kind() {
    Kind<Duration> kind = latency_segment();
    kind.read = [](const Value& value, Duration& into) {
        return read_quantity(value, length_units(), 0, longest.ps, "`0 m` to `200000 km`", into.ps);
    };
    kind.schema = quantity_schema(length_units());
    return kind;
}

std::vector<std::string> latency_profile_names() {
    Problems problems;
    std::vector<std::string> names;
    for (const Key& key : profiles_tree(problems).keys) {
        names.push_back(key.text);
    }
    return names;
}

LatencySpec latency_profile(const std::string& name) {
    Problems problems;
    const Node root = profiles_tree(problems);
    const Node* profile = find(root, name);
    require(profile != nullptr, "a profile is asked for by a name that it has");
    LatencySpec latency;
    read_fields(Value(*profile, name, problems), segments(), latency);
    require(problems.size() == 0, "the profiles in the library can be read");
    return latency;
}

std::string latency_profile_of(const LatencySpec& latency) {
    for (const std::string& name : latency_profile_names()) {
        if (latency_profile(name) == latency) {
            return name;
        }
    }
    return "";
}

Kind<LatencySpec> latency_kind() {
    Kind<LatencySpec> kind;
    kind.read = [](const Value& value, LatencySpec& into) {
        if (value.is_map()) {
            return read_latency_map(value, into);
        }
        return value.is_scalar() ? read_profile(value, into)
                                 : value.expect("the name of a profile, or a map of single fields");
    };
    kind.write = [](const LatencySpec& latency) { return write_fields(segments(), latency); };
    kind.schema = one_of({choice_schema(latency_profile_names()), schema_of(latency_fields())});
    return kind;
}

}  // namespace simlette
