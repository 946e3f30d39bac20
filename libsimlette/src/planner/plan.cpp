#include <simlette/planner/plan.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <tuple>

#include <simlette/base/contract.hpp>
#include <simlette/base/error.hpp>
#include <simlette/planner/planned_axis.hpp>
#include <simlette/planner/search.hpp>

namespace simlette {

namespace {

constexpr std::size_t most_digits = 20;
constexpr Duration most_latency{ps_per_second};

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorKind::input, what);
}

void check_collective(const PlanAxis& axis, const PlanCollective& collective) {
    if (collective.bytes.count < 1 || collective.bytes.count > std::int64_t{1} << 40) {
        refuse("axis `" + axis.name + "` has a collective of " + std::to_string(collective.bytes.count) +
               " bytes; expected 1 to 2^40");
    }
    if (collective.calls < 1) {
        refuse("axis `" + axis.name + "` has a collective that is called 0 times; expected at least 1");
    }
}

void check_mesh(const PlanRequest& request, const PlanMesh& mesh) {
    std::uint64_t product = 1;
    for (const PlanAxis& axis : mesh.axes) {
        if (axis.size < 1) {
            refuse("axis `" + axis.name + "` of mesh `" + mesh.name + "` has size 0; expected at least 1");
        }
        product = std::min<std::uint64_t>(product * axis.size, UINT32_MAX);
        for (const PlanCollective& collective : axis.collectives) {
            check_collective(axis, collective);
        }
    }
    if (product != request.ranks) {
        refuse("mesh `" + mesh.name + "` has " + std::to_string(product) + " ranks, the plan is for " +
               std::to_string(request.ranks) + "; the sizes of the axes of every mesh must multiply to it");
    }
}

std::size_t digits_of(std::uint32_t ranks) {
    std::size_t digits = 0;
    for (const std::uint32_t count : primes_of(ranks).counts) {
        digits += count;
    }
    return digits;
}

// Of a prime, that any mesh joins.
std::uint32_t most_digits_of(const PlanRequest& request, std::uint32_t prime) {
    std::uint32_t most = 0;
    for (const PlanMesh& mesh : request.meshes) {
        std::uint32_t digits = 0;
        for (const PlanAxis& axis : mesh.axes) {
            for (std::uint32_t rest = has_circuits(axis) ? axis.size : 1; rest % prime == 0; rest /= prime) {
                ++digits;
            }
        }
        most = std::max(most, digits);
    }
    return most;
}

// The least ports that any plan needs: the axes fold every digit by itself and share what they can.
std::uint32_t least_ports(const PlanRequest& request) {
    std::uint32_t ports = 0;
    for (const std::uint32_t prime : primes_of(request.ranks).radices) {
        ports += most_digits_of(request, prime) * (prime - 1);
    }
    const bool idle = request.same_port && ports > 0 && most_digits_of(request, 2) == 0;
    return ports + (idle ? idle_ports(1, 0) : 0);
}

// Of these the least that must leave a group: digits inside serve first.
std::uint32_t least_crossing(const PlanRequest& request) {
    const Primes inside = primes_of(ranks_inside(request.ranks, request.group));
    std::uint32_t crossing = 0;
    for (const std::uint32_t prime : primes_of(request.ranks).radices) {
        const auto at = std::find(inside.radices.begin(), inside.radices.end(), prime);
        const std::uint32_t kept =
            at == inside.radices.end() ? 0 : inside.counts[static_cast<std::size_t>(at - inside.radices.begin())];
        crossing += (prime - 1) * (std::max(most_digits_of(request, prime), kept) - kept);
    }
    return crossing;
}

[[noreturn]] void refuse_ports(const PlanRequest& request, const Space& space) {
    std::string text = "no plan fits: the axes need at least " + std::to_string(least_ports(request)) +
                       " ports per accelerator, there are " + std::to_string(request.ports);
    if (space.budget.crossing < request.ports) {
        const std::uint64_t crossing = least_crossing(request);
        text += "; at least " + std::to_string(crossing) + " of them must leave a group, and the up links let " +
                std::to_string(space.budget.crossing) + "; with `level1.up` of " +
                std::to_string((crossing * request.group + request.ports - 1) / request.ports) +
                " they would let enough";
    }
    refuse(text);
}

// Digits that are alike on the fabric may be renamed: the first mesh gets the highest, axis by axis, so that its ranks
// are numbered as the accelerators are, as far as groups allow.
class Renaming {
public:
    Renaming(const Space& space, const Found& found, const PlanRequest& request) : to_(space.radices.size()) {
        std::vector<std::vector<std::size_t>> places(space.radices.size());
        std::size_t axis = 0;
        for (const PlanMesh& mesh : request.meshes) {
            std::vector<std::size_t> place(space.radices.size(), SIZE_MAX);
            std::size_t next = 0;
            for (const PlanAxis& wanted : mesh.axes) {
                if (has_circuits(wanted)) {
                    const std::vector<Digits>& blocks = found.axes[axis++].blocks;
                    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block, ++next) {
                        mark(place, *block, next);
                    }
                }
            }
            for (std::size_t digit = 0; digit < places.size(); ++digit) {
                places[digit].push_back(place[digit]);
            }
        }
        rename(space, places);
    }

    std::vector<unsigned> of(Digits digits) const {  // highest first
        std::vector<unsigned> renamed;
        for (; digits != 0; digits &= digits - 1) {
            renamed.push_back(to_[static_cast<std::size_t>(std::countr_zero(digits))]);
        }
        std::sort(renamed.rbegin(), renamed.rend());
        return renamed;
    }

private:
    static void mark(std::vector<std::size_t>& place, Digits block, std::size_t value) {
        for (; block != 0; block &= block - 1) {
            place[static_cast<std::size_t>(std::countr_zero(block))] = value;
        }
    }

    void rename(const Space& space, const std::vector<std::vector<std::size_t>>& places) {
        std::vector<unsigned> order(places.size());
        for (unsigned digit = 0; digit < order.size(); ++digit) {
            order[digit] = digit;
        }
        const auto kind = [&](unsigned digit) {
            return std::pair((space.outside >> digit & 1) != 0, space.radices[digit]);
        };
        std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
            return kind(a) != kind(b) ? kind(a) > kind(b) : places[a] < places[b];
        });
        for (std::size_t i = 0; i < order.size(); ++i) {
            to_[order[i]] = static_cast<unsigned>(order.size() - 1 - i);
        }
    }

    std::vector<unsigned> to_;
};

std::string topology_text(const PlanAxis& axis, const Rung& rung) {
    if (rung.blocks.front().ring) {
        return "Z" + std::to_string(axis.size) + "{1}";
    }
    std::string text;
    for (const RungBlock& block : rung.blocks) {
        text += is_power_of_two(axis.size) ? (text.empty() ? "" : ",") + std::to_string(bits_of(block.radix))
                                           : (text.empty() ? "K" : "xK") + std::to_string(block.radix);
    }
    return is_power_of_two(axis.size) ? "Q" + std::to_string(bits_of(axis.size)) + "[" + text + "]" : text;
}

class Writing {
public:
    Writing(const PlanRequest& request, const Space& space, const Found& found)
        : request_(request), space_(space), found_(found), renaming_(space, found, request) {}

    void meshes(Plan& plan) {
        for (const PlanMesh& mesh : request_.meshes) {
            plan.meshes.push_back({mesh.name, {}});
            std::vector<unsigned> left;
            for (unsigned digit = static_cast<unsigned>(space_.radices.size()); digit-- > 0;) {
                left.push_back(digit);
            }
            for (const PlanAxis& axis : mesh.axes) {
                plan.meshes.back().axes.push_back(has_circuits(axis) ? placed(axis) : bare(axis));
                for (const unsigned bit : plan.meshes.back().axes.back().bits) {
                    left.erase(std::find(left.begin(), left.end(), bit));
                }
            }
            for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
                if (!has_circuits(mesh.axes[i])) {
                    take(plan.meshes.back().axes[i], left);
                }
            }
        }
    }

    void generators(Plan& plan) {
        std::vector<std::pair<Label, std::uint32_t>> wanted;
        for (const PlannedMesh& mesh : plan.meshes) {
            for (const PlannedAxis& axis : mesh.axes) {
                for (const std::vector<unsigned>& block : axis.blocks) {
                    for (const Label label : labels_on(RankGroup(radix_), block)) {
                        wanted.push_back({label, axis.multiplicity});
                    }
                }
            }
        }
        std::sort(wanted.begin(), wanted.end());
        for (const auto& [label, copies] : wanted) {
            if (!plan.generators.empty() && plan.generators.back() == label) {
                plan.copies.back() = copies;  // ascending: the most
            } else {
                plan.generators.push_back(label);
                plan.copies.push_back(copies);
            }
        }
    }

private:
    PlannedAxis bare(const PlanAxis& axis) const {
        PlannedAxis result{axis.name, axis.size, {}, {}, {}, "none", 0, 0, {}, false};
        for (const PlanCollective& collective : axis.collectives) {
            result.collectives.push_back({collective, 0, {0}});  // of one rank
        }
        return result;
    }

    PlannedAxis placed(const PlanAxis& axis) {
        const PlacedAxis& place = found_.axes[next_];
        const Rung& rung = space_.rungs[next_++][place.rung];
        PlannedAxis result{axis.name,   axis.size,    {}, {},   {}, topology_text(axis, rung),
                           rung.degree, place.copies, {}, false};
        for (const Digits block : place.blocks) {
            result.blocks.push_back(renaming_.of(block));
        }
        for (auto block = result.blocks.rbegin(); block != result.blocks.rend(); ++block) {
            for (const unsigned digit : *block) {
                result.bits.push_back(digit);
                result.radices.push_back(radix_[digit]);
            }
        }
        result.ring = rung.blocks.front().ring;
        if (result.ring) {
            result.blocks.clear();
        }
        const RungPrices& prices = rung.prices(crossing_of(place.blocks, space_.outside));
        for (std::size_t i = 0; i < axis.collectives.size(); ++i) {
            const ScheduleChoice& choice = prices.choices[place.copies - 1][i];
            PlanCollective collective = axis.collectives[i];
            collective.schedule = choice.kind;
            result.collectives.push_back({collective, choice.phases, choice.time});
        }
        return result;
    }

    // An axis without circuits takes of what is left the highest digits that make up its size.
    void take(PlannedAxis& axis, std::vector<unsigned>& left) const {
        std::uint32_t rest = axis.size;
        for (auto digit = left.begin(); digit != left.end();) {
            if (rest % radix_[*digit] == 0) {
                rest /= radix_[*digit];
                axis.bits.push_back(*digit);
                axis.radices.push_back(radix_[*digit]);
                digit = left.erase(digit);
            } else {
                ++digit;
            }
        }
        require(rest == 1, "the sizes of the axes multiply to the ranks");
    }

    const PlanRequest& request_;
    const Space& space_;
    const Found& found_;
    Renaming renaming_;
    std::vector<std::uint32_t> radix_ = space_.radices;  // digits that are alike are renamed among themselves
    std::size_t next_ = 0;                               // of the axes with circuits
};

std::string space_text(const PlanRequest& request) {
    const std::string rings = has_rings(request) ? " and rings" : "";
    return (is_power_of_two(request.ranks) ? "block folds" + rings + " x bit partitions"
                                           : "products of complete graphs" + rings + " x digit partitions") +
           " x one multiplicity per axis x schedules with a closed form";
}

}  // namespace

void check_request(const PlanRequest& request) {
    if (request.ranks < 1 || request.ports < 1 || request.ports > 4096 || request.rate.per_second < 1) {
        refuse("a plan needs at least 1 rank, 1 to 4096 ports and a rate");
    }
    if (digits_of(request.ranks) > most_digits) {
        refuse("a plan is made for at most 2^" + std::to_string(most_digits) + " ranks; there are " +
               std::to_string(request.ranks));
    }
    if (request.latency.ps < 0 || request.latency_across.ps < 0 || request.latency > most_latency ||
        request.latency_across > most_latency) {
        refuse("the latency of a circuit is from 0 to 1 s");
    }
    std::size_t axes = 0;
    for (const PlanMesh& mesh : request.meshes) {
        check_mesh(request, mesh);
        axes += static_cast<std::size_t>(std::count_if(mesh.axes.begin(), mesh.axes.end(), has_circuits));
    }
    if (axes > 64) {
        refuse("a plan is made for at most 64 axes with collectives; there are " + std::to_string(axes));
    }
}

Plan plan(const PlanRequest& request, const SearchControl& control) {
    check_request(request);
    const Space space = space_of(request);
    SearchEnd end = search(space, request.effort == 0 ? default_effort : request.effort, control);
    if (!end.best && end.truncated) {
        refuse("no plan was found among " + std::to_string(end.nodes) +
               " that were looked at; more effort or more ports would help");
    }
    if (!end.best) {
        refuse_ports(request, space);
    }
    check_total(end.best->merit.total);
    Plan result;
    result.space = space_text(request);
    result.total = {end.best->merit.total};
    result.bound = {end.bound};
    result.optimal = end.bound == end.best->merit.total;
    result.truncated = end.truncated;
    result.ranks = request.ranks;
    result.ports = request.ports;
    result.degree = end.best->merit.generators;
    result.ports_used = end.best->merit.ports;
    Writing writing(request, space, *end.best);
    writing.meshes(result);
    writing.generators(result);
    return result;
}

}  // namespace simlette
