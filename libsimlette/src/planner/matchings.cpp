#include <simlette/planner/matchings.hpp>

#include <algorithm>
#include <numeric>

#include <simlette/base/contract.hpp>
#include <simlette/fabric/edge_colouring.hpp>
#include <simlette/planner/host.hpp>
#include <simlette/planner/planned_axis.hpp>

namespace simlette {

namespace {

Order order_of(const RankGroup& labels, Label generator) {
    bool odd = true;
    bool two = true;
    for (const std::uint32_t radix : labels.radices()) {
        const bool moves = generator % radix != 0;
        odd = odd && !(moves && radix == 2);
        two = two && !(moves && radix != 2);
        generator /= radix;
    }
    return two ? Order::two : odd ? Order::odd : Order::even;
}

class Sorting {
public:
    explicit Sorting(const Plan& plan) : labels_(labels_of(plan)) {
        for (std::size_t i = 0; i < plan.generators.size(); ++i) {
            const Order order = order_of(labels_, plan.generators[i]);
            auto& copies = order == Order::two ? twos_ : order == Order::odd ? odds_ : evens_;
            copies.push_back({plan.generators[i], plan.copies[i]});
        }
    }

    std::vector<Matching> run() {
        for (std::uint32_t copy = 1;; ++copy) {
            std::vector<Label> layer;
            for (const Copies& odd : odds_) {
                if (odd.count >= copy) {
                    layer.push_back(odd.generator);
                }
            }
            if (layer.empty()) {
                break;
            }
            lay_odd(layer);
        }
        for (const std::vector<Copies>* all : {&twos_, &evens_}) {
            for (const Copies& copies : *all) {
                matchings_.insert(matchings_.end(), copies.count, translation(copies.generator));
            }
        }
        return std::move(matchings_);
    }

private:
    struct Copies {
        Label generator;
        std::uint32_t count;
    };

    // Digit by digit, 0 where the digit is a bit, or is none.
    Label part(Label label, bool bits) const {
        Label result = 0;
        Label weight = 1;
        for (const std::uint32_t radix : labels_.radices()) {
            result += (radix == 2) == bits ? label % radix * weight : 0;
            label /= radix;
            weight *= radix;
        }
        return result;
    }

    // Each accelerator whose lowest bit among those that change is 0 is joined to the one that the generator leads to.
    Matching translation(Label generator) const {
        Label bit = 1;
        std::size_t digit = 0;
        for (; labels_.radices()[digit] != 2 || generator / bit % 2 == 0; ++digit) {
            bit *= labels_.radices()[digit];
        }
        Matching matching;
        for (Label a = 0; a < labels_.size(); ++a) {
            if (a / bit % 2 == 0) {
                matching.push_back(std::minmax(a, labels_.plus(a, generator)));
            }
        }
        return matching;
    }

    // Circuits of odd order keep to accelerators with the same bits, so those without bits stand for all.
    void lay_odd(const std::vector<Label>& layer) {
        std::vector<std::uint32_t> place(labels_.size(), 0);
        std::vector<Label> without_bits;
        for (Label a = 0; a < labels_.size(); ++a) {
            if (part(a, true) == 0) {
                place[a] = static_cast<std::uint32_t>(without_bits.size());
                without_bits.push_back(a);
            }
        }
        std::vector<GraphEdge> edges;
        for (const Label a : without_bits) {
            for (const Label generator : layer) {
                const Label peer = labels_.plus(a, generator);
                if (a < peer) {
                    edges.emplace_back(place[a], place[peer]);
                }
            }
        }
        const std::vector<std::uint32_t> colours =
            colour_simple(static_cast<std::uint32_t>(without_bits.size()), edges);
        std::vector<std::vector<Label>> peers(layer.size() + 1, without_bits);  // by colour; nobody has one yet
        for (std::size_t i = 0; i < edges.size(); ++i) {
            const auto [a, b] = edges[i];
            require(colours[i] < peers.size(), "one colour more than circuits of an accelerator suffices");
            peers[colours[i]][a] = without_bits[b];
            peers[colours[i]][b] = without_bits[a];
        }
        const Label joins_the_rest = take_two();
        for (const std::vector<Label>& of_colour : peers) {
            add(of_colour, place, joins_the_rest);
        }
    }

    // A circuit of order two less to lay; 0 if there is none.
    Label take_two() {
        const auto left = std::find_if(twos_.begin(), twos_.end(), [](const Copies& two) { return two.count > 0; });
        if (left == twos_.end()) {
            return 0;
        }
        --left->count;
        return left->generator;
    }

    void add(const std::vector<Label>& peers, const std::vector<std::uint32_t>& place, Label joins_the_rest) {
        Matching& matching = matchings_.emplace_back();
        for (Label a = 0; a < labels_.size(); ++a) {
            const Label odd_part = part(a, false);
            const Label met = peers[place[odd_part]];
            const Label peer = labels_.plus(part(a, true), met);
            const Label joined = met == odd_part ? labels_.plus(a, joins_the_rest) : peer;
            if (a < joined) {
                matching.emplace_back(a, joined);
            }
        }
    }

    RankGroup labels_;
    std::vector<Copies> twos_;
    std::vector<Copies> odds_;
    std::vector<Copies> evens_;
    std::vector<Matching> matchings_;
};

}  // namespace

std::uint32_t idle_ports_of(const RankGroup& labels, const std::vector<Label>& generators,
                            const std::vector<std::uint32_t>& copies) {
    std::uint32_t odd = 0;
    std::uint32_t twos = 0;
    for (std::size_t i = 0; i < generators.size(); ++i) {
        const Order order = order_of(labels, generators[i]);
        odd = order == Order::odd ? std::max(odd, copies[i]) : odd;
        twos += order == Order::two ? copies[i] : 0;
    }
    return idle_ports(odd, twos);
}

std::uint32_t ports_taken(const Plan& plan, bool same_port) {
    const std::uint32_t circuits = std::accumulate(plan.copies.begin(), plan.copies.end(), 0U);
    return circuits + (same_port ? idle_ports_of(labels_of(plan), plan.generators, plan.copies) : 0);
}

std::vector<Matching> matchings_of(const Plan& plan) {
    return Sorting(plan).run();
}

}  // namespace simlette
