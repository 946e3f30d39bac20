// The built-in profiles: the data files under topologies/profiles/, carried in the library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <simlette/fabric/spec.hpp>
#include <simlette/study/kinds.hpp>

namespace simlette {

// The text of topologies/profiles/latencies.yaml, put into the library by the build.
std::string_view latency_profiles_text();

std::vector<std::string> latency_profile_names();
LatencySpec latency_profile(const std::string& name);  // requires: one of the names

// A profile name, or a map of single fields on a base profile.
Kind<LatencySpec> latency_kind();

}  // namespace simlette
