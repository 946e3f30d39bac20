#include <simlette/collective/schedule_store.hpp>

#include <tuple>

#include <simlette/base/error.hpp>
#include <simlette/collective/build_schedule.hpp>
#include <simlette/collective/proof.hpp>

namespace simlette {

namespace {

// All that a schedule is made from; what messages call the ranks is not.
auto shape(const Overlay& overlay) {
    return std::tie(overlay.ranks, overlay.ports, overlay.layers.blocks, overlay.layers.generators, overlay.neighbours);
}

}  // namespace

bool ScheduleStore::Key::operator<(const Key& other) const {
    return std::tie(primitive, kind) != std::tie(other.primitive, other.kind)
               ? std::tie(primitive, kind) < std::tie(other.primitive, other.kind)
               : shape(overlay) < shape(other.overlay);
}

ScheduleStore::Entry& ScheduleStore::entry(Primitive primitive, ScheduleKind kind, const Overlay& overlay) {
    const Key key{primitive, kind, overlay};
    auto found = entries_.find(key);
    if (found == entries_.end()) {
        auto schedule = std::make_shared<const Schedule>(build_schedule(primitive, kind, overlay));
        found = entries_.emplace(key, Entry{std::move(schedule)}).first;
    }
    return found->second;
}

std::shared_ptr<const Schedule> ScheduleStore::built(Primitive primitive, ScheduleKind kind, const Overlay& overlay) {
    return entry(primitive, kind, overlay).schedule;
}

std::shared_ptr<const Schedule> ScheduleStore::proven(Primitive primitive, ScheduleKind kind, const Overlay& overlay) {
    Entry& found = entry(primitive, kind, overlay);
    if (!found.proven) {
        if (const auto flaw = find_flaw(*found.schedule, primitive)) {
            throw Error(ErrorKind::input, "schedule `" + found.schedule->name + "` is wrong: " + *flaw);
        }
        found.proven = true;
    }
    return found.schedule;
}

}  // namespace simlette
