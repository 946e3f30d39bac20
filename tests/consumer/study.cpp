// A program of somebody else: files in, completion time out. Usage: study TOPOLOGY WORKLOAD
#include <cstdio>

#include <simlette/base/error.hpp>
#include <simlette/study/run.hpp>
#include <simlette/version.hpp>

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    simlette::RunInputs inputs;
    inputs.topology = argv[1];
    inputs.workload = argv[2];
    try {
        const simlette::RunReport report = simlette::run(simlette::load_run(inputs), inputs);
        if (!report.completion) {
            return 1;
        }
        std::printf("simlette %s: %lld ps\n", simlette::version(), static_cast<long long>(report.completion->ps));
    } catch (const simlette::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
