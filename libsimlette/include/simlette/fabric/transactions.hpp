// The transactions of one port-message: how many flits go forward and back, and which answer follows which request.
#pragma once

#include <cstdint>

#include <simlette/base/export.hpp>
#include <simlette/fabric/spec.hpp>
#include <simlette/link/packing.hpp>

namespace simlette {

// How a fabric carries transactions, whatever the collective.
struct TransactionRules {
    Fidelity fidelity = Fidelity::paper;
    ResponsePolicy responses = ResponsePolicy::per_message;
    std::int64_t tags = unlimited;  // transactions of one port that may be open

    bool one_by_one() const { return responses == ResponsePolicy::per_transaction; }
};

// Forward go writes, or requests to read; back come responses, or data.
struct Transactions {
    std::int64_t forward = 0;  // flits
    std::int64_t back = 0;
    bool one_by_one = false;  // answers follow as transactions become whole, not only after the last forward flit
    TlStream forward_stream;  // of ualink
    TlStream back_stream;

    // Backward flits that can leave once so many forward ones have arrived: those that are filled by then.
    std::int64_t answers_due(std::int64_t arrived) const;
    // Transactions that the first so many forward flits have opened: a control opens all that it names.
    std::int64_t opened(std::int64_t flits) const;
    // Transactions that the first so many backward flits have closed.
    std::int64_t closed(std::int64_t flits) const { return whole_transactions(back_stream, flits); }
};

inline std::int64_t forward_flits(const TransactionRules& rules, Bytes bytes, bool read, std::int64_t per_control) {
    if (rules.fidelity == Fidelity::ualink) {
        return read ? read_request_flits(bytes, per_control) : write_flits(bytes, per_control);
    }
    return read ? 1 : flits_for(bytes);
}

// Of Fidelity::ualink.
SIMLETTE_EXPORT Transactions packed_transactions(const TransactionRules& rules, Bytes bytes, bool read,
                                                 std::int64_t per_control);

// `per_control`: requests that share a control half-flit (ualink). Requires: bytes > 0.
inline Transactions transactions_of(const TransactionRules& rules, Bytes bytes, bool read, std::int64_t per_control) {
    if (rules.fidelity == Fidelity::ualink) {
        return packed_transactions(rules, bytes, read, per_control);
    }
    Transactions t;
    t.forward = read ? 1 : flits_for(bytes);
    t.back = read ? flits_for(bytes) : (rules.responses == ResponsePolicy::none ? 0 : 1);
    return t;
}

}  // namespace simlette
