#include <simlette/study/json_text.hpp>
#include <simlette/study/load.hpp>
#include <simlette/study/plan_file.hpp>
#include <simlette/study/problems.hpp>
#include <simlette/study/schedule_file.hpp>
#include <simlette/study/study_file.hpp>
#include <simlette/study/topology_file.hpp>
#include <simlette/study/workload_file.hpp>

namespace simlette {

namespace {

std::string schema_text(const std::string& title, const Node& table) {
    Node schema =
        map_node({{"$schema", text_node("https://json-schema.org/draft/2020-12/schema")}, {"title", text_node(title)}});
    for (std::size_t i = 0; i < table.keys.size(); ++i) {
        set_member(schema, table.keys[i], table.items[i]);
    }
    return readable_json(schema);
}

Node requires_keys(std::vector<Node> keys) {
    return map_node({{"required", list_node(std::move(keys))}});
}

// The ports may come from a profile of the accelerator, or from the links of an explicit graph.
Node topology_table() {
    Node table = schema_of(topology_fields());
    set_member(table, {"anyOf", {}},
               list_node({requires_keys({text_node("accelerator")}),
                          requires_keys({text_node("ports"), text_node("port_rate")}),
                          requires_keys({text_node("links"), text_node("port_rate")})}));
    return table;
}

// Either collectives or traffic.
Node workload_table() {
    Node table = schema_of(workload_fields());
    set_member(table, {"anyOf", {}},
               list_node({requires_keys({text_node("collectives")}), requires_keys({text_node("traffic")})}));
    return table;
}

}  // namespace

std::string schema(const std::string& kind) {
    if (kind == "topology") {
        return schema_text("Simlette topology", topology_table());
    }
    if (kind == "workload") {
        return schema_text("Simlette workload", workload_table());
    }
    if (kind == "schedule") {
        return schema_text("Simlette schedule", schema_of(schedule_fields()));
    }
    if (kind == "plan") {
        return schema_text("Simlette plan", schema_of(plan_fields()));
    }
    if (kind == "study") {
        return schema_text("Simlette study", schema_of(study_fields()));
    }
    throw Error(ErrorKind::input,
                "unknown file kind " + quote(kind) + "; expected topology, workload, schedule, plan or study");
}

}  // namespace simlette
