#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <simlette/base/error.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/plan_report.hpp>
#include <simlette/study/problems.hpp>
#include <simlette/study/quantity.hpp>
#include <simlette/study/what_if.hpp>

namespace simlette {

namespace {

constexpr std::int64_t most_ports = 1'024;

// What the last port of a stair saves; nothing for the first stair with a plan.
std::optional<Duration> saved(const std::vector<Stair>& stairs, std::size_t at) {
    if (at == 0 || !stairs[at].plan || !stairs[at - 1].plan) {
        return std::nullopt;
    }
    return stairs[at - 1].plan->total - stairs[at].plan->total;
}

}  // namespace

PortRange port_range(const std::string& what, const std::string& text) {
    const std::size_t dots = text.find("..");
    std::int64_t first = 0;
    std::int64_t last = 0;
    const bool read = dots != std::string::npos && parse_whole(text.substr(0, dots), first) &&
                      parse_whole(text.substr(dots + 2), last);
    if (!read || first < 1 || last < first || last > most_ports) {
        throw Error(ErrorKind::input, fmt::format("{} is {}; expected two numbers of ports from 1 to {}, the smaller "
                                                  "one first, such as `9..36`",
                                                  what, quote(text), most_ports));
    }
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)};
}

std::vector<Stair> staircase(const PlanRequest& request, PortRange range, const Planner& planner,
                             const std::atomic<bool>* stop) {
    std::vector<Stair> stairs;
    std::optional<Error> refused;
    for (std::uint32_t ports = range.first; ports <= range.last; ++ports) {
        PlanRequest asked = request;
        asked.ports = ports;
        stairs.push_back({ports, std::nullopt, ""});
        try {
            stairs.back().plan = planner(asked);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::input) {
                throw;
            }
            refused = error;
            stairs.back().refused = error.problems().front().message;
        }
        if (stop != nullptr && stop->load(std::memory_order_relaxed)) {
            stairs.pop_back();
            return stairs;
        }
    }
    if (std::none_of(stairs.begin(), stairs.end(), [](const Stair& stair) { return stair.plan.has_value(); })) {
        throw *refused;
    }
    return stairs;
}

std::string staircase_text(const std::vector<Stair>& stairs) {
    std::vector<std::vector<std::string>> rows{
        {"ports", "used", "generators", "total us", "the last port saves us", "of the total %", "proof"}};
    for (std::size_t i = 0; i < stairs.size(); ++i) {
        const Stair& stair = stairs[i];
        if (!stair.plan) {
            rows.push_back({std::to_string(stair.ports), "-", "-", "-", "-", "-", "no plan"});
            continue;
        }
        const std::optional<Duration> less = saved(stairs, i);
        const Duration before = less ? stairs[i - 1].plan->total : Duration{0};
        rows.push_back({std::to_string(stair.ports), std::to_string(stair.plan->ports_used),
                        std::to_string(stair.plan->degree), microseconds(stair.plan->total.ps),
                        less ? microseconds(less->ps) : "-", before.ps > 0 ? signed_percent_text(*less, before) : "-",
                        stair.plan->optimal ? "optimal" : gap_text(*stair.plan)});
    }
    std::string text = "the total for each number of ports\n" + aligned(rows, 0, "  ");
    const auto none = std::find_if(stairs.rbegin(), stairs.rend(), [](const Stair& stair) { return !stair.plan; });
    return none == stairs.rend() ? text : text + fmt::format("no plan with {} ports: {}\n", none->ports, none->refused);
}

std::string staircase_json(const std::vector<Stair>& stairs) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (std::size_t i = 0; i < stairs.size(); ++i) {
        const Stair& stair = stairs[i];
        if (!stair.plan) {
            list.push_back({{"ports", stair.ports}, {"total_ps", nullptr}, {"refused", stair.refused}});
            continue;
        }
        const std::optional<Duration> less = saved(stairs, i);
        list.push_back({{"ports", stair.ports},
                        {"total_ps", stair.plan->total.ps},
                        {"saved_ps", less ? Json(less->ps) : Json(nullptr)},
                        {"bound_ps", stair.plan->bound.ps},
                        {"optimal", stair.plan->optimal},
                        {"degree", stair.plan->degree},
                        {"ports_used", stair.plan->ports_used}});
    }
    return Json{{"staircase", list}}.dump(2) + '\n';
}

std::string staircase_script(const std::vector<Stair>& stairs) {
    std::string data;
    for (const Stair& stair : stairs) {
        if (stair.plan) {
            data += fmt::format("{} {}\n", stair.ports, microseconds(stair.plan->total.ps));
        }
    }
    return "set terminal svg noenhanced size 800,480 font 'sans-serif,13' background 'white'\n"
           "set grid ytics lc rgb '#dddddd'\nset offsets graph 0.02, graph 0.02, 0, 0\nset yrange [0:*]\n"
           "set xlabel 'ports of an accelerator'\nset ylabel 'total in us'\n$stairs << END\n" +
           data + "END\nplot $stairs with linespoints lw 2 pt 7 ps 0.4 lc rgb '#0072B2' notitle\n";
}

}  // namespace simlette
