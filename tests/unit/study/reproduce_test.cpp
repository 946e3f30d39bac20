#include <algorithm>

#include <catch2/catch.hpp>

#include <simlette/base/error.hpp>
#include <simlette/study/exact_text.hpp>
#include <simlette/study/reproduce.hpp>
#include <simlette/study/reproduce_table.hpp>

using namespace simlette;
using Catch::Matchers::Contains;

namespace {

bool agrees(const std::string& printed, const Exact& ours) {
    return printed_numbers(printed).front().agrees(ours);
}

const ReproducedRow& row_of(const Reproduced& entry, const std::string& name) {
    return *std::find_if(entry.rows.begin(), entry.rows.end(),
                         [&](const ReproducedRow& row) { return row.published.name == name; });
}

// Of the rows that are not within the digits printed.
std::vector<std::string> others(const Reproduced& entry) {
    std::vector<std::string> names;
    for (const ReproducedRow& row : entry.rows) {
        if (row.verdict != Verdict::within_digits) {
            names.push_back(row.published.name + (row.verdict == Verdict::open ? ": open" : ": explained"));
        }
    }
    return names;
}

}  // namespace

TEST_CASE("a printed number stands for all that rounds to it, and for nothing else") {
    CHECK(agrees("82.1", Exact(8205, 100)));
    CHECK(agrees("82.1", Exact(8215, 100)));
    CHECK_FALSE(agrees("82.1", Exact(82049, 1000)));
    CHECK_FALSE(agrees("82.1", Exact(82151, 1000)));
    CHECK(agrees("0.09", Exact(92, 1000)));
    CHECK_FALSE(agrees("9", Exact(96, 10)));
    CHECK(agrees("511/256", Exact(511, 256)));
    CHECK_FALSE(agrees("511/256", 2));
    CHECK(agrees("< 6", 5));
    CHECK_FALSE(agrees("< 6", 6));
    CHECK(agrees("6 .. 32", 16));
    CHECK_FALSE(agrees("6 .. 32", 6));
    CHECK_FALSE(agrees("6 .. 32", 32));
    CHECK(printed_numbers("3 | < 6 | 1/2").size() == 3);
}

TEST_CASE("every published entry is computed, and each of its rows") {
    std::vector<std::string> computed;
    for (const ReproduceEntry& entry : reproduce_table()) {
        computed.emplace_back(entry.name);
    }
    std::vector<std::string> published;
    for (const PublishedEntry& entry : published_entries()) {
        CAPTURE(entry.name);
        CHECK_FALSE((entry.what.empty() || entry.where.empty()));
        published.push_back(entry.name);
        const auto* table = std::find_if(reproduce_table().begin(), reproduce_table().end(),
                                         [&](const ReproduceEntry& row) { return row.name == entry.name; });
        REQUIRE(table != reproduce_table().end());
        std::vector<std::string> ours;
        for (const OurRow& row : table->compute()) {
            ours.push_back(row.name);
        }
        std::vector<std::string> theirs;
        for (const PublishedRow& row : entry.rows) {
            theirs.push_back(row.name);
        }
        CHECK_THAT(ours, Catch::Matchers::UnorderedEquals(theirs));
    }
    CHECK_THAT(computed, Catch::Matchers::UnorderedEquals(published));
}

TEST_CASE("the verdicts on the paper's tables and figures do not move") {
    for (const char* name : {"table-2", "figure-9", "figure-10", "figure-11", "table-4", "table-5", "table-6",
                             "table-7", "figure-17", "figure-19"}) {
        CAPTURE(name);
        CHECK(others(reproduce(name)).empty());
    }
    CHECK(others(reproduce("table-3")) ==
          std::vector<std::string>{"circulant of degree 4: explained", "circulant of degree 5: explained"});
    CHECK(others(reproduce("figure-15")) ==
          std::vector<std::string>{"12 ports: shared | stacked | stacked, plain one-shot: explained",
                                   "77 ports: shared over stacked: explained",
                                   "128 ports: shared over stacked: explained"});
    CHECK(others(reproduce("figure-20")) ==
          std::vector<std::string>{"simulated, latency nominal: explained", "most delayed port waits: open"});
}

TEST_CASE("ours are what other tests and closed forms have") {
    CHECK(row_of(reproduce("table-4"), "Q4+1100 one-shot").ours == std::vector<Exact>{3, 20});
    CHECK(row_of(reproduce("figure-17"), "latency of rs-ag | rs-ag-parallel").ours ==
          std::vector<Exact>{Exact(936, 100), Exact(936, 100)});
    const Reproduced packets = reproduce("figure-20");
    CHECK(row_of(packets, "simulated").ours.front() == Exact(134'962, 1'000));
    CHECK(row_of(packets, "simulated, latency nominal").ours.front() == Exact(1'682'404, 10'000));
}

TEST_CASE("a reason stands only where ours differs, and the text shows it") {
    std::vector<Reproduced> all;
    for (const PublishedEntry& entry : reproducible()) {
        all.push_back(reproduce(entry.name));
        for (const ReproducedRow& row : all.back().rows) {
            CAPTURE(entry.name, row.published.name);
            CHECK((row.published.reason.empty() || row.verdict == Verdict::explained));
        }
    }
    const std::string text = reproduced_text(all);
    CHECK_THAT(text, Contains("with an even split a credit is away for longer"));
    CHECK_THAT(text, Contains("96 within digits, 6 explained, 1 open\n"));
    CHECK_THAT(reproduced_json(all), Contains("\"open\": 1"));
}

TEST_CASE("a name that there is nothing for is refused with the nearest one") {
    CHECK_THROWS_WITH(reproduce("table4"), Contains("there is no `table4` to reproduce; did you mean `table-4`?"));
}
