// Random simulations with every kind of answer: none, a message, a transaction; reads and writes; tags.
#pragma once

#include <support/random_case.hpp>

namespace simlette {

// What is read must be answered.
inline void random_operations(Random& random, RandomCase& one) {
    for (CollectiveSpec& collective : one.collectives) {
        const bool read = one.fabric.responses != ResponsePolicy::none && one_in(random, 3);
        collective.operation = read ? Operation::read : Operation::write;
    }
}

inline void pack_transactions(Random& random, RandomCase& one) {
    one.fabric.fidelity = Fidelity::ualink;
    one.fabric.responses = ResponsePolicy::per_transaction;
    one.fabric.tags = one_in(random, 2) ? unlimited : random.between(128, 256);
    random_operations(random, one);
}

// 640 bytes a flit, a response per message.
inline RandomCase random_responses_case(Random& random) {
    RandomCase one = random_case(random);
    one.fabric.responses = ResponsePolicy::per_message;
    random_operations(random, one);
    return one;
}

inline RandomCase random_answered_case(Random& random) {
    RandomCase one = random_case(random);
    if (one_in(random, 3)) {
        pack_transactions(random, one);
        return one;
    }
    one.fabric.responses = one_in(random, 2) ? ResponsePolicy::per_message : ResponsePolicy::none;
    random_operations(random, one);
    return one;
}

}  // namespace simlette
