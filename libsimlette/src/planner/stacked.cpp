#include <simlette/planner/stacked.hpp>

#include <algorithm>
#include <numeric>
#include <string>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/collective/circulant.hpp>
#include <simlette/collective/fold.hpp>
#include <simlette/planner/busiest_circuit.hpp>

namespace simlette {

namespace {

// Adds `rest` in proportion to `weights`.
void share_out(std::vector<std::uint32_t>& ports, const std::vector<std::uint32_t>& weights, std::uint32_t rest) {
    const std::uint64_t sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::uint32_t given = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const auto whole = static_cast<std::uint32_t>(std::uint64_t{rest} * weights[i] / sum);
        ports[i] += whole;
        given += whole;
    }
    const auto remainder = [&](std::size_t i) { return std::uint64_t{rest} * weights[i] % sum; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return remainder(a) > remainder(b); });
    for (std::size_t i = 0; given < rest; ++i, ++given) {
        ++ports[order[i]];
    }
}

CayleyGraph graph_on(std::uint32_t size, std::uint32_t ports) {
    if (ports >= size - 1) {
        return graph_of(layers_of_radices({size}));
    }
    if (ports < 2) {
        throw Error(ErrorKind::input, "an axis of " + std::to_string(size) +
                                          " ranks gets 1 port of its own, which does not join them; expected at "
                                          "least 2");
    }
    return best_circulant(size, ports);
}

}  // namespace

std::vector<std::uint32_t> stacked_ports(const std::vector<std::uint32_t>& sizes, std::uint32_t ports) {
    require(!sizes.empty() && ports >= sizes.size(), "every axis has a port");
    std::vector<std::uint32_t> complete;
    for (const std::uint32_t size : sizes) {
        require(size >= 2, "an axis has at least two ranks");
        complete.push_back(size - 1);
    }
    const std::uint64_t all = std::accumulate(complete.begin(), complete.end(), std::uint64_t{0});
    std::vector<std::uint32_t> given = ports >= all ? complete : std::vector<std::uint32_t>(sizes.size(), 1);
    share_out(given, complete, ports - std::accumulate(given.begin(), given.end(), 0U));
    return given;
}

std::vector<StackedAxis> stacked_axes(const std::vector<std::uint32_t>& sizes, std::uint32_t ports) {
    const std::vector<std::uint32_t> given = stacked_ports(sizes, ports);
    std::vector<StackedAxis> axes;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        axes.push_back({graph_on(sizes[i], given[i]), given[i], std::max(1U, given[i] / (sizes[i] - 1))});
    }
    return axes;
}

Duration stacked_time(const std::vector<StackedAxis>& axes, ScheduleKind kind, Bytes bytes, Duration latency,
                      BitRate rate) {
    const ClosedForm& form = *closed_form(Primitive::all_reduce, kind);
    Duration sum;
    for (const StackedAxis& axis : axes) {
        const ScheduleCost cost = form.cost({axis.graph, std::nullopt});
        sum += latency * cost.phases + BusiestCircuit(cost, bytes, rate).busy(axis.copies, {INT64_MAX / 2});
    }
    return sum;
}

}  // namespace simlette
