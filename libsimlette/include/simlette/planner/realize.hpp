// What a plan becomes: circuits on the ports of accelerators.
#pragma once

#include <simlette/base/export.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/planner/plan.hpp>

namespace simlette {

// The circuits of a plan on the ports of a fabric: a port for each matching, or of `direct` for each generator and
// copy. On two optical levels a rail whose matching leads to other racks would need an up link for every accelerator of
// a rack. Where there are fewer, matchings that lead out share rails with others and with dark ports, if that fits all
// of them. A plan of racks joins these evenly. Throws Error{input} if the plan is for other accelerators, needs more
// ports, or joins racks and the fabric accelerators, or the other way round.
SIMLETTE_EXPORT CircuitSpec circuits_of(const Plan& plan, const FabricSpec& fabric);

}  // namespace simlette
