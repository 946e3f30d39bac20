#include <simlette/planner/rail_sharing.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <boost/pending/disjoint_sets.hpp>

#include <simlette/base/error.hpp>
#include <simlette/fabric/host_graph.hpp>

namespace simlette {

namespace {

// Accelerators that some matchings join, directly or through others, are of one part.
using Parts = boost::disjoint_sets_with_storage<>;

void join(const Matching& matching, Parts& parts) {
    for (const auto& [a, b] : matching) {
        parts.union_set(std::size_t{a}, std::size_t{b});
    }
}

// Two rails may exchange the circuits of any path or ring that their matchings form together. They do so as long as
// that evens out how many circuits leave each rack on each rail.
class RailExchange {
public:
    RailExchange(const std::vector<Matching>& rails, const FabricSpec& fabric)
        : fabric_(fabric),
          peers_(rails.size(), std::vector<std::uint32_t>(fabric.accelerators, no_id)),
          leaving_(rails.size(), std::vector<std::int64_t>(rack(fabric.accelerators - 1) + 1, 0)) {
        for (std::size_t rail = 0; rail < rails.size(); ++rail) {
            for (const auto& [a, b] : rails[rail]) {
                peers_[rail][a] = b;
                peers_[rail][b] = a;
                leaving_[rail][rack(a)] += rack(a) != rack(b) ? 1 : 0;
                leaving_[rail][rack(b)] += rack(a) != rack(b) ? 1 : 0;
            }
        }
    }

    // Nothing if some rack has too few up links all the same.
    std::optional<std::vector<Matching>> run() {
        for (bool better = true; better && !fits();) {
            better = false;
            for (std::size_t a = 0; a < peers_.size() && !fits(); ++a) {
                for (std::size_t b = a + 1; b < peers_.size(); ++b) {
                    better = exchange(a, b) || better;
                }
            }
        }
        return fits() ? std::optional(matchings()) : std::nullopt;
    }

private:
    std::uint32_t rack(std::uint32_t accelerator) const { return accelerator / fabric_.group; }

    bool fits() const {
        return std::all_of(leaving_.begin(), leaving_.end(), [&](const auto& of_rail) {
            return std::all_of(of_rail.begin(), of_rail.end(), [&](std::int64_t count) {
                return count <= static_cast<std::int64_t>(fabric_.level1.up);
            });
        });
    }

    bool exchange(std::size_t a, std::size_t b) {
        bool any = false;
        std::vector<bool> seen(fabric_.accelerators, false);
        for (std::uint32_t first = 0; first < fabric_.accelerators; ++first) {
            if (!seen[first]) {
                any = exchange_if_better(a, b, reached(a, b, first, seen)) || any;
            }
        }
        return any;
    }

    // The accelerators of the path or ring through one.
    std::vector<std::uint32_t> reached(std::size_t a, std::size_t b, std::uint32_t first,
                                       std::vector<bool>& seen) const {
        std::vector<std::uint32_t> found{first};
        seen[first] = true;
        for (std::size_t i = 0; i < found.size(); ++i) {
            for (const std::size_t rail : {a, b}) {
                const std::uint32_t peer = peers_[rail][found[i]];
                if (peer != no_id && !seen[peer]) {
                    seen[peer] = true;
                    found.push_back(peer);
                }
            }
        }
        return found;
    }

    bool exchange_if_better(std::size_t a, std::size_t b, const std::vector<std::uint32_t>& part) {
        std::map<std::uint32_t, std::int64_t> more;  // on rail a, by rack
        for (const std::uint32_t accelerator : part) {
            more[rack(accelerator)] += (leaves(b, accelerator) ? 1 : 0) - (leaves(a, accelerator) ? 1 : 0);
        }
        std::int64_t squares = 0;  // half of what is added to their sum
        for (const auto& [at, count] : more) {
            squares += count * (leaving_[a][at] - leaving_[b][at] + count);
        }
        if (squares >= 0) {
            return false;
        }
        for (const auto& [at, count] : more) {
            leaving_[a][at] += count;
            leaving_[b][at] -= count;
        }
        for (const std::uint32_t accelerator : part) {
            std::swap(peers_[a][accelerator], peers_[b][accelerator]);
        }
        return true;
    }

    bool leaves(std::size_t rail, std::uint32_t accelerator) const {
        const std::uint32_t peer = peers_[rail][accelerator];
        return peer != no_id && rack(peer) != rack(accelerator);
    }

    std::vector<Matching> matchings() const {
        std::vector<Matching> all(peers_.size());
        for (std::size_t rail = 0; rail < peers_.size(); ++rail) {
            for (std::uint32_t a = 0; a < fabric_.accelerators; ++a) {
                if (peers_[rail][a] != no_id && a < peers_[rail][a]) {
                    all[rail].emplace_back(a, peers_[rail][a]);
                }
            }
        }
        return all;
    }

    const FabricSpec& fabric_;
    std::vector<std::vector<std::uint32_t>> peers_;   // by rail and accelerator
    std::vector<std::vector<std::int64_t>> leaving_;  // circuits, by rail and rack
};

class RailSharing {
public:
    RailSharing(const std::vector<Matching>& matchings, const FabricSpec& fabric)
        : fabric_(fabric), circuits_(matchings.size()) {
        for (const Matching& matching : matchings) {
            (leaves(matching) ? across_ : local_).push_back(matching);
        }
        local_.resize(local_.size() + fabric.ports - matchings.size());  // dark ones last
    }

    bool suffices() const {
        return std::all_of(across_.begin(), across_.end(), [&](const Matching& matching) {
            std::map<std::uint32_t, std::uint32_t> leaving;  // by rack
            for (const auto& [a, b] : matching) {
                leaving[rack(a)] += rack(a) != rack(b) ? 1U : 0U;
                leaving[rack(b)] += rack(a) != rack(b) ? 1U : 0U;
            }
            return std::all_of(leaving.begin(), leaving.end(),
                               [&](const auto& at) { return at.second <= fabric_.level1.up; });
        });
    }

    std::vector<Matching> run() {
        for (std::uint32_t rails = 2; rails <= std::min(fabric_.group, fabric_.ports); ++rails) {
            if (share(rails)) {
                return std::move(result_);
            }
        }
        std::vector<Matching> all = across_;
        all.insert(all.end(), local_.begin(), local_.end());
        if (auto exchanged = RailExchange(all, fabric_).run()) {
            return *std::move(exchanged);
        }
        throw Error(
            ErrorKind::input,
            fmt::format("{} of {} circuits of an accelerator lead to other racks, and no way was found to share "
                        "rails that have {} up links for {} accelerators of a rack (`level1.up`); {} would do",
                        across_.size(), circuits_, fabric_.level1.up, fabric_.group, fabric_.group));
    }

private:
    struct Sharing {
        std::vector<Matching> matchings;
        Parts parts;
        std::uint32_t rails;
    };
    using Load = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;  // by rack and matching or rail

    std::uint32_t rack(std::uint32_t accelerator) const { return accelerator / fabric_.group; }

    bool leaves(const Matching& matching) const {
        return std::any_of(matching.begin(), matching.end(),
                           [&](const auto& pair) { return rack(pair.first) != rack(pair.second); });
    }

    // Of each `rails` rails so many may have a matching that leads out.
    bool share(std::uint32_t rails) {
        const std::uint64_t leaving = std::uint64_t{fabric_.level1.up} * rails / fabric_.group;
        std::vector<Matching> across = across_;
        std::vector<Matching> local = local_;
        result_.clear();
        while (!across.empty() && leaving > 0) {
            Sharing shared{{}, Parts(fabric_.accelerators), rails};
            while (shared.matchings.size() < leaving && !across.empty()) {
                if (!take(across, across.begin(), shared)) {
                    return false;
                }
            }
            if (!fill(local, shared) || !lay(shared)) {
                return false;
            }
        }
        result_.insert(result_.end(), local.begin(), local.end());
        return leaving > 0;
    }

    // Beginning with the first local matching that others can join.
    bool fill(std::vector<Matching>& local, Sharing& shared) const {
        for (std::size_t first = 0; first < local.size(); ++first) {
            std::vector<Matching> left = local;
            Sharing filled = shared;
            bool good = take(left, left.begin() + static_cast<std::ptrdiff_t>(first), filled);
            while (good && filled.matchings.size() < filled.rails) {
                good = take(left, left.begin(), filled);
            }
            if (good) {
                local = std::move(left);
                shared = std::move(filled);
                return true;
            }
        }
        return shared.matchings.size() == shared.rails;
    }

    // From a matching on, the first that joins no more parts, dark ones aside; else the first that leaves every rack a
    // part for every rail.
    bool take(std::vector<Matching>& from, std::vector<Matching>::iterator at, Sharing& into) const {
        const std::size_t parts = fewest_in_a_rack(into.parts);
        auto best = from.end();
        for (auto matching = at; matching != from.end(); ++matching) {
            if (matching != at && *matching == *(matching - 1)) {
                continue;  // another copy
            }
            Parts joined = into.parts;
            join(*matching, joined);
            const std::size_t left = fewest_in_a_rack(joined);
            if (left == parts && !matching->empty()) {
                best = matching;
                break;
            }
            if (best == from.end() && left >= into.rails) {
                best = matching;
            }
        }
        if (best == from.end()) {
            return false;
        }
        join(*best, into.parts);
        into.matchings.push_back(std::move(*best));
        from.erase(best);
        return true;
    }

    // A last rack that serves in part does not count.
    std::size_t fewest_in_a_rack(Parts& parts) const {
        std::size_t fewest = SIZE_MAX;
        for (std::uint32_t first = 0; first + fabric_.group <= fabric_.accelerators; first += fabric_.group) {
            std::set<std::size_t> met;
            for (std::uint32_t a = first; a < first + fabric_.group; ++a) {
                met.insert(parts.find_set(std::size_t{a}));
            }
            fewest = std::min(fewest, met.size());
        }
        return fewest;
    }

    // Part by part, in the order of their first accelerators: matching i goes to rail i + turn, such that the rails are
    // as evenly loaded as can be. False: a rack has too few up links.
    bool lay(Sharing& shared) {
        const auto rails = static_cast<std::uint32_t>(shared.matchings.size());
        std::map<std::size_t, Load> leaving = leaving_by_part(shared);
        Load load;  // by rack and rail
        std::map<std::size_t, std::uint32_t> turns;
        for (std::uint32_t a = 0; a < fabric_.accelerators; ++a) {
            const std::size_t part = shared.parts.find_set(std::size_t{a});
            if (turns.count(part) == 0) {
                turns[part] = best_turn(leaving[part], load, rails);
                for (const auto& [at, count] : leaving[part]) {
                    load[{at.first, (at.second + turns[part]) % rails}] += count;
                }
            }
        }
        for (const auto& at : load) {
            if (at.second > fabric_.level1.up) {
                return false;
            }
        }
        const std::size_t first = result_.size();
        result_.resize(first + rails);
        for (std::uint32_t i = 0; i < rails; ++i) {
            for (const auto& pair : shared.matchings[i]) {
                result_[first + (i + turns[shared.parts.find_set(std::size_t{pair.first})]) % rails].push_back(pair);
            }
        }
        return true;
    }

    std::map<std::size_t, Load> leaving_by_part(Sharing& shared) const {
        std::map<std::size_t, Load> leaving;
        for (std::uint32_t i = 0; i < shared.matchings.size(); ++i) {
            for (const auto& [a, b] : shared.matchings[i]) {
                if (rack(a) != rack(b)) {
                    ++leaving[shared.parts.find_set(std::size_t{a})][{rack(a), i}];
                    ++leaving[shared.parts.find_set(std::size_t{a})][{rack(b), i}];
                }
            }
        }
        return leaving;
    }

    static std::uint32_t best_turn(const Load& leaving, const Load& load, std::uint32_t rails) {
        std::uint32_t best = 0;
        std::uint64_t least = UINT64_MAX;
        for (std::uint32_t turn = 0; turn < rails; ++turn) {
            std::uint64_t squares = 0;  // that are added
            for (const auto& [at, count] : leaving) {
                const auto there = load.find({at.first, (at.second + turn) % rails});
                squares += std::uint64_t{count} * (count + 2 * (there == load.end() ? 0 : there->second));
            }
            if (squares < least) {
                least = squares;
                best = turn;
            }
        }
        return best;
    }

    const FabricSpec& fabric_;
    std::size_t circuits_;  // of an accelerator
    std::vector<Matching> across_;
    std::vector<Matching> local_;
    std::vector<Matching> result_;
};

}  // namespace

bool rails_suffice(const std::vector<Matching>& matchings, const FabricSpec& fabric) {
    return RailSharing(matchings, fabric).suffices();
}

std::vector<Matching> share_rails(const std::vector<Matching>& matchings, const FabricSpec& fabric) {
    return RailSharing(matchings, fabric).run();
}

}  // namespace simlette
