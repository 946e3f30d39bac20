#include <simlette/collective/own_schedule.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/schedule_file.hpp>

namespace simlette {

namespace {

constexpr std::int64_t most_ranks = 65'536;
constexpr std::int64_t most_slices = 65'536;

using Numbers = std::vector<std::uint32_t>;

// A list that may be left out.
Kind<Numbers> numbers(std::int64_t high, const std::string& example) {
    Kind<Numbers> kind = whole_list(0, high, "a list of numbers, such as " + example);
    kind.write = [write = kind.write](const Numbers& list) { return list.empty() ? Node{} : write(list); };
    return kind;
}

Fields<ScheduleSpec::Send> send_fields() {
    const auto rank = whole<std::uint32_t>(0, most_ranks - 1);
    return {
        optional("from", &ScheduleSpec::Send::from, if_given(rank), "the rank that sends, without a symmetry"),
        required("to", &ScheduleSpec::Send::to, rank, "the rank that receives; with a symmetry as rank 0 sees it"),
        optional("blocks", &ScheduleSpec::Send::blocks, numbers(most_ranks - 1, "[0, 1]"), "all by default"),
        optional("slices", &ScheduleSpec::Send::slices, numbers(most_slices - 1, "[0, 1]"),
                 "of each block; all by default"),
        optional("sources", &ScheduleSpec::Send::sources, numbers(most_ranks - 1, "[0, 1]"),
                 "whose pieces, with `effect: collect`; by default the sender's own"),
    };
}

Fields<ScheduleSpec::Phase> phase_fields() {
    return {
        required("effect", &ScheduleSpec::Phase::effect, choice(effect_names, {}),
                 "what the receiver does: collect, reduce or replace"),
        required("sends", &ScheduleSpec::Phase::sends,
                 list_of(send_fields(), "a list of sends, such as [{from: 0, to: 1}]"), "who sends what to whom"),
    };
}

bool repeat_fault(const Value& file, const ScheduleFault& fault) {
    return file.at(fault.path).fail(fault.text);
}

}  // namespace

const Fields<ScheduleSpec>& schedule_fields() {
    static const Fields<ScheduleSpec> fields{
        required("name", &ScheduleSpec::name, text_kind("a name"), "of the schedule, for reports"),
        required("ranks", &ScheduleSpec::ranks, whole<std::uint32_t>(2, most_ranks), "that a group must have"),
        optional("symmetry", &ScheduleSpec::symmetry, choice(symmetry_names, {}),
                 "how what rank 0 does becomes what every rank does"),
        optional("blocks", &ScheduleSpec::blocks, whole<std::uint32_t>(1, most_ranks),
                 "that a buffer is cut in: 1, or one for each rank"),
        optional("slices", &ScheduleSpec::slices, whole<std::uint32_t>(1, most_slices), "that each block is cut in"),
        required("phases", &ScheduleSpec::phases,
                 list_of(phase_fields(), "a list of phases, such as [{effect: reduce, sends: [{from: 0, to: 1}]}]"),
                 "a list of phases, one after the other"),
    };
    return fields;
}

bool read_schedule(const Value& file, ScheduleSpec& into) {
    if (!read_fields(file, schedule_fields(), into)) {
        return false;
    }
    const std::vector<ScheduleFault> faults = faults_of(into);
    for (const ScheduleFault& fault : faults) {
        repeat_fault(file, fault);
    }
    return faults.empty();
}

bool prove_schedule(const Value& file, const ScheduleSpec& schedule, Primitive primitive) {
    const auto fault = data_fault(schedule, primitive);
    return !fault || repeat_fault(file, {fault->path, "schedule " + quote(schedule.name) + " carries out no " +
                                                          std::string(name_of(primitive)) + ": " + fault->text});
}

}  // namespace simlette
