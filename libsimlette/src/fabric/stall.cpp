#include <simlette/fabric/stall.hpp>

#include <algorithm>
#include <map>

namespace simlette {

namespace {

using Key = std::pair<LinkId, Channel>;

// Follows the first waiting successor from each port in turn until a port comes up twice.
std::vector<Key> find_cycle(const std::map<Key, const WaitingPort*>& waiting) {
    for (const auto& [start, unused] : waiting) {
        std::vector<Key> path;
        Key at = start;
        while (true) {
            const auto seen = std::find(path.begin(), path.end(), at);
            if (seen != path.end()) {
                std::vector<Key> cycle(seen, path.end());
                std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
                return cycle;
            }
            path.push_back(at);
            const std::vector<LinkId>& next = waiting.at(at)->waits_for;
            const auto waits = std::find_if(next.begin(), next.end(), [&](LinkId link) {
                return waiting.count({link, path.back().second}) != 0;
            });
            if (waits == next.end()) {
                break;
            }
            at = {*waits, at.second};
        }
    }
    return {};
}

std::string full_name(const HostGraph& graph, const Key& key) {
    return graph.port_name(key.first) + (key.second == Channel::request ? ".request" : ".response");
}

}  // namespace

StallReport explain_stall(const HostGraph& graph, Time since, const std::vector<WaitingPort>& ports) {
    std::map<Key, const WaitingPort*> waiting;
    for (const WaitingPort& port : ports) {
        waiting.emplace(Key{port.link, port.channel}, &port);
    }
    StallReport report{since, {}, ""};
    const std::vector<Key> cycle = find_cycle(waiting);
    if (cycle.empty()) {
        report.text = "nothing moves and no port waits for another";
        return report;
    }
    report.text = "deadlock since " + std::to_string(since.ps) + " ps: ";
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        const Key& next = cycle[(i + 1) % cycle.size()];
        report.cycle.push_back({graph.port_name(cycle[i].first), cycle[i].second, full_name(graph, next)});
        report.text += full_name(graph, cycle[i]) + " -> ";
    }
    report.text += full_name(graph, cycle.front()) + " (no credits)";
    return report;
}

}  // namespace simlette
