#include <simlette/sim/network.hpp>

#include <algorithm>
#include <string>

#include <simlette/base/error.hpp>

namespace simlette {

namespace {

// Only flit mode counts the time of a flit link by link.
void check_rates(const HostGraph& graph, const char* mode) {
    const auto slower = [&graph](const LinkClass& kind) { return kind.flit_time != graph.classes.front().flit_time; };
    if (std::any_of(graph.classes.begin(), graph.classes.end(), slower)) {
        throw Error(ErrorKind::input, "known value `" + std::string(mode) +
                                          "` of `mode` on links of unequal rates, not in this version; use flit mode");
    }
}

TransactionRules rules_of(const FabricSpec& spec) {
    return {spec.fidelity, spec.responses, spec.tags};
}

}  // namespace

const char* sweep_misfit(const Fabric& fabric) {
    return SweepNetwork::misfit(fabric.graph, fabric.spec.routing);
}

std::string fallback_reason_for(Mode mode, Engine engine, const char* misfit) {
    if (mode != Mode::flit || engine == Engine::reference || misfit == nullptr) {
        return "";
    }
    if (engine == Engine::sweep) {
        throw Error(ErrorKind::input, std::string("the engine `sweep` cannot do this: ") + misfit +
                                          "; use the engine `auto` or `reference`");
    }
    return misfit;
}

Network network_for(const Fabric& fabric, Mode mode, bool sweep, std::uint32_t threads) {
    const FabricSpec& spec = fabric.spec;
    const TransactionRules rules = rules_of(spec);
    switch (mode) {
        case Mode::message:
            if (spec.fidelity == Fidelity::ualink) {
                throw Error(ErrorKind::input, "known value `ualink` with `mode: message`, not in this version");
            }
            if (fabric.graph.has_choices()) {
                throw Error(
                    ErrorKind::input,
                    "known value `message` of `mode` on a fabric whose switches choose among links, not in this "
                    "version; use flit mode");
            }
            check_rates(fabric.graph, "message");
            return Network(std::in_place_type<MessageNetwork>, fabric.graph, spec.routing, rules, spec.seed);
        case Mode::analytic:
            check_rates(fabric.graph, "analytic");
            return Network(std::in_place_type<AnalyticNetwork>, fabric.graph);
        case Mode::flit:
            break;
    }
    if (sweep) {
        return Network(std::in_place_type<SweepNetwork>, fabric.graph, spec.routing, rules, spec.seed, threads);
    }
    return Network(std::in_place_type<FlitNetwork<LaneQueue>>, fabric.graph, spec.routing, rules, spec.seed);
}

}  // namespace simlette
