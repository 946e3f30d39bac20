// A program of somebody else: one flit from rank 0 to rank 1 through one packet switch, no files involved.
#include <cstdio>
#include <variant>

#include <simlette/sim/simulator.hpp>
#include <simlette/version.hpp>

int main() {
    simlette::FabricSpec spec;
    spec.accelerators = 2;
    spec.ports = 1;
    simlette::Simulator simulator(simlette::build_fabric(spec));

    simlette::CollectiveSpec message;
    message.primitive = simlette::Primitive::send_recv;
    message.group = {0, 1};
    message.bytes = simlette::Bytes{640};
    simulator.register_collective(message);

    const simlette::Advance next = simulator.advance();
    const auto* done = std::get_if<simlette::Completed>(&next);
    if (done == nullptr) {
        return 1;
    }
    std::printf("simlette %s: %lld ps\n", simlette::version(), static_cast<long long>(done->end.ps));
    return 0;
}
