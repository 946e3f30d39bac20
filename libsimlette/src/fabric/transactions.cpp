#include <simlette/fabric/transactions.hpp>

#include <algorithm>

namespace simlette {

namespace {

// Half-flits of a full control and what it implies; a control without data has a NOP beside it.
std::int64_t group_half_flits(const TlStream& stream) {
    return stream.inner_data > 0 ? 1 + stream.per_control * stream.inner_data : 2;
}

}  // namespace

std::int64_t Transactions::answers_due(std::int64_t arrived) const {
    if (arrived == forward) {
        return back;
    }
    if (!one_by_one) {
        return 0;
    }
    const std::int64_t controls = whole_transactions(forward_stream, arrived) / back_stream.per_control;
    const std::int64_t tl = controls * group_half_flits(back_stream) / 2;
    return std::min(tl * tl_flit_sectors / dl_flit_sectors, back - 1);
}

std::int64_t Transactions::opened(std::int64_t flits) const {
    const std::int64_t half_flits = 2 * ceil_div(flits * dl_flit_sectors, tl_flit_sectors);
    const std::int64_t controls = ceil_div(half_flits, group_half_flits(forward_stream));
    return std::min(controls * forward_stream.per_control, forward_stream.transactions);
}

Transactions packed_transactions(const TransactionRules& rules, Bytes bytes, bool read, std::int64_t per_control) {
    Transactions t;
    t.forward_stream = read ? read_request_stream(bytes, per_control)
                            : write_stream(bytes, {per_control, ByteEnables::where_needed, max_request});
    t.back_stream = read ? read_response_stream(bytes, compressed_responses_per_control)
                         : write_response_stream(t.forward_stream.transactions);
    t.forward = dl_flits(t.forward_stream);
    t.one_by_one = rules.responses == ResponsePolicy::per_transaction;
    t.back = read || t.one_by_one ? dl_flits(t.back_stream) : (rules.responses == ResponsePolicy::none ? 0 : 1);
    return t;
}

}  // namespace simlette
