#include <array>

#include <fmt/format.h>

#include <simlette/study/assumptions.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/quantity.hpp>

namespace simlette {

namespace {

bool always(const FabricSpec&) {
    return true;
}

bool on_packet_switches(const FabricSpec& fabric) {
    return fabric.kind == FabricKind::single_level && fabric.device == DeviceKind::eps;
}

std::string switch_latency(const FabricSpec& fabric) {
    return duration_text(fabric.latency.packet_switch);
}

// Vendors aim at 150 to 250 ns; what is charged beyond that range moves the answer.
const char* favoured_by_switch_latency(const FabricSpec& fabric) {
    const Duration charged = fabric.latency.packet_switch;
    return charged > Duration{250'000} ? "ocs" : charged < Duration{150'000} ? "eps" : "neither";
}

std::string buffer_sizes(const FabricSpec& fabric) {
    const std::string request = buffer_text(fabric.buffers.request);
    const std::string response = buffer_text(fabric.buffers.response);
    return request == response ? request : fmt::format("request {}, response {}", request, response);
}

struct Row {
    const char* id;
    const char* text;
    const char* value;  // or, where it depends on the fabric,
    std::string (*value_of)(const FabricSpec&);
    const char* source;
    const char* favours;  // or, where it depends on the fabric,
    const char* (*favours_of)(const FabricSpec&);
    bool (*applies)(const FabricSpec&);
};

constexpr std::array<Row, 9> rows{{
    {"no-in-network-reduction", "switches neither reduce nor multicast", "none", nullptr,
     "UALink 200G 1.0 has no in-network compute; Common 2.0 adds it", "ocs", nullptr, always},
    {"responses-not-modelled", "responses take no wire time; they would delay requests that share a wire", "none",
     nullptr, "topology key `responses`", "eps", nullptr, always},
    {"switch-latency", "pin to pin through the electronic switch; public targets are 150 to 250 ns", nullptr,
     switch_latency, "topology key `latency.switch`; targets: UALink consortium, public questions and answers", nullptr,
     favoured_by_switch_latency, on_packet_switches},
    {"output-queued-switch", "virtual output queues, speed-up as large as the radix: no head-of-line blocking", "ideal",
     nullptr, "our choice", "eps", nullptr, on_packet_switches},
    {"free-local-reduction", "adding contributions in an accelerator takes no time", "0 ns", nullptr, "our choice",
     "neither", nullptr, always},
    {"no-flag-or-fence", "a phase is complete when its last byte lands, without flag or fence", "0 ns", nullptr,
     "our choice; each phase would pay it, and circuits need more phases", "ocs", nullptr, always},
    {"no-errors-or-jitter", "no forward error correction, retry or jitter beyond the latencies given", "0 ns", nullptr,
     "our choice", "neither", nullptr, always},
    {"buffer-sizes", "buffers per port, direction and channel are not those of any product", nullptr, buffer_sizes,
     "topology key `buffers`", "neither", nullptr, always},
    {"flits-without-headers", "a flit carries 640 bytes of payload and takes the wire for 640 bytes", "640 B", nullptr,
     "the paper; headers would add 5 to 8 % to the time on the wire", "neither", nullptr, always},
}};

}  // namespace

std::vector<Assumption> assumptions_of(const FabricSpec& fabric) {
    std::vector<Assumption> assumptions;
    for (const Row& row : rows) {
        if (row.applies(fabric)) {
            assumptions.push_back({row.id, row.text, row.value_of != nullptr ? row.value_of(fabric) : row.value,
                                   row.source, row.favours_of != nullptr ? row.favours_of(fabric) : row.favours});
        }
    }
    return assumptions;
}

}  // namespace simlette
