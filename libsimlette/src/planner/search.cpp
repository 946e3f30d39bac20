#include <simlette/planner/search.hpp>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include <simlette/planner/cells.hpp>

namespace simlette {

namespace {

// To find any plan at all, whatever the effort allowed.
constexpr std::uint64_t least_effort = 100'000;

bool operator<(const PlanMerit& a, const PlanMerit& b) {
    return std::tie(a.total, a.ports, a.generators, a.degree_sum, a.degrees, a.copies) <
           std::tie(b.total, b.ports, b.generators, b.degree_sum, b.degrees, b.copies);
}

class Search {
public:
    Search(const Space& space, std::uint64_t effort, const SearchControl& control)
        : space_(space),
          effort_(effort),
          control_(control),
          host_(space.radices, space.outside),
          placed_(space.rungs.size()) {
        for (const MeshSpace& mesh : space.meshes) {
            meshes_.push_back(&mesh);
            floor_.emplace_back(mesh.combinations.size(), 0);
        }
        open_ = space.least_from.front().front();
    }

    SearchEnd run() {
        if (space_.meshes.empty()) {
            offer({});
        } else {
            stage_ = Stage::cube;
            place_mesh(0, Cells(space_), {});
            stage_ = Stage::descent;
            descend();
            stage_ = Stage::all;
            nodes_ = 0;
            place_mesh(0, Cells(space_), {});
        }
        truncated_ = truncated_ || stopped();
        SearchEnd end{std::move(best_), 0, truncated_, nodes_};
        end.bound = end.best ? end.best->merit.total : INT64_MAX;
        if (truncated_) {
            end.bound = std::min(end.bound, open_);
        }
        return end;
    }

private:
    // First any plan on the least generators, so that there is one; then one mesh after the other is placed anew beside
    // the others, as long as that helps; then all plans.
    enum class Stage { cube, descent, all };

    // What is settled by the meshes that have been placed.
    struct Settled {
        std::int64_t cost = 0;
        std::uint32_t ports = 0;
        std::uint32_t degree_sum = 0;
    };

    // The blocks of a combination, axis by axis.
    struct Item {
        unsigned axis;
        const RungBlock* block;
        bool again;  // as wide as the one before, on the same axis
    };

    struct Task {
        std::size_t mesh;
        const Combination& combination;
        const Settled& settled;
        const std::vector<Item>& items;
        std::uint32_t floor;               // generators that it needs at least with all before it
        std::vector<std::int64_t>& later;  // what the meshes after it cost at least, by generators; -1: not known yet
    };

    void descend() {
        for (bool better = best_.has_value(); better;) {
            const std::int64_t before = limit();
            for (std::size_t m = 0; m < meshes_.size(); ++m) {
                std::swap(meshes_[m], meshes_.back());
                place_last_anew();
                std::swap(meshes_[m], meshes_.back());
            }
            better = limit() < before;
        }
    }

    void place_last_anew() {
        const std::vector<PlacedAxis> kept = best_->axes;
        Cells cells(space_);
        std::size_t blocks = 0;
        Settled settled;
        for (std::size_t m = 0; m + 1 < meshes_.size(); ++m) {
            for (const unsigned axis : meshes_[m]->axes) {
                placed_[axis] = kept[axis];
                settled.degree_sum += space_.rungs[axis][kept[axis].rung].degree;
                for (const Digits block : kept[axis].blocks) {
                    add(space_.rungs[axis][kept[axis].rung].blocks.front(), block, axis);
                    cells = cells.with(block, axis);
                    ++blocks;
                }
            }
            cells = cells.freed();
        }
        for (const unsigned axis : meshes_.back()->axes) {
            placed_[axis].blocks.clear();
        }
        const std::optional<Widened> widened = widen({});
        settled.cost = widened->cost;
        settled.ports = widened->ports;
        nodes_ = 0;
        place_mesh(meshes_.size() - 1, cells, settled);
        for (; blocks > 0; --blocks) {
            host_.remove_last();
        }
        for (PlacedAxis& axis : placed_) {
            axis.blocks.clear();
        }
    }

    void place_mesh(std::size_t m, const Cells& cells, const Settled& settled) {
        const MeshSpace& mesh = *meshes_[m];
        for (const std::size_t choice : mesh.order[host_.generators()]) {
            const Combination& combination = mesh.combinations[choice];
            if (stage_ == Stage::cube && combination.degree != mesh.least_degree) {
                continue;
            }
            if (done()) {
                return;
            }
            if (m == 0 && stage_ == Stage::all) {
                open_ = least(m, combination, settled);
            }
            const std::int64_t total = least(m, combination, settled);
            if (hopeless(m, combination, settled, total)) {
                if (total > limit()) {
                    return;  // and so are all that follow
                }
                continue;
            }
            place_combination(m, choice, cells, settled);
        }
    }

    void place_combination(std::size_t m, std::size_t choice, const Cells& cells, const Settled& settled) {
        const MeshSpace& mesh = *meshes_[m];
        const Combination& combination = mesh.combinations[choice];
        std::vector<Item> items;
        for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
            placed_[mesh.axes[i]] = {combination.rungs[i], 1, {}};
            const Rung& rung = space_.rungs[mesh.axes[i]][combination.rungs[i]];
            for (std::size_t b = 0; b < rung.blocks.size(); ++b) {
                const bool again = b > 0 && rung.blocks[b].radix == rung.blocks[b - 1].radix;
                items.push_back({mesh.axes[i], &rung.blocks[b], again});
            }
        }
        const std::uint32_t floor = stage_ == Stage::descent ? 0 : floor_[m][choice];
        if (floor > space_.budget.ports) {
            return;
        }
        const std::vector<std::vector<std::uint32_t>> kept = raise_floors(m, choice);
        std::vector<std::int64_t> later(space_.budget.ports + 1, -1);
        place_block({m, combination, settled, items, floor, later}, 0, cells, {}, {});
        std::copy(kept.begin(), kept.end(), floor_.begin() + static_cast<std::ptrdiff_t>(m + 1));
    }

    // Combinations of later meshes need more generators beside this one. Returns what their floors were.
    std::vector<std::vector<std::uint32_t>> raise_floors(std::size_t m, std::size_t choice) {
        std::vector<std::vector<std::uint32_t>> kept(floor_.begin() + static_cast<std::ptrdiff_t>(m + 1), floor_.end());
        for (std::size_t later = m + 1; later < meshes_.size(); ++later) {
            const JointGenerators& joint = space_.joint[m][later - m - 1];
            for (std::size_t c = 0; c < floor_[later].size(); ++c) {
                floor_[later][c] = std::max(floor_[later][c], joint.of(choice, c));
            }
        }
        return kept;
    }

    // Each by itself beside what is placed, or together without it.
    std::int64_t least_after(const Task& task) const {
        std::int64_t& known = task.later[host_.generators()];
        if (known < 0) {
            known = 0;
            for (std::size_t later = task.mesh + 1; later < meshes_.size(); ++later) {
                known += least_beside(later);
            }
            known = std::max(known, least_of_later(task.mesh));
        }
        return known;
    }

    std::int64_t least_beside(std::size_t m) const {
        std::int64_t least = most_cost;
        for (std::size_t c = 0; c < floor_[m].size(); ++c) {
            const std::uint32_t generators = std::max(host_.generators(), floor_[m][c]);
            if (generators <= space_.budget.ports) {
                least = std::min(least, meshes_[m]->combinations[c].least[generators]);
            }
        }
        return least;
    }

    bool hopeless(const Task& task) const {
        const std::uint32_t generators = std::max(host_.generators(), task.floor);
        return hopeless(task.mesh, task.combination, task.settled,
                        task.settled.cost + task.combination.least[generators] + least_after(task));
    }

    // Equal blocks of an axis are interchangeable: a later one has no more of the first kinds of digits than an earlier
    // one, by the kinds before the first of them.
    using Profile = std::array<std::uint8_t, 32>;

    static Profile profile(Digits block, const DigitKinds& kinds) {
        Profile profile{};
        for (; block != 0; block &= block - 1) {
            ++profile[kinds[static_cast<std::size_t>(std::countr_zero(block))]];
        }
        return profile;
    }

    void place_block(const Task& task, std::size_t i, const Cells& cells, DigitKinds kinds, const Profile& before) {
        if (i == task.items.size()) {
            settle(task, cells.freed());
            return;
        }
        const Item& item = task.items[i];
        kinds = item.again ? kinds : cells.kinds();
        for (const Digits way : cells.ways(*item.block)) {
            const Profile taken = profile(way, kinds);
            if (item.again && taken > before) {
                continue;
            }
            truncated_ = stage_ == Stage::all && nodes_ >= effort_;
            if (done()) {
                return;
            }
            ++nodes_;
            look_up();
            add(*item.block, way, item.axis);
            placed_[item.axis].blocks.push_back(way);
            if (fits() && !hopeless(task)) {
                place_block(task, i + 1, cells.with(way, item.axis), kinds, taken);
            }
            placed_[item.axis].blocks.pop_back();
            host_.remove_last();
        }
    }

    // Whether somebody waits for news, or no longer waits at all.
    void look_up() {
        constexpr std::uint64_t nodes_between_looks = 4'096;
        if (++nodes_in_all_ % nodes_between_looks != 0) {
            return;
        }
        stop_asked_ = control_.stop != nullptr && control_.stop->load(std::memory_order_relaxed);
        if (control_.progress) {
            const std::int64_t bound = std::min(open_, limit());
            control_.progress({nodes_in_all_, best_ ? std::optional(Duration{limit()}) : std::nullopt, {bound}});
        }
    }

    bool stopped() const { return stop_asked_ && best_; }

    bool done() const {
        if (stopped()) {
            return true;
        }
        switch (stage_) {
            case Stage::cube:
                return best_ || nodes_ >= std::max(effort_, least_effort);
            case Stage::descent:
                return nodes_ >= effort_ / 10;
            default:
                return truncated_;
        }
    }

    void add(const RungBlock& block, Digits way, unsigned axis) {
        block.ring ? host_.add_ring(way, axis) : host_.add(way, axis);
    }

    bool fits() const {
        const std::uint32_t idle = space_.budget.same_port ? host_.idle() : 0;
        return host_.generators() + idle <= space_.budget.ports && host_.crossing() <= space_.budget.crossing;
    }

    std::int64_t limit() const { return best_ ? best_->merit.total : INT64_MAX; }

    std::int64_t least_of_later(std::size_t m) const { return space_.least_from[m + 1][host_.generators()]; }

    std::int64_t least(std::size_t m, const Combination& combination, const Settled& settled) const {
        return settled.cost + combination.least[host_.generators()] + least_of_later(m);
    }

    bool hopeless(std::size_t m, const Combination& combination, const Settled& settled, std::int64_t total) const {
        if (!best_) {
            return false;
        }
        const std::uint32_t generators = std::max(host_.generators(), combination.degree);
        std::uint32_t degree_sum = settled.degree_sum + combination.degree;
        for (std::size_t later = m + 1; later < meshes_.size(); ++later) {
            degree_sum += meshes_[later]->least_degree;
        }
        const std::uint32_t ports = std::max(settled.ports, generators);
        const PlanMerit& best = best_->merit;
        return std::tie(total, ports, generators, degree_sum) >
               std::tie(best.total, best.ports, best.generators, best.degree_sum);
    }

    // Of blocks that are equally wide those that leave a group come last: where they stand decides what they carry.
    std::vector<Digits> in_order(unsigned axis) const {
        const Rung& rung = space_.rungs[axis][placed_[axis].rung];
        std::vector<Digits> blocks = placed_[axis].blocks;
        for (std::size_t first = 0; first < blocks.size();) {
            std::size_t last = first;
            while (last < blocks.size() && rung.blocks[last].radix == rung.blocks[first].radix) {
                ++last;
            }
            std::stable_partition(blocks.begin() + static_cast<std::ptrdiff_t>(first),
                                  blocks.begin() + static_cast<std::ptrdiff_t>(last),
                                  [&](Digits block) { return !host_.crosses(block); });
            first = last;
        }
        return blocks;
    }

    LayerSet crossing(unsigned axis) const {
        return space_.outside == 0 ? 0 : crossing_of(in_order(axis), space_.outside);
    }

    std::optional<Widened> widen(WideningLimit limit) const {
        std::vector<Widening> axes;
        for (unsigned axis = 0; axis < placed_.size(); ++axis) {
            if (!placed_[axis].blocks.empty()) {
                const Rung& rung = space_.rungs[axis][placed_[axis].rung];
                axes.push_back({axis, &rung.prices(crossing(axis)).cost});
            }
        }
        return best_copies(axes, host_.classes(), space_.budget, limit);
    }

    void settle(const Task& task, const Cells& cells) {
        const std::int64_t later = least_after(task);
        const WideningLimit limit =
            best_ ? WideningLimit{best_->merit.total - later, best_->merit.ports} : WideningLimit{};
        const std::optional<Widened> widened = widen(limit);
        if (!widened) {
            return;
        }
        if (task.mesh + 1 < meshes_.size()) {
            place_mesh(task.mesh + 1, cells,
                       {widened->cost, widened->ports, task.settled.degree_sum + task.combination.degree});
        } else {
            offer(*widened);
        }
    }

    void offer(const Widened& widened) {
        PlanMerit merit{widened.cost, widened.ports, host_.generators(), 0, {}, widened.copies};
        for (unsigned axis = 0; axis < placed_.size(); ++axis) {
            merit.degrees.push_back(space_.rungs[axis][placed_[axis].rung].degree);
            merit.degree_sum += merit.degrees.back();
            placed_[axis].copies = widened.copies[axis];
        }
        if (!best_ || merit < best_->merit) {
            best_ = Found{std::move(merit), placed_};
            for (unsigned axis = 0; axis < placed_.size(); ++axis) {
                best_->axes[axis].blocks = in_order(axis);
            }
        }
    }

    const Space& space_;
    std::uint64_t effort_;
    const SearchControl& control_;
    Host host_;
    std::vector<PlacedAxis> placed_;
    std::vector<const MeshSpace*> meshes_;           // in the order in which they are placed
    std::vector<std::vector<std::uint32_t>> floor_;  // by mesh and combination: generators beside what is placed
    std::optional<Found> best_;
    std::int64_t open_ = 0;  // the least cost of what has not been searched
    bool truncated_ = false;
    Stage stage_ = Stage::cube;
    std::uint64_t nodes_ = 0;  // of the stage
    std::uint64_t nodes_in_all_ = 0;
    bool stop_asked_ = false;
};

}  // namespace

SearchEnd search(const Space& space, std::uint64_t effort, const SearchControl& control) {
    return Search(space, effort, control).run();
}

}  // namespace simlette
