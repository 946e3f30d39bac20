#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include <simlette/base/contract.hpp>
#include <simlette/study/describe.hpp>
#include <simlette/study/trace.hpp>
#include <simlette/study/trace_slices.hpp>

namespace simlette {

namespace {

using Kind = TraceSlice::Kind;
using Json = nlohmann::ordered_json;

constexpr std::size_t piece_bytes = std::size_t{1} << 20U;

std::string quoted(const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Microseconds with six decimals: no picosecond is lost.
std::string decimal_us(std::int64_t ps) {
    return fmt::format("{}.{:06}", ps / 1'000'000, ps % 1'000'000);
}

class TraceWriter {
public:
    TraceWriter(const RunReport& report, const TextSink& out) : report_(report), trace_(*report.trace), out_(out) {
        for (std::size_t i = 0; i < report.workload.collectives.size(); ++i) {
            const WorkloadEntry& entry = report.workload.collectives[i];
            names_.push_back((entry.name.empty() ? "collective " : "") + entry_name(entry, i));
        }
    }

    void write();

private:
    void gather();
    void add(Kind kind, bool inner, std::size_t index, std::uint32_t track, Time start, Time end) {
        slices_.push_back({kind, inner, static_cast<std::uint32_t>(index), track, 0, start, end, {}});
    }
    void number_threads();
    std::string track_name(const TraceSlice& slice) const;
    std::string slice_name(const TraceSlice& slice) const;
    std::string arguments(const TraceSlice& slice) const;
    void write_head();
    void write_names();
    void write_name(const char* what, const std::string& name, std::uint32_t process, std::uint32_t thread);
    void write_slice(const TraceSlice& slice);
    void event(const std::string& text);
    void flush();

    using Thread = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // process, track, lane
    static Thread thread_of(const TraceSlice& slice) { return {process_of(slice.kind), slice.track, slice.lane}; }

    const RunReport& report_;
    const RunTrace& trace_;
    const TextSink& out_;
    std::vector<std::string> names_;  // of collectives
    std::vector<TraceSlice> slices_;
    struct Named {
        std::uint32_t number = 0;
        std::string name;
    };
    std::map<Thread, Named> threads_;
    std::string piece_;
    bool first_ = true;
};

void TraceWriter::flush() {
    out_(piece_);
    piece_.clear();
}

void TraceWriter::event(const std::string& text) {
    piece_ += first_ ? "\n" : ",\n";
    piece_ += text;
    first_ = false;
    if (piece_.size() >= piece_bytes) {
        flush();
    }
}

void TraceWriter::gather() {
    const Time now = report_.ended;
    for (std::size_t i = 0; i < report_.collectives.size(); ++i) {
        const EntryReport& entry = report_.collectives[i];
        if (entry.started) {
            add(Kind::collective, false, i, 0, entry.collective.start,
                entry.collective.finished ? entry.collective.end : now);
        }
    }
    for (std::size_t i = 0; i < trace_.phases.size(); ++i) {
        const PhaseRecord& phase = trace_.phases[i];
        add(Kind::phase, false, i, phase.rank, phase.start, phase.end);
    }
    for (std::size_t i = 0; i < trace_.passages.size(); ++i) {
        const PassageRecord& passage = trace_.passages[i];
        add(Kind::passage, passage.half == TransactionHalf::response, i, passage.link, passage.start, passage.end);
    }
    for (std::size_t i = 0; i < trace_.stalls.size(); ++i) {
        add(Kind::stall, true, i, trace_.stalls[i].link, trace_.stalls[i].start, trace_.stalls[i].end);
    }
}

std::string TraceWriter::track_name(const TraceSlice& slice) const {
    if (slice.kind == Kind::collective) {
        return "collectives";
    }
    if (slice.kind == Kind::phase) {
        const auto& placement = report_.fabric.placement;
        return placement.empty() ? fmt::format("rank {}", slice.track)
                                 : fmt::format("rank {} on a{}", slice.track, placement[slice.track]);
    }
    const std::string& link = report_.links[slice.track].name;
    return link.substr(0, link.find("->"));
}

// Numbers start at 1 and are not used twice, not even in different processes: viewers disagree on whether that is one
// thread.
void TraceWriter::number_threads() {
    for (const TraceSlice& slice : slices_) {
        const auto [thread, fresh] = threads_.try_emplace(thread_of(slice));
        if (fresh) {
            thread->second.name = track_name(slice) + (slice.lane == 0 ? "" : fmt::format(" ({})", slice.lane + 1));
        }
    }
    std::uint32_t number = 0;
    for (auto& [thread, named] : threads_) {
        named.number = ++number;
    }
}

std::string TraceWriter::slice_name(const TraceSlice& slice) const {
    if (slice.kind == Kind::collective) {
        return names_[slice.index];
    }
    if (slice.kind == Kind::phase) {
        const PhaseRecord& phase = trace_.phases[slice.index];
        return fmt::format("{} phase {}", names_[phase.collective], phase.phase);
    }
    if (slice.kind == Kind::stall) {
        switch (trace_.stalls[slice.index].wants) {
            case StallRecord::Wants::request_credit:
                return "no request credit";
            case StallRecord::Wants::response_credit:
                return "no response credit";
            case StallRecord::Wants::tag:
                return "no tag";
        }
    }
    const PassageRecord& passage = trace_.passages[slice.index];
    switch (passage.half) {
        case TransactionHalf::write:
        case TransactionHalf::read_data:
            break;
        case TransactionHalf::response:
            return fmt::format("response {}->{}", passage.destination, passage.source);
        case TransactionHalf::read_request:
            return fmt::format("read {}->{}", passage.destination, passage.source);
    }
    return fmt::format("{}->{}", passage.source, passage.destination);
}

std::string TraceWriter::arguments(const TraceSlice& slice) const {
    std::string text;
    bool unfinished = false;
    if (slice.kind == Kind::collective) {
        const CollectiveReport& collective = report_.collectives[slice.index].collective;
        unfinished = !collective.finished;
        text = fmt::format("\"schedule\":{},\"ranks\":{},\"bytes\":{}", quoted(collective.schedule), collective.ranks,
                           collective.bytes.count);
    } else if (slice.kind == Kind::phase) {
        unfinished = !trace_.phases[slice.index].ended;
    } else if (slice.kind == Kind::passage) {
        const PassageRecord& passage = trace_.passages[slice.index];
        unfinished = !passage.whole;
        text = fmt::format("\"collective\":{},\"phase\":{},\"bytes\":{},\"flits\":{}",
                           quoted(names_[passage.collective]), passage.phase, passage.bytes, passage.flits);
    }
    if (unfinished) {
        text += std::string(text.empty() ? "" : ",") + "\"unfinished\":true";
    }
    if (slice.start + slice.shown != slice.end) {
        text += fmt::format("{}\"end\":{}", text.empty() ? "" : ",", decimal_us(slice.end.ps));
    }
    return text.empty() ? text : ",\"args\":{" + text + "}";
}

void TraceWriter::write_slice(const TraceSlice& slice) {
    constexpr const char* categories[] = {"collective", "phase", "message", "stall"};
    event(fmt::format("{{\"ph\":\"X\",\"ts\":{},\"dur\":{},\"pid\":{},\"tid\":{},\"cat\":\"{}\",\"name\":{}{}}}",
                      decimal_us(slice.start.ps), decimal_us(slice.shown.ps), process_of(slice.kind),
                      threads_.at(thread_of(slice)).number, categories[static_cast<std::size_t>(slice.kind)],
                      quoted(slice_name(slice)), arguments(slice)));
}

void TraceWriter::write_name(const char* what, const std::string& name, std::uint32_t process, std::uint32_t thread) {
    event(fmt::format("{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}_name\",\"args\":{{\"name\":{}}}}}", process,
                      thread, what, quoted(name)));
    event(
        fmt::format("{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}_sort_index\",\"args\":{{\"sort_index\":{}}}}}",
                    process, thread, what, std::string(what) == "process" ? process : thread));
}

void TraceWriter::write_names() {
    std::uint32_t last = 0;
    for (const auto& [thread, named] : threads_) {
        const std::uint32_t process = std::get<0>(thread);
        if (process != last) {
            constexpr const char* names[] = {"collectives", "ranks", "ports"};
            write_name("process", names[process - 1], process, named.number);
            last = process;
        }
        write_name("thread", named.name, process, named.number);
    }
}

void TraceWriter::write_head() {
    piece_ += fmt::format(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"topology\":{},\"workload\":{},\"configuration_hash\":{},"
        "\"outcome\":\"{}\",\"records_left_out\":{}}},\"traceEvents\":[",
        quoted(report_.inputs.topology), quoted(report_.inputs.workload), quoted(report_.configuration_hash),
        outcome_name(report_.outcome), trace_.left_out);
}

void TraceWriter::write() {
    gather();
    assign_lanes(slices_);
    number_threads();
    write_head();
    write_names();
    std::stable_sort(slices_.begin(), slices_.end(),
                     [](const TraceSlice& a, const TraceSlice& b) { return a.start < b.start; });
    for (const TraceSlice& slice : slices_) {
        write_slice(slice);
    }
    piece_ += "\n]}\n";
    flush();
}

}  // namespace

void write_trace(const RunReport& report, const TextSink& out) {
    require(report.trace.has_value(), "a trace was recorded");
    TraceWriter(report, out).write();
}

}  // namespace simlette
