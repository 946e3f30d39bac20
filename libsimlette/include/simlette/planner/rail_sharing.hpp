// Rails of two optical levels whose racks have fewer up links than accelerators: circuits between racks share rails
// with others.
#pragma once

#include <vector>

#include <simlette/fabric/spec.hpp>
#include <simlette/planner/matchings.hpp>

namespace simlette {

// Each matching by itself has no more circuits out of any rack than a rail has up links there.
bool rails_suffice(const std::vector<Matching>& matchings, const FabricSpec& fabric);

// The matching of each rail, such that no rack has more circuits to others on a rail than up links. Some rails share as
// many matchings, dark ones among them: accelerators that none of these circuits join differ in the rails that they
// take them on. Where no such sharing fits, pairs of rails exchange circuits as long as that helps. Throws Error{input}
// if neither fits, with what would do.
std::vector<Matching> share_rails(const std::vector<Matching>& matchings, const FabricSpec& fabric);

}  // namespace simlette
