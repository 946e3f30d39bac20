#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <simlette/study/describe.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/measures.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/report_path.hpp>

namespace simlette {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_collectives = 8;  // of the table of parts
constexpr std::size_t most_phases = 32;      // rows of the table of phases
constexpr std::size_t shown_at_each_end = 10;
constexpr std::size_t most_rivals = 3;

std::string name_of_entry(const RunReport& report, std::size_t entry) {
    return entry_name(report.workload.collectives[entry], entry);
}

std::string of_how_many(std::size_t shown, std::size_t all) {
    return shown < all ? fmt::format(" (the last {} of {} to end)", shown, count_text(all)) : std::string();
}

void add_parts(const std::string& name, const CollectiveReport& collective, Rows& rows) {
    const Duration time = collective.end - collective.start;
    std::string first = name;
    const auto add = [&](const char* part, Duration spent) {
        const Ratio share = utilization(spent, 1, time);
        rows.push_back({std::exchange(first, ""), part, microseconds(spent.ps), percent_text(share.billionths)});
    };
    for (const NamedPart& part : named_parts(collective.critical_path)) {
        if (part.time != Duration{0}) {
            add(part.name, part.time);
        }
    }
    add("all", time);
}

std::string rivals_text(const RunReport& report, const PathHop& hop) {
    std::string text;
    for (std::size_t i = 0; i < std::min(hop.rivals.size(), most_rivals); ++i) {
        const PathHop::Rival& rival = hop.rivals[i];
        text += fmt::format("{}{} {} -> {}, {} flit{}{}", i == 0 ? "" : "; ", name_of_entry(report, rival.collective),
                            rival.source, rival.destination, count_text(static_cast<std::uint64_t>(rival.flits)),
                            rival.flits == 1 ? "" : "s", rival.answer ? " of answers" : "");
    }
    const std::size_t more = hop.rivals.size() - std::min(hop.rivals.size(), most_rivals);
    return more == 0 ? text : text + fmt::format("; {} more", count_text(more));
}

// What the last flit waited for at a port, or that it did not.
std::string waits_text(const RunReport& report, const PathHop& hop, bool takes_tags) {
    std::string text;
    const auto add = [&text](const char* what, Duration spent) {
        if (spent != Duration{0}) {
            text += fmt::format("{}{} {}", text.empty() ? "waited for " : " + ", what, time_text(spent.ps));
        }
    };
    add("own flits", hop.own);
    add("contention", hop.contention);
    if (!hop.rivals.empty()) {
        text += fmt::format(" ({})", rivals_text(report, hop));
    }
    add(takes_tags ? "a credit or a tag" : "a credit", hop.credit_stall);
    return text.empty() ? "did not wait" : text;
}

std::string step_text(const RunReport& report, const PathStep& step) {
    std::string text = fmt::format("  phase {}: {} -> {}, port {}: ready {}, delivered {}\n", step.phase, step.source,
                                   step.destination, step.port, time_text(step.ready.ps), time_text(step.delivered.ps));
    Rows rows;
    for (const PathHop& hop : step.hops) {
        const bool takes_tags = report.fabric.tags != unlimited && rows.empty();
        rows.push_back({hop.port, std::string(name_of(hop.channel)), "ready " + time_text(hop.ready.ps),
                        "left " + time_text(hop.left.ps),
                        fmt::format("wire {} + latency {}", time_text(hop.flit_time.ps), time_text(hop.latency.ps)),
                        waits_text(report, hop, takes_tags)});
    }
    return text + aligned(rows, 6, "    ");
}

// Between what released a message and the instant at which it was ready: late starts, other members.
std::string gap_text(Time from, Time to) {
    return from < to ? fmt::format("  wait {}\n", time_text((to - from).ps)) : std::string();
}

std::string path_text(const RunReport& report, std::size_t entry) {
    const std::vector<PathStep>& path = report.collectives[entry].path;
    std::string text = fmt::format("critical path of {}: {} message{}\n", name_of_entry(report, entry),
                                   count_text(path.size()), path.size() == 1 ? "" : "s");
    const bool whole = path.size() <= 2 * shown_at_each_end;
    Time released = report.collectives[entry].collective.start;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (whole || i < shown_at_each_end || i >= path.size() - shown_at_each_end) {
            text += gap_text(released, path[i].ready) + step_text(report, path[i]);
        } else if (i == shown_at_each_end) {
            text += fmt::format("  ... {} messages left out ...\n", count_text(path.size() - 2 * shown_at_each_end));
        }
        released = path[i].delivered;
    }
    return text;
}

}  // namespace

std::vector<std::size_t> last_to_end(const RunReport& report, std::size_t most) {
    std::vector<std::size_t> ended;
    for (std::size_t i = 0; i < report.collectives.size(); ++i) {
        if (report.collectives[i].collective.finished) {
            ended.push_back(i);
        }
    }
    std::stable_sort(ended.begin(), ended.end(), [&report](std::size_t a, std::size_t b) {
        return report.collectives[a].collective.end > report.collectives[b].collective.end;
    });
    ended.resize(std::min(ended.size(), most));
    std::sort(ended.begin(), ended.end());
    return ended;
}

std::string parts_table(const RunReport& report) {
    const std::vector<std::size_t> shown = last_to_end(report, most_collectives);
    if (shown.empty() || !report.collectives[shown.front()].collective.explained) {
        return "";
    }
    Rows rows{{"collective", "part", "us", "share"}};
    for (const std::size_t entry : shown) {
        add_parts(name_of_entry(report, entry), report.collectives[entry].collective, rows);
    }
    return "where the time went" + of_how_many(shown.size(), last_to_end(report, SIZE_MAX).size()) + '\n' +
           aligned(rows, 2, "  ");
}

// Collectives of one phase have nothing to tell here.
std::string phases_table(const RunReport& report) {
    Rows rows{{"collective", "phase", "first rank starts us", "last starts us", "first ends us", "last ends us"}};
    std::size_t all = 0;
    for (std::size_t entry = 0; entry < report.collectives.size(); ++entry) {
        const std::vector<PhaseSpan>& phases = report.collectives[entry].phases;
        for (std::size_t k = 0; phases.size() > 1 && k < phases.size(); ++k, ++all) {
            if (rows.size() <= most_phases) {
                const bool ended = phases[k].first_end != Time::never();
                rows.push_back({name_of_entry(report, entry), std::to_string(k), microseconds(phases[k].first_start.ps),
                                microseconds(phases[k].last_start.ps),
                                ended ? microseconds(phases[k].first_end.ps) : "-",
                                ended ? microseconds(phases[k].last_end.ps) : "-"});
            }
        }
    }
    if (all == 0) {
        return "";
    }
    const std::string left_out =
        all > most_phases ? fmt::format(" (the first {} of {})", most_phases, count_text(all)) : std::string();
    return "phases" + left_out + '\n' + aligned(rows, 1, "  ");
}

std::string explanation_text(const RunReport& report) {
    const std::size_t ended = last_to_end(report, SIZE_MAX).size();
    std::string text = ended > most_explained ? fmt::format("critical paths of the last {} of {} collectives to end\n",
                                                            most_explained, count_text(ended))
                                              : std::string();
    for (std::size_t entry = 0; entry < report.collectives.size(); ++entry) {
        if (!report.collectives[entry].path.empty()) {
            text += path_text(report, entry);
        }
    }
    return text.empty() ? "no critical path to explain\n" : text;
}

}  // namespace simlette
