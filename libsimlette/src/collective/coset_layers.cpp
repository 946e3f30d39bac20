#include <simlette/collective/coset_layers.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include <simlette/base/contract.hpp>

namespace simlette {

std::vector<std::uint32_t> CosetLayers::radices() const {
    std::vector<std::uint32_t> all;
    for (std::size_t j = 0; j < layers.size(); ++j) {
        all.push_back(radix(j));
    }
    return all;
}

std::uint32_t CosetLayers::degree() const {
    std::uint32_t sum = 0;
    for (const Layer& layer : layers) {
        sum += static_cast<std::uint32_t>(layer.size());
    }
    return sum;
}

std::vector<Label> CosetLayers::components() const {
    std::vector<Label> parts(std::size_t{group.size()} * count(), 0);
    const auto parts_of = [&](Label label) { return &parts[std::size_t{label} * count()]; };
    std::vector<Label> reached{0};
    for (std::size_t j = 0; j < layers.size(); ++j) {
        const std::size_t before = reached.size();
        for (const Label element : layers[j]) {
            for (std::size_t i = 0; i < before; ++i) {
                const Label label = group.plus(reached[i], element);
                std::copy_n(parts_of(reached[i]), j, parts_of(label));
                parts_of(label)[j] = element;
                reached.push_back(label);
            }
        }
    }
    return parts;
}

CosetLayers in_order(RankGroup group, std::vector<Layer> layers) {
    for (Layer& layer : layers) {
        std::sort(layer.begin(), layer.end());
    }
    std::sort(layers.begin(), layers.end(),
              [](const Layer& a, const Layer& b) { return a.size() != b.size() ? a.size() > b.size() : a < b; });
    return {std::move(group), std::move(layers)};
}

std::optional<std::string> tiling_flaw(const CosetLayers& layers) {
    std::vector<bool> seen(layers.group.size(), false);
    std::vector<Label> reached{0};
    seen[0] = true;
    for (const Layer& layer : layers.layers) {
        if (layer.empty()) {
            return "one of them is empty";
        }
        const std::size_t before = reached.size();
        for (const Label element : layer) {
            for (std::size_t i = 0; i < before; ++i) {
                if (element >= layers.group.size()) {
                    return "there is no rank " + std::to_string(element);
                }
                const Label label = layers.group.plus(reached[i], element);
                if (seen[label]) {
                    return "they reach rank " + std::to_string(label) + " in more than one way";
                }
                seen[label] = true;
                reached.push_back(label);
            }
        }
    }
    const auto missed = std::find(seen.begin(), seen.end(), false);
    if (missed != seen.end()) {
        return "they do not reach rank " + std::to_string(missed - seen.begin());
    }
    return std::nullopt;
}

bool all_subgroups(const CosetLayers& layers) {
    return std::all_of(layers.layers.begin(), layers.layers.end(), [&](const Layer& layer) {
        return std::all_of(layer.begin(), layer.end(), [&](Label a) {
            return std::all_of(layer.begin(), layer.end(), [&](Label b) {
                const Label difference = layers.group.minus(a, b);
                return difference == 0 || std::binary_search(layer.begin(), layer.end(), difference);
            });
        });
    });
}

namespace {

// Splits the bits of Z_2^n into the fewest blocks of which every mask is a generator.
class BlockSearch {
public:
    BlockSearch(unsigned bits, const std::vector<Label>& generators) {
        std::vector<Label> ascending = generators;
        std::sort(ascending.begin(), ascending.end());
        std::vector<bool> complete(std::size_t{1} << bits, false);
        complete[0] = true;
        for (const Label mask : ascending) {
            bool all = true;
            for (Label rest = mask; rest != 0; rest &= rest - 1) {
                all = all && complete[mask & ~(rest & (~rest + 1))];
            }
            complete[mask] = all;
            if (all) {
                blocks_.push_back(mask);
            }
        }
    }

    // The blocks, in the order of layers; empty if there are none.
    const std::vector<Label>& best(Label bits) {
        const auto found = best_.find(bits);
        if (found != best_.end()) {
            return found->second;
        }
        std::vector<Label> least;
        for (const Label block : blocks_) {
            const bool fits = (block & ~bits) == 0 && (block & bits & (~bits + 1)) != 0;
            if (fits) {
                std::vector<Label> with = bits == block ? std::vector<Label>{} : best(bits & ~block);
                if (bits != block && with.empty()) {
                    continue;
                }
                with.insert(std::upper_bound(with.begin(), with.end(), block, before), block);
                if (least.empty() || better(with, least)) {
                    least = std::move(with);
                }
            }
        }
        return best_.emplace(bits, std::move(least)).first->second;
    }

private:
    // Wider blocks first, then the lowest bit.
    static bool before(Label a, Label b) {
        const int width_a = std::popcount(a);
        const int width_b = std::popcount(b);
        return width_a != width_b ? width_a > width_b : std::countr_zero(a) < std::countr_zero(b);
    }

    static bool better(const std::vector<Label>& a, const std::vector<Label>& b) {
        if (a.size() != b.size()) {
            return a.size() < b.size();
        }
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (before(a[i], b[i]) || before(b[i], a[i])) {
                return before(a[i], b[i]);
            }
        }
        return a < b;
    }

    std::vector<Label> blocks_;
    std::map<Label, std::vector<Label>> best_;
};

std::optional<CosetLayers> find_blocks(const CayleyGraph& graph) {
    const auto bits = static_cast<unsigned>(graph.group.radices().size());
    std::vector<Layer> layers;
    BlockSearch search(bits, graph.generators);
    for (const Label block : search.best(graph.group.size() - 1)) {
        layers.emplace_back();
        for (Label mask = block; mask != 0; mask = (mask - 1) & block) {
            layers.back().push_back(mask);
        }
    }
    return layers.empty() ? std::nullopt : std::optional(in_order(graph.group, std::move(layers)));
}

std::optional<CosetLayers> find_digits(const CayleyGraph& graph) {
    std::vector<Layer> layers;
    std::uint32_t weight = 1;
    for (const std::uint32_t radix : graph.group.radices()) {
        layers.emplace_back();
        for (std::uint32_t digit = 1; digit < radix; ++digit) {
            layers.back().push_back(digit * weight);
            if (std::count(graph.generators.begin(), graph.generators.end(), digit * weight) == 0) {
                return std::nullopt;
            }
        }
        weight *= radix;
    }
    return in_order(graph.group, std::move(layers));
}

constexpr std::uint32_t most_searched = 32;

// Any tiling of a small group with layers of given sizes. The narrow layers are tried out; what the widest one must
// hold then follows from the lowest label that is not reached yet.
class TilingSearch {
public:
    TilingSearch(const CayleyGraph& graph, LayerKind kind) : graph_(graph), kind_(kind), generators_(graph.generators) {
        std::sort(generators_.begin(), generators_.end());
    }

    std::optional<CosetLayers> with_radices(const std::vector<std::uint32_t>& widest_first) {
        radices_.assign(widest_first.rbegin(), widest_first.rend());
        layers_.assign(radices_.size(), {});
        return fill(0, {0}) ? std::optional(in_order(graph_.group, layers_)) : std::nullopt;
    }

private:
    using Reached = std::vector<Label>;

    std::uint32_t mask_of(const Reached& reached, Label shift) const {
        std::uint32_t mask = 0;
        for (const Label label : reached) {
            mask |= std::uint32_t{1} << graph_.group.plus(label, shift);
        }
        return mask;
    }

    bool used(Label generator) const {
        return std::any_of(layers_.begin(), layers_.end(), [&](const Layer& layer) {
            return std::find(layer.begin(), layer.end(), generator) != layer.end();
        });
    }

    bool is_good(const Layer& layer) const {
        return kind_ == LayerKind::any || all_subgroups(in_order(graph_.group, {layer}));
    }

    bool fill(std::size_t depth, const Reached& reached) {
        const std::uint32_t covered = mask_of(reached, 0);
        return depth + 1 == radices_.size() ? finish(reached, covered)
                                            : choose(depth, reached, covered, generators_.size());
    }

    // Takes generators for a narrow layer from the highest down: the low ones stay for the wide layer.
    bool choose(std::size_t depth, const Reached& reached, std::uint32_t covered, std::size_t below) {
        Layer& layer = layers_[depth];
        if (layer.size() + 1 == radices_[depth]) {
            return is_good(layer) && fill(depth + 1, labels_in(covered));
        }
        for (std::size_t i = below; i-- > 0;) {
            const std::uint32_t more = mask_of(reached, generators_[i]);
            if ((more & covered) == 0 && !used(generators_[i])) {
                layer.push_back(generators_[i]);
                if (choose(depth, reached, covered | more, i)) {
                    return true;
                }
                layer.pop_back();
            }
        }
        return false;
    }

    bool finish(const Reached& reached, std::uint32_t covered) {
        Layer& layer = layers_.back();
        if (layer.size() + 1 == radices_.back()) {
            return is_good(layer);
        }
        const auto lowest = static_cast<Label>(std::countr_one(covered));
        for (const Label label : reached) {
            const Label generator = graph_.group.minus(lowest, label);
            const std::uint32_t more = mask_of(reached, generator);
            if ((more & covered) == 0 && !used(generator) &&
                std::binary_search(generators_.begin(), generators_.end(), generator)) {
                layer.push_back(generator);
                if (finish(reached, covered | more)) {
                    return true;
                }
                layer.pop_back();
            }
        }
        return false;
    }

    static Reached labels_in(std::uint32_t mask) {
        Reached labels;
        for (; mask != 0; mask &= mask - 1) {
            labels.push_back(static_cast<Label>(std::countr_zero(mask)));
        }
        return labels;
    }

    const CayleyGraph& graph_;
    LayerKind kind_;
    std::vector<Label> generators_;
    std::vector<std::uint32_t> radices_;  // narrowest first
    std::vector<Layer> layers_;
};

// Products of `count` factors, none wider than `most`, widest first, the widest ones tried first.
template <class Try>
bool each_product(std::uint32_t size, std::size_t count, std::uint32_t most, std::vector<std::uint32_t>& radices,
                  Try&& attempt) {
    if (count == 0) {
        return size == 1 && attempt(radices);
    }
    for (std::uint32_t radix = std::min(size, most); radix >= 2; --radix) {
        if (size % radix == 0) {
            radices.push_back(radix);
            const bool done = each_product(size / radix, count - 1, radix, radices, attempt);
            radices.pop_back();
            if (done) {
                return true;
            }
        }
    }
    return false;
}

// A tiling with fewer than `below` layers.
std::optional<CosetLayers> find_any(const CayleyGraph& graph, LayerKind kind, std::size_t below) {
    std::optional<CosetLayers> found;
    TilingSearch search(graph, kind);
    for (std::size_t count = 1; count < below && !found; ++count) {
        std::vector<std::uint32_t> radices;
        each_product(graph.group.size(), count, graph.group.size(), radices, [&](const auto& sizes) {
            const std::uint32_t degree = std::accumulate(sizes.begin(), sizes.end(), 0U);
            if (degree - sizes.size() <= graph.generators.size()) {
                found = search.with_radices(sizes);
            }
            return found.has_value();
        });
    }
    return found;
}

}  // namespace

std::optional<CosetLayers> find_layers(const CayleyGraph& graph, LayerKind kind) {
    if (graph.group.size() == 1) {
        return CosetLayers{graph.group, {}};
    }
    std::optional<CosetLayers> layers = graph.group.is_binary() ? find_blocks(graph) : find_digits(graph);
    if (graph.group.size() <= most_searched) {
        const std::size_t below = layers ? layers->layers.size() : std::bit_width(graph.group.size());
        if (auto fewer = find_any(graph, kind, below)) {
            return fewer;
        }
    }
    return layers;
}

}  // namespace simlette
