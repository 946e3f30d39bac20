// Every message of the library against a second, naive reading of the rules.
#include <catch2/catch.hpp>

#include <support/random_answers.hpp>
#include <support/reference_collectives.hpp>
#include <support/run.hpp>
#include <support/seeds.hpp>

using namespace simlette;

namespace {

void check(const RandomCase& one) {
    const ReferenceResult theirs = run_reference(one.fabric, one.collectives);
    for (const Engine engine : {Engine::reference, Engine::automatic}) {
        const RunResult ours = run(one.fabric, one.collectives, true, engine);
        CHECK(first_difference(ours.messages, theirs.messages) == "");
        CHECK(ours.ends == theirs.ends);
    }
}

}  // namespace

TEST_CASE("every port-message of a random simulation leaves and lands when the reference says") {
    for_each_seed(1, Cases::reference, [](Random& random) {
        const RandomCase one = random_case(random);
        INFO(text_of(one));
        check(one);
    });
}

TEST_CASE(
    "every port-message of a random simulation with responses and reads leaves and lands when the reference says") {
    for_each_seed(9, Cases::reference, [](Random& random) {
        const RandomCase one = random_responses_case(random);
        INFO(text_of(one));
        check(one);
    });
}
