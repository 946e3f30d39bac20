// The circuits of a plan, sorted such that both ends of each can be on the same port: a matching is what the switch of
// one port joins.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <simlette/base/export.hpp>
#include <simlette/collective/rank_group.hpp>
#include <simlette/planner/plan.hpp>

namespace simlette {

using Matching = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // the lower accelerator first

// Ports that stay dark at each accelerator if both ends of a circuit are on the same one.
SIMLETTE_EXPORT std::uint32_t idle_ports_of(const RankGroup& labels, const std::vector<Label>& generators,
                                            const std::vector<std::uint32_t>& copies);
// Ports of each accelerator that the generators and copies of a plan take, with those that stay dark if both ends of a
// circuit are on the same one.
SIMLETTE_EXPORT std::uint32_t ports_taken(const Plan& plan, bool same_port);

// As many as ports are taken. A generator that is its own inverse, or changes a bit, is a matching as it is, one for
// each copy. Those of odd order are coloured, all of one copy together; what each colour leaves out is joined by a
// generator of order two as long as there are any.
std::vector<Matching> matchings_of(const Plan& plan);

}  // namespace simlette
