#include <simlette/fabric/message_table.hpp>

namespace simlette {

std::uint32_t MessageTable::add(const PortMessage& next, LinkId link, std::uint32_t port, Time injected) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(messages_.size()));
        messages_.emplace_back();
        ways_.emplace_back();
    }
    const std::uint32_t id = free_.back();
    free_.pop_back();
    const Injection& injection = *next.injection;
    const std::uint32_t peer = next.message.destination_rank;
    Message& message = messages_[id];
    const Transactions& transactions = next.transactions;
    message.flits = static_cast<std::uint32_t>(injection.read ? transactions.back : transactions.forward);
    ways_[id] = {next.message.destination, static_cast<std::uint32_t>(transactions.forward)};
    message.first_link = link;
    message.answer_link = no_id;
    message.collective = injection.collective;
    message.phase = injection.phase;
    message.source_rank = injection.read ? peer : injection.rank;
    message.destination_rank = injection.read ? injection.rank : peer;
    message.half = injection.read ? TransactionHalf::read_request : TransactionHalf::write;
    message.port = port;
    message.bytes = next.bytes.at(port);
    message.injected = injected;
    return id;
}

Delivery MessageTable::delivery(std::uint32_t id, bool asked, Time now) const {
    const Message& m = messages_[id];
    return {id,         asked, m.collective, m.phase, m.source_rank, m.destination_rank, m.port, m.flits, m.bytes,
            m.injected, now,   {},           nullptr, false};
}

void MessageTable::finish(std::uint32_t id, Time now) {
    const Message& m = messages_[id];
    totals_.flits += m.flits;
    totals_.payload_bytes += m.bytes.count;
    ++totals_.port_messages;
    totals_.last_delivery = now;
    hash_.add({m.collective, m.phase, m.source_rank, m.destination_rank, m.port, static_cast<std::uint64_t>(now.ps)});
    if (recording_) {
        records_.push_back({m.collective, m.phase, m.source_rank, m.destination_rank, m.port, m.bytes.count, m.flits,
                            m.injected, now});
    }
}

void MessageTable::clear() {
    messages_.clear();
    ways_.clear();
    free_.clear();
    records_.clear();
    totals_ = NetworkStatistics{};
    hash_ = {};
}

}  // namespace simlette
