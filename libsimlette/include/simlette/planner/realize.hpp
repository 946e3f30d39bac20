// What a plan becomes: circuits on the ports of accelerators.
#pragma once

#include <simlette/base/export.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/planner/plan.hpp>

namespace simlette {

// The circuits of a plan on the ports of a fabric: a colour for each generator and copy, a port for each colour. On two
// optical levels a rail whose colour leads to other racks would need an up link for every accelerator of a rack. Where
// there are fewer, colours that lead out share rails with others and with dark ports, in equal parts of every rack, if
// that fits all of them. Throws Error{input} if the plan is for other accelerators, or needs more ports.
SIMLETTE_EXPORT CircuitSpec circuits_of(const Plan& plan, const FabricSpec& fabric);

}  // namespace simlette
