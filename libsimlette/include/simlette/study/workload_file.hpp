// A workload file: its keys, and the checks that look at more than one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simlette/sim/workload.hpp>
#include <simlette/study/kinds.hpp>

namespace simlette {

struct GroupText {
    std::string text = "world";        // as the file says it
    std::vector<std::uint32_t> ranks;  // empty: all
};

// One item of `collectives`.
struct CollectiveText {
    std::string name;
    GroupText group;
    CollectiveSpec collective;       // the group is filled in last
    std::vector<std::string> after;  // names
    std::vector<std::string> clean;  // keys that were read without a problem
};

struct WorkloadFile {
    std::vector<CollectiveText> collectives;
    std::optional<TrafficSpec> traffic;
};

Kind<GroupText> group_kind();
Kind<LayerChoice> layers_kind();
Kind<std::optional<TrafficSpec>> traffic_kind();

const Fields<CollectiveText>& collective_fields();
const Fields<WorkloadFile>& workload_fields();

// Reads a tree for a fabric. With 0 accelerators their number is not known, and ranks are not compared with it.
WorkloadFile read_workload(const Node& root, Problems& problems, const FabricSpec& fabric);

WorkloadSpec workload_spec(const WorkloadFile& workload);

}  // namespace simlette
