// The built-in profiles: the data files under topologies/profiles/, carried in the library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <simlette/fabric/spec.hpp>
#include <simlette/study/kinds.hpp>

namespace simlette {

// The texts of topologies/profiles/*.yaml, put into the library by the build.
std::string_view latency_profiles_text();
std::string_view accelerator_profiles_text();

std::vector<std::string> latency_profile_names();
LatencySpec latency_profile(const std::string& name);  // requires: one of the names

// The profile that has exactly these latencies; empty: none.
std::string latency_profile_of(const LatencySpec& latency);

// A profile name, or a map of single fields on a base profile.
Kind<LatencySpec> latency_kind();

// Propagation of one link: {length: 2 m} at 5 ns/m.
Kind<Duration> length_kind();
Kind<Duration> latency_segment();

// An accelerator as it is sold or announced. The network takes its ports and their rate.
struct AcceleratorProfile {
    std::uint32_t ports = 0;
    BitRate port_rate{0};
    std::int64_t compute = 0;  // FLOP/s, FP4 peak
    Bytes hbm{0};
    BitRate hbm_rate{0};
    Duration launch{0};
    Duration graph_launch{0};  // between kernels of a replayed graph
    std::int64_t power = 0;    // mW, with its share of the host
};

std::vector<std::string> accelerator_profile_names();
AcceleratorProfile accelerator_profile(const std::string& name);  // requires: one of the names

}  // namespace simlette
