// A planner that tries everything: every set of bits for every axis, every way to split them into blocks, rings, every
// multiplicity. It counts generators label by label and has its own formulas. For a few bits only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include <simlette/base/label.hpp>
#include <simlette/planner/plan.hpp>

namespace simlette {

struct BruteMerit {
    std::int64_t total = INT64_MAX;
    std::uint32_t ports = 0;
    std::uint32_t generators = 0;
    std::uint32_t degree_sum = 0;
    std::vector<std::uint32_t> degrees;
    std::vector<std::uint32_t> copies;

    auto key() const { return std::tie(total, ports, generators, degree_sum, degrees, copies); }
};

class BrutePlan {
public:
    explicit BrutePlan(const PlanRequest& request) : request_(request) {}

    BruteMerit best() {
        place(0, 0, request_.ranks - 1);
        return best_;
    }

private:
    using Blocks = std::vector<Label>;

    struct Axis {
        const PlanAxis* axis;
        Blocks blocks;
        bool ring = false;
    };

    static std::uint32_t width(Label block) { return static_cast<std::uint32_t>(__builtin_popcount(block)); }

    void place(std::size_t mesh, std::size_t axis, Label left) {
        if (mesh == request_.meshes.size()) {
            widen();
            return;
        }
        if (axis == request_.meshes[mesh].axes.size()) {
            place(mesh + 1, 0, request_.ranks - 1);
            return;
        }
        const PlanAxis& wanted = request_.meshes[mesh].axes[axis];
        for (Label bits = left;; bits = (bits - 1) & left) {
            if (Label{1} << width(bits) == wanted.size) {
                if (wanted.collectives.empty() || bits == 0) {
                    place(mesh, axis + 1, left & ~bits);
                } else {
                    axes_.push_back({&wanted, {}});
                    split(mesh, axis, left & ~bits, bits);
                    axes_.pop_back();
                    if (goes_round(wanted)) {
                        axes_.push_back({&wanted, {bits}, true});
                        place(mesh, axis + 1, left & ~bits);
                        axes_.pop_back();
                    }
                }
            }
            if (bits == 0) {
                break;
            }
        }
    }

    bool goes_round(const PlanAxis& wanted) const {
        std::size_t meshes = 0;
        for (const PlanMesh& mesh : request_.meshes) {
            meshes += std::any_of(mesh.axes.begin(), mesh.axes.end(),
                                  [](const PlanAxis& axis) { return axis.size > 1 && !axis.collectives.empty(); })
                          ? 1U
                          : 0U;
        }
        return request_.rings && meshes == 1 && wanted.size > 3 &&
               std::none_of(wanted.collectives.begin(), wanted.collectives.end(), [](const PlanCollective& collective) {
                   return collective.primitive == Primitive::all_to_all;
               });
    }

    // The block of the highest bit that is left, and then the others.
    void split(std::size_t mesh, std::size_t axis, Label left, Label bits) {
        if (bits == 0) {
            place(mesh, axis + 1, left);
            return;
        }
        Label first = 1;
        while (first <= bits / 2) {
            first *= 2;
        }
        const Label others = bits & ~first;
        for (Label with = others;; with = (with - 1) & others) {
            const std::size_t index = axes_.size() - 1;
            axes_[index].blocks.push_back(first | with);
            split(mesh, axis, left, others & ~with);
            axes_[index].blocks.pop_back();
            if (with == 0) {
                break;
            }
        }
    }

    bool across(Label label) const { return request_.group != 0 && label >= request_.group; }

    // What is sent along each block in each phase, in parts of the buffer; blocks in the order of their layers.
    using Parts = std::vector<std::vector<std::int64_t>>;

    static Parts there_and_back(const Parts& parts) {
        Parts all = parts;
        all.insert(all.end(), parts.rbegin(), parts.rend());
        return all;
    }

    // Phase after phase latency and parts of the slowest block, at 20 ps a byte; half up.
    std::int64_t time(const Parts& parts, std::int64_t whole, const std::vector<std::int64_t>& latencies,
                      std::int64_t bytes, std::uint32_t copies) const {
        const std::int64_t over = whole * copies;
        std::int64_t sum = 0;
        for (const std::vector<std::int64_t>& phase : parts) {
            std::int64_t slowest = 0;
            for (std::size_t j = 0; j < phase.size(); ++j) {
                if (phase[j] > 0) {
                    slowest = std::max(slowest, latencies[j] * over + phase[j] * bytes * 20);
                }
            }
            sum += slowest;
        }
        return (2 * sum + over) / (2 * over);
    }

    std::int64_t around(const PlanCollective& collective, const Axis& axis, std::uint32_t copies) const {
        const std::int64_t ranks = axis.axis->size;
        const std::int64_t steps = (collective.primitive == Primitive::all_reduce ? 2 : 1) * (ranks - 1);
        const Parts parts(static_cast<std::size_t>(steps), {1});
        const Duration latency = across(axis.blocks.front()) ? request_.latency_across : request_.latency;
        return time(parts, ranks, {latency.ps}, collective.bytes.count, copies);
    }

    std::int64_t time(const PlanCollective& collective, const Axis& axis, std::uint32_t copies) const {
        if (axis.ring) {
            return around(collective, axis, copies);
        }
        Blocks blocks = axis.blocks;
        std::sort(blocks.begin(), blocks.end(), [&](Label a, Label b) {
            return std::tuple(width(b), across(a), a) < std::tuple(width(a), across(b), b);
        });
        const std::size_t layers = blocks.size();
        const auto count = static_cast<std::int64_t>(layers);
        const std::int64_t whole = (1 << 20) * count;
        std::vector<std::int64_t> latencies;
        std::vector<std::int64_t> radices;
        for (const Label block : blocks) {
            latencies.push_back((across(block) ? request_.latency_across : request_.latency).ps);
            radices.push_back(std::int64_t{1} << width(block));
        }
        const Parts none(layers, std::vector<std::int64_t>(layers, 0));
        Parts coset = none;
        Parts coset_parallel(layers, std::vector<std::int64_t>(layers, whole / count));
        Parts scatter = none;
        Parts scatter_parallel = none;
        Parts bruck = none;
        Parts bruck_parallel = none;
        std::int64_t left = whole;
        for (std::size_t t = 0; t < layers; ++t) {
            coset[t][t] = whole;
            left /= radices[t];
            scatter[t][t] = left;
            bruck[t][t] = whole / radices[t];
            for (std::size_t s = 0; s < layers; ++s) {
                std::int64_t part = whole / count;
                for (std::size_t i = 0; i <= t; ++i) {
                    part /= radices[(s + i) % layers];
                }
                scatter_parallel[t][(s + t) % layers] = part;
                bruck_parallel[t][(s + t) % layers] = whole / count / radices[(s + t) % layers];
            }
        }
        const auto best = [&](const std::vector<Parts>& schedules) {
            std::int64_t least = INT64_MAX;
            for (const Parts& parts : schedules) {
                least = std::min(least, time(parts, whole, latencies, collective.bytes.count, copies));
            }
            return least;
        };
        switch (collective.primitive) {
            case Primitive::all_reduce:
                return best({coset_parallel, coset, there_and_back(scatter), there_and_back(scatter_parallel)});
            case Primitive::all_to_all:
                return best({bruck_parallel, bruck});
            default:
                return best({scatter, scatter_parallel});
        }
    }

    // Remembered: many plans have an axis in common.
    std::int64_t cost(const Axis& axis, std::uint32_t copies) {
        std::vector<std::int64_t>& known = costs_[{axis.axis, axis.ring, axis.blocks}];
        while (known.size() < copies) {
            std::int64_t sum = 0;
            for (const PlanCollective& collective : axis.axis->collectives) {
                sum += collective.calls * time(collective, axis, static_cast<std::uint32_t>(known.size()) + 1);
            }
            known.push_back(sum);
        }
        return known[copies - 1];
    }

    void widen() {
        std::vector<std::uint32_t> copies(axes_.size(), 1);
        while (true) {
            const bool fits = judge(copies);
            // the next in an odometer; a digit that does not fit any more is set back
            std::size_t i = 0;
            if (!fits) {
                while (i < copies.size() && copies[i] == 1) {
                    ++i;
                }
                if (i == copies.size()) {
                    return;
                }
                copies[i] = 1;
                ++i;
            }
            if (i == copies.size()) {
                return;
            }
            ++copies[i];
        }
    }

    bool judge(const std::vector<std::uint32_t>& copies) {
        std::map<Label, std::uint32_t> circuits;
        BruteMerit merit{0, 0, 0, 0, {}, copies};
        std::uint32_t leaving = 0;
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            if (axes_[i].ring) {
                merit.degrees.push_back(2);
                merit.degree_sum += 2;
                merit.generators += 2;
                merit.ports += 2 * copies[i];
                leaving += across(axes_[i].blocks.front()) ? 2 * copies[i] : 0;
                continue;
            }
            std::uint32_t degree = 0;
            for (const Label block : axes_[i].blocks) {
                for (Label label = block; label != 0; label = (label - 1) & block) {
                    circuits[label] = std::max(circuits[label], copies[i]);
                    ++degree;
                }
            }
            merit.degrees.push_back(degree);
            merit.degree_sum += degree;
        }
        for (const auto& [label, count] : circuits) {
            merit.ports += count;
            ++merit.generators;
            leaving += across(label) ? count : 0;
        }
        if (merit.ports > request_.ports ||
            (request_.up != 0 && leaving * request_.group > request_.up * request_.ports)) {
            return false;
        }
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            merit.total += cost(axes_[i], copies[i]);
        }
        if (merit.key() < best_.key()) {
            best_ = merit;
        }
        return true;
    }

    const PlanRequest& request_;
    std::vector<Axis> axes_;
    std::map<std::tuple<const PlanAxis*, bool, Blocks>, std::vector<std::int64_t>> costs_;
    BruteMerit best_;
};

}  // namespace simlette
