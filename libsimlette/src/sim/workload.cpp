#include <simlette/sim/workload.hpp>

#include <simlette/base/contract.hpp>

namespace simlette {

std::uint64_t Mesh::ranks() const {
    std::uint64_t product = 1;
    for (const Axis& axis : axes) {
        product *= axis.size;
    }
    return product;
}

std::vector<std::vector<std::uint32_t>> groups_of_axis(const Mesh& mesh, std::size_t axis) {
    require(axis < mesh.axes.size(), "the axis is one of the mesh");
    std::uint32_t step = 1;  // from a rank to the next one along the axis
    for (std::size_t faster = axis + 1; faster < mesh.axes.size(); ++faster) {
        step *= mesh.axes[faster].size;
    }
    const std::uint32_t size = mesh.axes[axis].size;
    const auto ranks = static_cast<std::uint32_t>(mesh.ranks());
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::uint32_t first = 0; first < ranks; ++first) {
        if (first / step % size == 0) {
            std::vector<std::uint32_t>& group = groups.emplace_back();
            for (std::uint32_t place = 0; place < size; ++place) {
                group.push_back(first + place * step);
            }
        }
    }
    return groups;
}

}  // namespace simlette
