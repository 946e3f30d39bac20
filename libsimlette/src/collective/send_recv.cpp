// Send-recv: one message from the first of two ranks to the second.
#include <simlette/base/error.hpp>
#include <simlette/collective/build_schedule.hpp>

namespace simlette {

Schedule build_send_recv(const Overlay& overlay) {
    if (overlay.ranks != 2) {
        throw Error(ErrorKind::input, "`send-recv` has exactly two ranks, first to second; the group has " +
                                          std::to_string(overlay.ranks));
    }
    Schedule schedule{"send-recv", "direct", Symmetry::none, 2};
    schedule.add_pieces({{}});
    schedule.phases.push_back({Effect::replace, false, {{1, 0, 1}}, {0, 1, 1}});
    return schedule;
}

}  // namespace simlette
