// How good plans are and what they take. Without an argument: 500 seeded requests, the search cut short against the
// whole one, and 30 of four and of six meshes. With a JSON file of requests {"requests": [{"collectives": [[primitive,
// axis, size, calls, bytes], ...]}]} over 512 ranks with 36 ports: each planned, the worst gap and the CPU time.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <simlette/planner/plan.hpp>

#include <support/random_plan.hpp>

namespace {

using namespace simlette;

constexpr std::uint64_t requests = 500;
constexpr std::uint64_t property = 73;
constexpr std::uint64_t requests_of_many = 30;
constexpr std::uint64_t property_of_many = 99;
constexpr std::uint64_t efforts[] = {100, 1'000, 10'000};

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double over(Duration a, Duration b) {
    return b.ps == 0 ? 0 : static_cast<double>((a - b).ps) / static_cast<double>(b.ps);
}

// Gaps of plans, and what they took.
struct Account {
    std::vector<double> gaps;
    std::uint64_t proven = 0;
    double seconds = 0;
    double longest = 0;

    Plan take(const PlanRequest& request) {
        const double start = cpu_seconds();
        Plan made = plan(request);
        const double took = cpu_seconds() - start;
        seconds += took;
        longest = std::max(longest, took);
        proven += made.optimal ? 1 : 0;
        return made;
    }

    void print(const std::string& name) {
        std::sort(gaps.begin(), gaps.end());
        const auto none = std::count(gaps.begin(), gaps.end(), 0.0);
        const auto small = std::count_if(gaps.begin(), gaps.end(), [](double gap) { return gap <= 0.01; });
        fmt::print(
            "{}: {} requests, {} proven, gap 0 {}, within 1 % {}, p99 {:.2f} %, most {:.2f} %; CPU {:.2f} s, "
            "longest {:.2f} s\n",
            name, gaps.size(), proven, none, small, 100 * gaps[gaps.size() * 99 / 100], 100 * gaps.back(), seconds,
            longest);
    }
};

// 64 to 512 ranks, one to three meshes of one to three axes, 48 ports at most.
PlanRequest request_of(std::uint64_t seed) {
    Random random = Random(seed).fork(property);
    const auto bits = static_cast<unsigned>(random.between(6, 9));
    return random_plan_request(random, bits, 3, 48);
}

void cut_short_against_whole() {
    std::vector<Duration> best;
    Account whole;
    for (std::uint64_t seed = 1; seed <= requests; ++seed) {
        const Plan made = whole.take(request_of(seed));
        best.push_back(made.total);
        whole.gaps.push_back(over(made.total, made.bound));
    }
    whole.print("whole search, against its bound");
    for (const std::uint64_t effort : efforts) {
        Account cut;
        for (std::uint64_t seed = 1; seed <= requests; ++seed) {
            PlanRequest request = request_of(seed);
            request.effort = effort;
            cut.gaps.push_back(over(cut.take(request).total, best[seed - 1]));
        }
        cut.print(fmt::format("cut after {} nodes, against the whole search", effort));
    }
}

// Over 512 ranks, 12 to 40 ports.
PlanRequest request_of_many(std::uint64_t seed, std::size_t meshes) {
    Random random = Random(seed).fork(property_of_many);
    PlanRequest request;
    request.ranks = 512;
    request.ports = static_cast<std::uint32_t>(random.between(12, 40));
    request.latency = request.latency_across = {520'000};
    for (std::size_t mesh = 0; mesh < meshes; ++mesh) {
        request.meshes.push_back(random_mesh(random, 9, 1 + random.below(3), "m" + std::to_string(mesh)));
    }
    return request;
}

void many_meshes() {
    for (const std::size_t meshes : {4U, 6U}) {
        Account account;
        for (std::uint64_t seed = 1; seed <= requests_of_many; ++seed) {
            const Plan made = account.take(request_of_many(seed, meshes));
            account.gaps.push_back(over(made.total, made.bound));
        }
        account.print(fmt::format("{} meshes, against the bound", meshes));
    }
}

PlanCollective collective_of(const nlohmann::json& row) {
    const std::map<std::string, Primitive> primitives{{"all-reduce", Primitive::all_reduce},
                                                      {"all-to-all", Primitive::all_to_all},
                                                      {"all-gather", Primitive::all_gather},
                                                      {"reduce-scatter", Primitive::reduce_scatter}};
    PlanCollective collective;
    collective.primitive = primitives.at(row.at(0).get<std::string>());
    collective.calls = row.at(3).get<std::uint32_t>();
    collective.bytes = {row.at(4).get<std::int64_t>()};
    return collective;
}

// `mesh.axis`, or a mesh of one axis; axes that are not named have no collectives.
PlanRequest request_of(const nlohmann::json& collectives) {
    PlanRequest request;
    request.ranks = 512;
    request.ports = 36;
    request.latency = {520'000};
    std::map<std::string, std::map<std::string, PlanAxis>> meshes;
    for (const nlohmann::json& row : collectives) {
        const auto name = row.at(1).get<std::string>();
        PlanAxis& axis = meshes[name.substr(0, name.find('.'))][name];
        axis.name = name;
        axis.size = row.at(2).get<std::uint32_t>();
        axis.collectives.push_back(collective_of(row));
    }
    for (const auto& [name, axes] : meshes) {
        PlanMesh mesh{name, {}};
        std::uint32_t rest = request.ranks;
        for (const auto& [axis_name, axis] : axes) {
            mesh.axes.push_back(axis);
            rest /= axis.size;
        }
        mesh.axes.push_back({"rest", rest, {}});
        request.meshes.push_back(std::move(mesh));
    }
    return request;
}

void requests_of_file(const char* path) {
    const nlohmann::json file = nlohmann::json::parse(std::ifstream(path));
    Account account;
    for (const nlohmann::json& entry : file.at("requests")) {
        const Plan made = account.take(request_of(entry.at("collectives")));
        account.gaps.push_back(over(made.total, made.bound));
    }
    account.print(path);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) {
        requests_of_file(argv[1]);
    } else {
        cut_short_against_whole();
        many_meshes();
    }
}
