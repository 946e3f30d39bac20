// Schedules that were built before: groups whose circuits look alike share one.
#pragma once

#include <map>
#include <memory>

#include <simlette/collective/overlay.hpp>
#include <simlette/collective/schedule.hpp>
#include <simlette/collective/spec.hpp>

namespace simlette {

class ScheduleStore {
public:
    // Throws Error{input} as build_schedule() does.
    std::shared_ptr<const Schedule> built(Primitive primitive, ScheduleKind kind, const Overlay& overlay);
    // Its data flow is followed too, the first time. Throws Error{input} with what goes wrong.
    std::shared_ptr<const Schedule> proven(Primitive primitive, ScheduleKind kind, const Overlay& overlay);

private:
    struct Key {
        Primitive primitive;
        ScheduleKind kind;
        Overlay overlay;

        bool operator<(const Key& other) const;
    };
    struct Entry {
        std::shared_ptr<const Schedule> schedule;
        bool proven = false;
    };
    Entry& entry(Primitive primitive, ScheduleKind kind, const Overlay& overlay);

    std::map<Key, Entry> entries_;
};

}  // namespace simlette
