#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <simlette/base/error.hpp>
#include <simlette/planner/price.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/plan_report.hpp>
#include <simlette/study/problems.hpp>
#include <simlette/study/quantity.hpp>
#include <simlette/study/what_if.hpp>

namespace simlette {

namespace {

constexpr std::int64_t whole_scale = 1'000'000;
constexpr std::int64_t most_scale = 1'000'000 * whole_scale;
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

std::int64_t scale_of(const std::string& what, const std::string& text) {
    const Quantity quantity = parse_share(text);
    if (quantity.form != Quantity::Form::good || quantity.value < 1 || quantity.value > most_scale) {
        throw Error(ErrorKind::input, fmt::format("{} is {}; expected factors from 0.000001 to 1000000, such as "
                                                  "`0.25,1,4`",
                                                  what, quote(text)));
    }
    return quantity.value;
}

std::string scale_text(std::int64_t scale) {
    std::string text = fmt::format("{}.{:06}", scale / whole_scale, scale % whole_scale);
    text.erase(text.find_last_not_of('0') + 1);
    return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

// Rounded up: there is always a byte to send.
Bytes scaled(Bytes bytes, std::int64_t scale) {
    __extension__ using Wide = __int128;
    const Wide product = (Wide{bytes.count} * scale + whole_scale - 1) / whole_scale;
    if (product > most_bytes) {
        throw Error(ErrorKind::input,
                    fmt::format("`--payload-scale {}` makes {} larger than {}, the most that a collective moves",
                                scale_text(scale), size_text(bytes), size_text({most_bytes})));
    }
    return {static_cast<std::int64_t>(product)};
}

PlanRequest scaled(PlanRequest request, std::int64_t scale) {
    for (PlanMesh& mesh : request.meshes) {
        for (PlanAxis& axis : mesh.axes) {
            for (PlanCollective& collective : axis.collectives) {
                collective.bytes = scaled(collective.bytes, scale);
            }
        }
    }
    return request;
}

// The schedules of an axis, one after the other: `rs-ag-parallel, bruck`.
std::string schedules_text(const Plan& plan) {
    std::string text;
    for (const PlannedMesh& mesh : plan.meshes) {
        for (const PlannedAxis& axis : mesh.axes) {
            for (const PlannedCollective& planned : axis.collectives) {
                text += (text.empty() ? "" : ", ") + std::string(name_of(planned.collective.schedule));
            }
        }
    }
    return text;
}

}  // namespace

std::vector<std::int64_t> payload_scales(const std::string& what, const std::string& text) {
    std::vector<std::int64_t> scales;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t comma = std::min(text.find(',', start), text.size());
        scales.push_back(scale_of(what, text.substr(start, comma - start)));
        start = comma + 1;
    }
    return scales;
}

std::vector<KeptPlan> scale_payloads(const Plan& plan, const PlanRequest& request,
                                     const std::vector<std::int64_t>& scales, const Planner& planner) {
    std::vector<KeptPlan> plans;
    for (const std::int64_t scale : scales) {
        const PlanRequest asked = scaled(request, scale);
        plans.push_back({scale_text(scale), price(plan, asked), planner(asked)});
    }
    return plans;
}

std::string kept_text(const std::vector<KeptPlan>& plans) {
    std::vector<std::vector<std::string>> rows{
        {"load", "schedules on the kept circuits", "kept us", "planned anew us", "slower %", "proof"}};
    for (const KeptPlan& plan : plans) {
        rows.push_back({plan.load, schedules_text(plan.kept), microseconds(plan.kept.total.ps),
                        microseconds(plan.fresh.total.ps),
                        signed_percent_text(plan.kept.total - plan.fresh.total, plan.fresh.total),
                        plan.fresh.optimal ? "optimal" : gap_text(plan.fresh)});
    }
    return "circuits kept under another load, each collective by its best schedule on them, and circuits planned for "
           "it\n" +
           aligned(rows, 2, "  ");
}

std::string kept_json(const std::vector<KeptPlan>& plans) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const KeptPlan& plan : plans) {
        list.push_back({{"load", plan.load},
                        {"kept_ps", plan.kept.total.ps},
                        {"fresh_ps", plan.fresh.total.ps},
                        {"fresh_bound_ps", plan.fresh.bound.ps},
                        {"kept", Json::parse(plan_json(plan.kept))},
                        {"fresh", Json::parse(plan_json(plan.fresh))}});
    }
    return Json{{"loads", list}}.dump(2) + '\n';
}

}  // namespace simlette
