// A workload file: its keys, and the checks that look at more than one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simlette/sim/workload.hpp>
#include <simlette/study/input_tree.hpp>
#include <simlette/study/kinds.hpp>
#include <simlette/study/sizes.hpp>

namespace simlette {

struct GroupText {
    std::string text = "world";        // as the file says it
    std::vector<std::uint32_t> ranks;  // empty: all
};

// One item of `collectives`.
struct CollectiveText {
    std::string name;
    GroupText group;
    std::string axis;             // in place of the group: `mesh.axis`
    std::uint32_t axis_size = 0;  // of each of its groups, once it is known
    std::uint32_t calls = 1;
    CollectiveSpec collective;  // the group is filled in last
    std::string schedule_file;  // empty: `schedule` names a built-in one
    SizesText sizes;
    std::vector<std::string> after;  // names
    std::vector<std::string> clean;  // keys that were read without a problem
};

struct WorkloadFile {
    std::vector<Mesh> meshes;
    std::vector<CollectiveText> collectives;
    std::optional<TrafficSpec> traffic;
};

Kind<GroupText> group_kind();
Kind<LayerChoice> layers_kind();
Kind<std::vector<Mesh>> meshes_kind();

// The product of a mesh is the number of ranks, if that is known.
void check_meshes(const Value& file, const std::vector<Mesh>& meshes, std::uint32_t accelerators);
// The size of the collective's axis. False: no mesh has it, and a problem was added.
bool resolve_axis(const Value& value, const std::vector<Mesh>& meshes, CollectiveText& into);
// None if no mesh has the axis.
std::vector<std::vector<std::uint32_t>> groups_of(const std::string& axis, const std::vector<Mesh>& meshes);
Kind<std::optional<TrafficSpec>> traffic_kind();

const Fields<CollectiveText>& collective_fields();
const Fields<WorkloadFile>& workload_fields();

// Reads a tree for a fabric, and the files that it names, whose paths count from its own folder. With 0 accelerators
// their number is not known, and ranks are not compared with it.
WorkloadFile read_workload(const Node& root, Problems& problems, const FabricSpec& fabric, NamedFiles& files);

WorkloadSpec workload_spec(const WorkloadFile& workload);

}  // namespace simlette
