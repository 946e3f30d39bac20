#include <simlette/planner/space.hpp>

#include <algorithm>
#include <numeric>
#include <string>

#include <simlette/base/error.hpp>

namespace simlette {

namespace {

// What axes cost with so many circuits beyond one of each generator, shared out as is best.
std::vector<std::int64_t> with_spare_ports(const std::vector<const Rung*>& rungs, std::uint32_t most) {
    std::vector<std::int64_t> least(most + 1, 0);
    for (const Rung* rung : rungs) {
        const std::vector<std::int64_t>& cost = rung->prices(0).cost;
        std::vector<std::int64_t> joint(most + 1, INT64_MAX);
        for (std::uint32_t spare = 0; spare <= most; ++spare) {
            for (std::uint32_t copies = 1; copies <= rung->copies && (copies - 1) * rung->degree <= spare; ++copies) {
                joint[spare] = std::min(joint[spare], cost[copies - 1] + least[spare - (copies - 1) * rung->degree]);
            }
        }
        least = std::move(joint);
    }
    return least;
}

void add_combination(MeshSpace& mesh, const Space& space, std::vector<std::size_t> rungs) {
    Combination combination{std::move(rungs), 0, {}};
    std::vector<const Rung*> chosen;
    for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
        chosen.push_back(&space.rungs[mesh.axes[i]][combination.rungs[i]]);
        combination.degree += chosen.back()->degree;
    }
    const std::uint32_t ports = space.budget.ports;
    if (combination.degree > ports) {
        return;
    }
    const std::vector<std::int64_t> spare = with_spare_ports(chosen, ports - combination.degree);
    for (std::uint32_t generators = 0; generators <= ports; ++generators) {
        combination.least.push_back(spare[ports - std::max(generators, combination.degree)]);
    }
    mesh.combinations.push_back(std::move(combination));
}

void combine(MeshSpace& mesh, const Space& space, std::vector<std::size_t>& rungs) {
    if (rungs.size() == mesh.axes.size()) {
        add_combination(mesh, space, rungs);
        return;
    }
    for (std::size_t rung = 0; rung < space.rungs[mesh.axes[rungs.size()]].size(); ++rung) {
        rungs.push_back(rung);
        combine(mesh, space, rungs);
        rungs.pop_back();
    }
}

void sort_out(MeshSpace& mesh, std::uint32_t ports) {
    mesh.least_degree = UINT32_MAX;
    for (const Combination& combination : mesh.combinations) {
        mesh.least_degree = std::min(mesh.least_degree, combination.degree);
    }
    for (std::uint32_t generators = 0; generators <= ports; ++generators) {
        std::vector<std::size_t> order(mesh.combinations.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto least = [&](std::size_t i) { return mesh.combinations[i].least[generators]; };
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return least(a) < least(b); });
        mesh.least.push_back(least(order.front()));
        mesh.order.push_back(std::move(order));
    }
}

std::uint32_t least_degree(std::uint32_t size) {
    const Primes primes = primes_of(size);
    std::uint32_t degree = 0;
    for (std::size_t i = 0; i < primes.radices.size(); ++i) {
        degree += primes.counts[i] * (primes.radices[i] - 1);
    }
    return degree;
}

// Of an axis: what its rungs need at least, or if the ports make none what any would need.
std::uint32_t least_degree(const std::vector<Rung>& rungs, std::uint32_t size) {
    std::uint32_t least = rungs.empty() ? least_degree(size) : UINT32_MAX;
    for (const Rung& rung : rungs) {
        least = std::min(least, rung.degree);
    }
    return least;
}

void check_ports(const PlanRequest& request, const PlanMesh& mesh, std::uint32_t needed) {
    if (needed > request.ports) {
        const std::uint32_t prime = primes_of(request.ranks).radices.back();
        throw Error(
            ErrorKind::input,
            "mesh `" + mesh.name + "` needs at least " + std::to_string(needed) +
                " ports per accelerator, to join the ranks of its axes; there are " + std::to_string(request.ports) +
                (prime > request.ports + 1 ? "; an axis with the prime factor " + std::to_string(prime) +
                                                 " is joined completely along it, sizes with smaller ones take less"
                                           : std::string()));
    }
}

MeshSpace mesh_space(Space& space, const PlanRequest& request, const PlanMesh& mesh, bool rings) {
    MeshSpace result;
    std::uint32_t needed = 0;
    bool bits = false;
    for (const PlanAxis& axis : mesh.axes) {
        if (has_circuits(axis)) {
            bits = bits || axis.size % 2 == 0;
            result.axes.push_back(static_cast<unsigned>(space.rungs.size()));
            space.rungs.push_back(rungs_of(request, axis, space.primes, rings));
            needed += least_degree(space.rungs.back(), axis.size);
        }
    }
    needed += request.same_port && needed > 0 && !bits && !rings ? idle_ports(1, 0) : 0;
    check_ports(request, mesh, needed);
    std::vector<std::size_t> rungs;
    combine(result, space, rungs);
    if (result.combinations.empty()) {
        throw Error(ErrorKind::input, "mesh `" + mesh.name + "` has schedules that no circuits of " +
                                          std::to_string(request.ports) + " ports carry; use `auto`");
    }
    sort_out(result, request.ports);
    return result;
}

// Of all axes with circuits together.
std::uint64_t ranks_joined(const PlanMesh& mesh) {
    std::uint64_t product = 1;
    for (const PlanAxis& axis : mesh.axes) {
        product *= has_circuits(axis) ? axis.size : 1;
    }
    return product;
}

// The labels, 0 left out, that are in one block of each: at most, with every block of the first by itself.
std::uint64_t most_shared(const std::vector<std::uint32_t>& first, const std::vector<std::uint32_t>& second) {
    std::uint64_t shared = 0;
    for (std::uint32_t digits : first) {
        for (auto block = second.begin(); block != second.end() && digits > 0; ++block) {
            const std::uint32_t common = std::min(digits, *block);
            shared += (std::uint64_t{1} << common) - 1;
            digits -= common;
        }
    }
    return shared;
}

// Digits of each block of all axes, widest first.
std::vector<std::uint32_t> widths_of(const Space& space, const MeshSpace& mesh, const Combination& combination) {
    std::vector<std::uint32_t> widths;
    for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
        for (const RungBlock& block : space.rungs[mesh.axes[i]][combination.rungs[i]].blocks) {
            widths.push_back(block.digits.empty() ? 0 : block.digits.front());
        }
    }
    std::sort(widths.rbegin(), widths.rend());
    return widths;
}

// Blocks of other primes than 2 count as if one lay within the other.
JointGenerators joint_generators(const Space& space, const MeshSpace& first, const MeshSpace& second) {
    const bool bits = space.primes.radices == std::vector<std::uint32_t>{2};
    std::vector<std::vector<std::uint32_t>> columns;
    for (const Combination& combination : second.combinations) {
        columns.push_back(widths_of(space, second, combination));
    }
    JointGenerators joint{columns.size(), {}};
    for (const Combination& row : first.combinations) {
        const std::vector<std::uint32_t> widths = widths_of(space, first, row);
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const std::uint32_t column = second.combinations[c].degree;
            const std::uint64_t shared =
                bits ? std::min(most_shared(widths, columns[c]), most_shared(columns[c], widths))
                     : std::min(row.degree, column);
            joint.least.push_back(row.degree + column - static_cast<std::uint32_t>(shared));
        }
    }
    return joint;
}

// What two meshes cost at least, by the generators that there are.
std::vector<std::int64_t> least_of_both(const MeshSpace& first, const MeshSpace& second, const JointGenerators& joint,
                                        std::uint32_t ports) {
    std::vector<std::int64_t> least(ports + 1, most_cost);
    for (std::size_t a = 0; a < first.combinations.size(); ++a) {
        for (std::size_t b = 0; b < second.combinations.size(); ++b) {
            for (std::uint32_t generators = joint.of(a, b); generators <= ports; ++generators) {
                least[generators] = std::min(least[generators], first.combinations[a].least[generators] +
                                                                    second.combinations[b].least[generators]);
            }
        }
    }
    for (std::uint32_t generators = ports; generators-- > 0;) {  // fewer of others leave as many of these two
        least[generators] = std::min(least[generators], least[generators + 1]);
    }
    return least;
}

void bound_jointly(Space& space) {
    const std::uint32_t ports = space.budget.ports;
    const std::size_t meshes = space.meshes.size();
    std::vector<std::vector<std::vector<std::int64_t>>> both(meshes);
    for (std::size_t i = 0; i < meshes; ++i) {
        space.joint.emplace_back();
        for (std::size_t j = i + 1; j < meshes; ++j) {
            space.joint[i].push_back(joint_generators(space, space.meshes[i], space.meshes[j]));
            both[i].push_back(least_of_both(space.meshes[i], space.meshes[j], space.joint[i].back(), ports));
        }
    }
    // A mesh by itself, or with the next one: whichever tells more.
    space.least_from.assign(meshes + 1, std::vector<std::int64_t>(ports + 1, 0));
    for (std::size_t i = meshes; i-- > 0;) {
        for (std::uint32_t g = 0; g <= ports; ++g) {
            space.least_from[i][g] = space.meshes[i].least[g] + space.least_from[i + 1][g];
            if (i + 2 <= meshes) {
                space.least_from[i][g] =
                    std::max(space.least_from[i][g], both[i].front()[g] + space.least_from[i + 2][g]);
            }
        }
    }
}

}  // namespace

LayerSet crossing_of(const std::vector<Digits>& blocks, Digits outside) {
    LayerSet crossing = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        crossing |= (blocks[i] & outside) != 0 ? LayerSet{1} << i : 0U;
    }
    return crossing;
}

bool has_circuits(const PlanAxis& axis) {
    return axis.size > 1 && !axis.collectives.empty();
}

std::vector<std::uint32_t> radices_of_labels(std::uint32_t ranks, std::uint32_t group) {
    std::vector<std::uint32_t> radices;
    const std::uint32_t inside = ranks_inside(ranks, group);
    for (const std::uint32_t part : {inside, ranks / inside}) {
        const Primes primes = primes_of(part);
        for (std::size_t i = 0; i < primes.radices.size(); ++i) {
            radices.insert(radices.end(), primes.counts[i], primes.radices[i]);
        }
    }
    return radices;
}

std::uint32_t ranks_inside(std::uint32_t ranks, std::uint32_t group) {
    return group == 0 || group >= ranks ? ranks : std::gcd(ranks, group);
}

bool has_rings(const PlanRequest& request) {
    return request.rings && std::count_if(request.meshes.begin(), request.meshes.end(), [](const PlanMesh& mesh) {
                                return std::any_of(mesh.axes.begin(), mesh.axes.end(), has_circuits);
                            }) == 1;
}

Space space_of(const PlanRequest& request) {
    Space space;
    space.primes = primes_of(request.ranks);
    space.radices = radices_of_labels(request.ranks, request.group);
    std::uint32_t labels = 1;
    for (std::size_t digit = 0; digit < space.radices.size(); ++digit) {
        labels *= space.radices[digit];
        space.outside |= ranks_inside(request.ranks, request.group) % labels != 0 ? Digits{1} << digit : 0U;
    }
    const std::uint64_t up = std::uint64_t{request.up} * request.ports;
    const bool limited = request.group != 0 && request.up != 0 && up / request.group < request.ports;
    space.budget = {request.ports, limited ? static_cast<std::uint32_t>(up / request.group) : request.ports,
                    request.same_port};
    std::vector<MeshSpace> meshes;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < request.meshes.size(); ++i) {
        meshes.push_back(mesh_space(space, request, request.meshes[i], has_rings(request)));
        order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto weight = [&](std::size_t i) {
            return std::pair(ranks_joined(request.meshes[i]), ~meshes[i].axes.size());
        };
        return weight(a) > weight(b);
    });
    for (const std::size_t i : order) {
        if (!meshes[i].axes.empty()) {
            space.meshes.push_back(std::move(meshes[i]));
            space.mesh_of.push_back(i);
        }
    }
    bound_jointly(space);
    return space;
}

}  // namespace simlette
