#include <catch2/catch.hpp>

#include <string>

#include <simlette/study/assumptions.hpp>
#include <simlette/study/format.hpp>
#include <simlette/study/measures.hpp>
#include <simlette/study/report_path.hpp>
#include <simlette/study/run.hpp>

using namespace simlette;
using Catch::Matchers::Contains;

namespace {

// A finished all-reduce of 1000 bytes among 4 ranks in 8 ns, over two links.
RunReport small_report() {
    RunReport report;
    report.inputs.topology = "t.yaml";
    report.inputs.workload = "w, \"1\".yaml";
    report.fabric.accelerators = 4;
    report.fabric.ports = 1;
    report.configuration = "{}";
    report.workload.collectives.resize(1);
    EntryReport entry;
    entry.started = true;
    entry.collective.schedule = "one-shot";
    entry.collective.form = "direct";
    entry.collective.ranks = 4;
    entry.collective.phases = 1;
    entry.collective.bytes = {1000};
    entry.collective.finished = true;
    entry.collective.start = {2'000};
    entry.collective.end = {10'000};
    report.collectives.push_back(entry);
    report.completion = Time{10'000};
    report.statistics.flits = 3;
    report.statistics.payload_bytes = 999;
    report.statistics.first_injection = {2'000};
    report.statistics.last_delivery = {10'000};
    report.links = {{"a0.p0->s0", 2, 1280, Duration{4'000}, {Duration{5}, Duration{6}}, 7, Duration{12'000}, {}},
                    {"s0.p1->a1", 1, 640, Duration{1'000}, {}, 0, Duration{0}, {}}};
    report.link_levels = {{"up 1", "down 1"}, {0, 1}};
    return report;
}

}  // namespace

TEST_CASE("a time is printed with every picosecond and without idle zeros") {
    CHECK(time_text(82'128'400) == "82.1284 us");
    CHECK(time_text(1'000'001) == "1.000001 us");
    CHECK(time_text(999'999'999) == "999.999999 us");
    CHECK(time_text(1'680'360'000) == "1.68036 ms");
    CHECK(time_text(13'766'873'356'800) == "13.7668733568 s");
    CHECK(time_text(INT64_MIN) == "-9223372.036854775808 s");
    CHECK(time_text(12'800) == "12.8 ns");
    CHECK(time_text(0) == "0 ns");
    CHECK(time_text(-500) == "-0.5 ns");
    CHECK(microseconds(835'600) == "0.8356");
    CHECK(microseconds(INT64_MAX) == "9223372036854.775807");
    CHECK(microseconds(INT64_MIN) == "-9223372036854.775808");
}

TEST_CASE("a size is printed with every byte, in the largest unit that takes at most three decimals") {
    CHECK(bytes_text({0}) == "0 B");
    CHECK(bytes_text({640}) == "640 B");
    CHECK(bytes_text({64 * 1024}) == "64 KiB");
    CHECK(bytes_text({5'244'800}) == "5121.875 KiB");
    CHECK(bytes_text({1536 * 1024}) == "1.5 MiB");
    CHECK(bytes_text({60'001}) == "60,001 B");
    CHECK(bytes_text({INT64_MAX}) == "9,223,372,036,854,775,807 B");
    CHECK(bytes_text({INT64_MAX - 1023}) == "9007199254740991 KiB");
}

TEST_CASE("rates, counts and shares are readable") {
    CHECK(rounded_rate_text(400'000'000'000) == "400 Gb/s");
    CHECK(rounded_rate_text(51'200'000'000'000) == "51.2 Tb/s");
    CHECK(rounded_rate_text(102'140'999'999) == "102.14 Gb/s");
    CHECK(count_text(4'177'920) == "4,177,920");
    CHECK(count_text(999) == "999");
    CHECK(percent_text(987'654'321) == "98.76 %");
    CHECK(percent_text(1'000'000'000) == "100.00 %");
}

TEST_CASE("columns line up and lines have no blanks at their end") {
    CHECK(aligned({{"a", "1"}, {"bb", "22"}, {"c", ""}}, 1, " ") == " a    1\n bb  22\n c\n");
}

TEST_CASE("bandwidths are whole bits per second, rounded down") {
    const RunMeasures measures = measure(small_report());
    CHECK(measures.goodput == 999'000'000'000);
    CHECK(measures.algorithm_bandwidth == 1'000'000'000'000);
    CHECK(measures.bus_bandwidth == 1'500'000'000'000);  // 2 * 3 / 4
    RunReport uneven = small_report();
    uneven.collectives[0].collective.end = {9'000};
    CHECK(measure(uneven).algorithm_bandwidth == 1'142'857'142'857);
}

TEST_CASE("the bus bandwidth counts what every rank must move of its buffer") {
    RunReport report = small_report();
    Primitive& primitive = report.workload.collectives[0].collective.primitive;
    for (const Primitive of_blocks : {Primitive::all_to_all, Primitive::all_gather, Primitive::reduce_scatter}) {
        primitive = of_blocks;
        CHECK(measure(report).bus_bandwidth == 750'000'000'000);  // 3 / 4
    }
    for (const Primitive whole : {Primitive::broadcast, Primitive::send_recv}) {
        primitive = whole;
        CHECK(measure(report).bus_bandwidth == 1'000'000'000'000);
    }
}

TEST_CASE("a run of several collectives, or an unfinished one, has no bandwidth of its own") {
    RunReport several = small_report();
    several.collectives.push_back(several.collectives[0]);
    several.workload.collectives.resize(2);
    RunReport cut = small_report();
    cut.outcome = Outcome::time_limit;
    for (const RunReport& report : {several, cut}) {
        CHECK_FALSE(measure(report).algorithm_bandwidth.has_value());
        CHECK_FALSE(measure(report).bus_bandwidth.has_value());
        CHECK(measure(report).goodput.has_value());
    }
}

TEST_CASE("the largest collective does not overflow its bandwidth") {
    RunReport report = small_report();
    report.collectives[0].collective.bytes = {std::int64_t{1} << 50};
    report.collectives[0].collective.ranks = 65'536;
    report.collectives[0].collective.start = {0};
    report.collectives[0].collective.end = {INT64_MAX};
    CHECK(measure(report).algorithm_bandwidth == 976'562'500);  // 2^53 * 10^12 / (2^63 - 1)
    CHECK(measure(report).bus_bandwidth == 1'953'095'197);      // times 2 * 65,535 / 65,536
}

TEST_CASE("utilization is busy time over the time from the first flit to the last delivery") {
    const RunMeasures measures = measure(small_report());
    CHECK(measures.max_utilization.billionths == 500'000'000);
    CHECK(measures.mean_utilization.billionths == 312'500'000);
    CHECK(measures.busiest_link_bytes == 1280);
    CHECK(utilization(Duration{2}, 1, Duration{3}).billionths == 666'666'666);
    CHECK(utilization(Duration{2}, 1, Duration{0}).billionths == 0);
}

TEST_CASE("nothing was delivered, so there is no rate and no share") {
    RunReport report = small_report();
    report.statistics = {};
    CHECK_FALSE(measure(report).goodput.has_value());
    CHECK(measure(report).max_utilization.billionths == 0);
}

TEST_CASE("link rows name both stalls and the deepest queue") {
    CHECK(links_csv(small_report()) ==
          "name,bytes,flits,utilization,stall_request_ps,stall_response_ps,queue,level,queue_mean\n"
          "a0.p0->s0,1280,2,0.500000000,5,6,7,up 1,1.500000000\n"
          "s0.p1->a1,640,1,0.125000000,0,0,0,down 1,0.000000000\n");
}

TEST_CASE("message rows stand as they were recorded") {
    RunReport report = small_report();
    report.messages.push_back({1, 2, 3, 4, 5, 600, 1, Time{7}, Time{8}});
    CHECK(messages_csv(report) ==
          "collective,phase,source,destination,port,bytes,flits,injected_ps,delivered_ps\n1,2,3,4,5,600,1,7,8\n");
}

TEST_CASE("a field of a CSV row with a comma or a quote stands in quotes") {
    CHECK_THAT(report_csv(small_report()), Contains("\nt.yaml,\"w, \"\"1\"\".yaml\",flit,reference,"));
}

TEST_CASE("a collective that did not end has a start and no end") {
    RunReport report = small_report();
    report.outcome = Outcome::time_limit;
    report.completion.reset();
    report.collectives[0].collective.finished = false;
    const std::string json = report_json(report);
    CHECK_THAT(json, Contains("\"outcome\": \"time-limit\""));
    CHECK_THAT(json, Contains("\"completion_ps\": null"));
    CHECK_THAT(json, Contains("\"start_ps\": 2000,\n      \"end_ps\": null"));
    CHECK_THAT(json, Contains("\"critical_path_ps\": null"));
    CHECK_THAT(report_table(report), !Contains("where the time went"));
}

TEST_CASE("the time of a collective is told by its parts, in the contract's words") {
    RunReport report = small_report();
    report.collectives[0].collective.explained = true;
    report.collectives[0].collective.critical_path = {{1}, {2}, {3}, {4}, {5}, {6}, {7}, {7'972}};
    CHECK_THAT(report_json(report),
               Contains("\"critical_path_ps\": {\n        \"endpoint\": 1,\n        \"protocol\": 2,\n        "
                        "\"propagation\": 3,\n        \"switch\": 4,\n        \"serialization\": 5,\n        "
                        "\"credit_stall\": 6,\n        \"contention\": 7,\n        \"wait\": 7972\n      }"));
    report.collectives[0].collective.critical_path = {{2'000}, {0}, {0}, {0}, {6'000}, {0}, {0}, {0}};
    CHECK_THAT(report_table(report), Contains("where the time went\n"
                                              "  collective  part              us     share\n"
                                              "  0           endpoint       0.002   25.00 %\n"
                                              "              serialization  0.006   75.00 %\n"
                                              "              all            0.008  100.00 %\n"));
}

TEST_CASE("of many collectives the table shows where the time of the last to end went") {
    RunReport report = small_report();
    report.collectives[0].collective.explained = true;
    for (std::int64_t i = 1; i < 10; ++i) {
        report.collectives.push_back(report.collectives[0]);
        report.collectives.back().collective.end = Time{10'000 + i};
    }
    report.workload.collectives.resize(10);
    CHECK_THAT(parts_table(report), Contains("where the time went (the last 8 of 10 to end)\n") &&
                                        !Contains("\n  1 ") && Contains("\n  2 ") && Contains("\n  9 "));
}

TEST_CASE("the phases of a collective stand in a table, unless it has only one") {
    RunReport report = small_report();
    report.collectives[0].phases = {{Time{0}, Time{0}, Time{1'000'000}, Time{1'100'000}}};
    CHECK(phases_table(report).empty());
    report.collectives[0].phases.push_back({Time{1'000'000}, Time{1'100'000}, Time::never(), Time{0}});
    CHECK(phases_table(report) ==
          "phases\n"
          "  collective  phase  first rank starts us  last starts us  first ends us  last ends us\n"
          "  0               0                     0               0              1           1.1\n"
          "  0               1                     1             1.1              -             -\n");
}

TEST_CASE("an error in percent is exact, rounded to four decimals, and has its sign") {
    const auto percent = [](std::int64_t part, std::int64_t whole) {
        return signed_percent_text(Duration{part}, Duration{whole});
    };
    CHECK(percent(0, 7) == "0.0000");
    CHECK(percent(1, 3) == "+33.3333");
    CHECK(percent(-2, 3) == "-66.6667");
    CHECK(percent(1, 2'000'000) == "+0.0001");  // half a digit is rounded away from 0
    CHECK(percent(-1, 2'000'001) == "-0.0000");
    CHECK(percent(3, 1) == "+300.0000");
    CHECK(percent(INT64_MAX, INT64_MAX) == "+100.0000");
}

TEST_CASE("a collective whose time is not explained has no parts") {
    RunReport report = small_report();
    report.mode = Mode::message;
    CHECK_THAT(report_json(report), Contains("\"mode\": \"message\"") && Contains("\"critical_path_ps\": null"));
    CHECK_THAT(report_table(report), Contains("\nmode        message") && !Contains("where the time went"));
}

TEST_CASE("the table names the engine of flit mode, and why it is not the sweep where it might have been") {
    RunReport report = small_report();
    CHECK_THAT(report_table(report), Contains("\nmode        flit         engine reference\n"));
    report.fallback_reason = "links depend on each other";
    CHECK_THAT(report_table(report), Contains("  engine reference: links depend on each other\n"));
    report.fallback_reason = "";
    report.engine = Engine::sweep;
    CHECK_THAT(report_table(report), Contains("\nmode        flit         engine sweep\n"));
    report.mode = Mode::message;
    CHECK_THAT(report_table(report), Contains("\nmode        message\n"));
}

TEST_CASE("a run that may be off says so in every form") {
    RunReport report = small_report();
    report.mode = Mode::message;
    CHECK_THAT(report_json(report), Contains("\"validity\": {\n    \"mode_ok\": true,\n    \"reasons\": []\n  }"));
    report.validity = {false, {"first", "second"}, 12'345};
    CHECK_THAT(report_json(report),
               Contains("\"mode_ok\": false,\n    \"reasons\": [\n      \"first\",\n      \"second\"\n    ],\n    "
                        "\"error_estimate\": 0.012345\n"));
    CHECK_THAT(report_table(report), Contains("  may be off: first\n") && Contains("  second\n"));
    CHECK_THAT(report_csv(report), Contains(",message,reference,,finished,false,10000,"));
    report.validity.error_ppm = Validity::unknown_error;
    CHECK_THAT(report_json(report), !Contains("error_estimate"));
}

TEST_CASE("analytic mode has no counters of links and credits") {
    RunReport report = small_report();
    report.mode = Mode::analytic;
    CHECK_THAT(report_json(report), Contains("\"busiest_bytes\": null") && Contains("\"stall_max_port_ps\": null"));
    CHECK_THAT(report_table(report), !Contains("directed") && !Contains("stalled"));
    CHECK_THAT(report_csv(report), Contains(",0,2,,,,,,3,0,0,"));
}

TEST_CASE("modes stand side by side with their error and speed-up over the first") {
    RunReport flit = small_report();
    flit.cpu_seconds = 0.5;
    flit.statistics.events = 1'000;
    RunReport message = flit;
    message.mode = Mode::message;
    message.completion = Time{9'875};
    message.cpu_seconds = 0.125;
    message.validity = {false, {"too tight", "too late"}, 1};
    const std::vector<ModeRun> runs{
        {Mode::flit, flit, ""}, {Mode::message, message, ""}, {Mode::analytic, std::nullopt, "x, not in this version"}};
    CHECK(modes_table(runs) ==
          "modes\n"
          "  mode      completion us  error %   CPU ms  events  flits  speed-up  valid\n"
          "  flit               0.01   0.0000  500.000   1,000      3       1.0  yes\n"
          "  message        0.009875  -1.2500  125.000   1,000      3       4.0  no: too tight\n"
          "  analytic              -        -        -       -      -         -  no: x, not in this version\n");
    CHECK_THAT(
        modes_json(runs),
        Contains("{\n  \"modes\": [\n    {\n") &&
            Contains("    {\n      \"mode\": \"analytic\",\n      \"error\": \"x, not in this version\"\n    }\n"));
}

TEST_CASE("a run that did not end has no error against another") {
    RunReport cut = small_report();
    cut.completion.reset();
    CHECK_THAT(modes_table({{Mode::flit, cut, ""}, {Mode::message, small_report(), ""}}),
               Contains("\n  flit              -        -") && Contains("0.01        -"));
}

TEST_CASE("a long critical path is shortened in the middle") {
    RunReport report = small_report();
    report.explained = true;
    PathHop hop;
    hop.port = "a1.p0";
    hop.own = Duration{1'000};
    hop.contention = Duration{2'000};
    hop.rivals = {
        {0, 3, 2, true, 4}, {0, 1, 2, false, 1}, {0, 5, 6, false, 1}, {0, 6, 7, false, 1}, {0, 7, 0, false, 1}};
    for (std::uint32_t phase = 0; phase < 25; ++phase) {
        report.collectives[0].path.push_back({phase, 1, 2, 0, Time{2'500 + 10 * phase}, Time{2'510 + 10 * phase}, {}});
    }
    report.collectives[0].path[0].hops = {hop};
    const std::string text = explanation_text(report);
    CHECK_THAT(text,
               Contains("critical path of 0: 25 messages\n  wait 0.5 ns\n  phase 0: 1 -> 2, port 0: ready 2.5 ns, "
                        "delivered 2.51 ns\n    a1.p0  request  "));
    CHECK_THAT(text, Contains("waited for own flits 1 ns + contention 2 ns (0 3 -> 2, 4 flits of answers; 0 1 -> 2, 1 "
                              "flit; 0 5 -> 6, 1 flit; 2 more)\n"));
    CHECK_THAT(text, Contains("phase 9:") && !Contains("phase 10:") && Contains("\n  ... 5 messages left out ...\n") &&
                         !Contains("phase 14:") && Contains("phase 15:") && Contains("phase 24:"));
}

TEST_CASE("a stall names its cycle in the JSON and in the table") {
    RunReport report = small_report();
    report.outcome = Outcome::stalled;
    report.stall = {
        Time{9'000}, {{"s0.p1", Channel::request, "s1.p0"}, {"s1.p0", Channel::request, "s0.p1"}}, "deadlock"};
    const std::string json = report_json(report);
    CHECK_THAT(json, Contains("\"outcome\": \"stalled\""));
    CHECK_THAT(json, Contains("\"since_ps\": 9000"));
    CHECK_THAT(json,
               Contains("\"port\": \"s0.p1\",\n        \"channel\": \"request\",\n        \"waits_for\": \"s1.p0\""));
    const std::string table = report_table(report);
    CHECK_THAT(table, Contains("stalled since 9 ns"));
    CHECK_THAT(table, Contains("deadlock\n  s0.p1 request waits for s1.p0\n  s1.p0 request waits for s0.p1\n"));
}

TEST_CASE("a path that is no UTF-8 does not spoil the JSON") {
    RunReport report = small_report();
    report.inputs.topology = "\xFF.yaml";
    CHECK_THAT(report_json(report), Contains("\xEF\xBF\xBD.yaml"));
}

TEST_CASE("assumptions follow the fabric") {
    FabricSpec fabric;
    const auto find = [&fabric](const std::string& id) {
        for (const Assumption& assumption : assumptions_of(fabric)) {
            if (assumption.id == id) {
                return assumption;
            }
        }
        return Assumption{};
    };
    CHECK(find("switch-latency").value == "300 ns");
    CHECK(find("switch-latency").favours == "ocs");
    CHECK(find("buffer-sizes").value == "unlimited");
    CHECK(find("responses").value == "per-message");
    CHECK(find("responses").favours == "ocs");
    CHECK(find("flits-without-headers").value == "640 B");
    CHECK(find("flit-packing").id.empty());
    CHECK(find("tags").id.empty());
    fabric.fidelity = Fidelity::ualink;
    fabric.responses = ResponsePolicy::per_transaction;
    fabric.tags = 2048;
    CHECK(find("responses").value == "per-transaction");
    CHECK(find("responses").favours == "neither");
    CHECK(find("flits-without-headers").id.empty());
    CHECK(find("flit-packing").value == "628 of 640 B");
    CHECK(find("tags").value == "2048");
    fabric.responses = ResponsePolicy::none;
    CHECK(find("responses").value == "none");
    CHECK(find("responses").favours == "eps");
    fabric.latency.packet_switch = {200'000};
    fabric.buffers.request = 22;
    CHECK(find("switch-latency").favours == "neither");
    CHECK(find("buffer-sizes").value == "request 22 flits, response unlimited");
    fabric.device = DeviceKind::ocs;
    CHECK(find("switch-latency").id.empty());
    CHECK(find("output-queued-switch").id.empty());
    CHECK(find("no-in-network-reduction").favours == "ocs");
}

TEST_CASE("a run states its latency profile, and on several levels how hops are read and how long rack links are") {
    FabricSpec fabric;
    const auto find = [&fabric](const std::string& id) {
        for (const Assumption& assumption : assumptions_of(fabric)) {
            if (assumption.id == id) {
                return assumption;
            }
        }
        return Assumption{};
    };
    CHECK(find("latency-profile").value == "nominal");
    CHECK(find("hop-reading").id.empty());
    CHECK(find("links-between-racks").id.empty());
    fabric.kind = FabricKind::two_level;
    fabric.latency.propagation_level2 = {100'000};
    CHECK(find("latency-profile").value == "values of its own");
    CHECK(find("hop-reading").value == "switch-only");
    CHECK(find("hop-reading").favours == "eps");
    CHECK(find("links-between-racks").value == "100 ns");
    CHECK(find("switch-latency").value == "300 ns");
    fabric.hop_reading = HopReading::per_hop;
    CHECK(find("hop-reading").value == "per-hop");
    CHECK(find("hop-reading").favours == "ocs");
    fabric.level1.device = fabric.level2.device = DeviceKind::ocs;
    CHECK(find("hop-reading").id.empty());
    CHECK(find("switch-latency").id.empty());
}
