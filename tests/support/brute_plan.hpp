// A planner that tries everything: every set of bits for every axis, every way to split them into blocks, every
// multiplicity. It counts generators label by label and has its own formulas. For a few bits only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

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
                }
            }
            if (bits == 0) {
                break;
            }
        }
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

    std::int64_t rounded(std::int64_t over, std::int64_t under, std::int64_t bytes, std::uint32_t copies) const {
        // bytes * over / under / copies at 400 Gb/s: 20 ps a byte, half up
        const std::int64_t numerator = bytes * 20 * over;
        const std::int64_t denominator = under * copies;
        return (2 * numerator + denominator) / (2 * denominator);
    }

    std::int64_t time(const PlanCollective& collective, const Blocks& blocks, std::uint32_t copies) const {
        const auto layers = static_cast<std::int64_t>(blocks.size());
        std::int64_t in_turn = 0;
        bool any = false;
        std::vector<std::int64_t> radices;
        for (const Label block : blocks) {
            in_turn += (across(block) ? request_.latency_across : request_.latency).ps;
            any = any || across(block);
            radices.push_back(std::int64_t{1} << width(block));
        }
        std::sort(radices.rbegin(), radices.rend());
        const std::int64_t at_once = layers * (any ? request_.latency_across : request_.latency).ps;
        const std::int64_t common = 1 << 20;
        std::int64_t sequential = 0;  // of one half, times `common`
        std::int64_t share = common;
        std::int64_t bruck = 0;
        for (const std::int64_t radix : radices) {
            share /= radix;
            sequential += share;
            bruck += common / radix;
        }
        std::int64_t rotating = 0;
        for (std::size_t t = 0; t < radices.size(); ++t) {
            std::int64_t largest = 0;
            for (std::size_t s = 0; s < radices.size(); ++s) {
                std::int64_t part = common;
                for (std::size_t i = 0; i <= t; ++i) {
                    part /= radices[(s + i) % radices.size()];
                }
                largest = std::max(largest, part);
            }
            rotating += largest;
        }
        const auto serial = [&](std::int64_t over, std::int64_t under) {
            return rounded(over, under, collective.bytes.count, copies);
        };
        switch (collective.primitive) {
            case Primitive::all_reduce:
                return std::min({at_once + serial(1, 1), in_turn + serial(layers, 1),
                                 2 * in_turn + serial(2 * sequential, common),
                                 2 * at_once + serial(2 * rotating, common * layers)});
            case Primitive::all_to_all:
                return std::min(at_once + serial(1, radices.back()), in_turn + serial(bruck, common));
            default:
                return std::min(in_turn + serial(sequential, common), at_once + serial(rotating, common * layers));
        }
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
        for (std::size_t i = 0; i < axes_.size(); ++i) {
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
        std::uint32_t leaving = 0;
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
            for (const PlanCollective& collective : axes_[i].axis->collectives) {
                merit.total += collective.calls * time(collective, axes_[i].blocks, copies[i]);
            }
        }
        if (merit.key() < best_.key()) {
            best_ = merit;
        }
        return true;
    }

    const PlanRequest& request_;
    std::vector<Axis> axes_;
    BruteMerit best_;
};

}  // namespace simlette
