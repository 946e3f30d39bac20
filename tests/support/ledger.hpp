// An account of a simulation, kept from nothing but the starts of its flits: where every flit and every credit was at
// every instant. It takes no decision and counts what the invariants speak of.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include <simlette/fabric/built_fabric.hpp>

#include <support/reference_network.hpp>
#include <support/traffic.hpp>
#include <support/watched_queue.hpp>

namespace simlette {

class Ledger {
public:
    using Credits = std::vector<std::array<std::int64_t, channel_count>>;

    struct LinkAccount {
        std::array<std::int64_t, channel_count> credits{};    // at the sender
        std::array<std::int64_t, channel_count> on_wire{};    // flits
        std::array<std::int64_t, channel_count> in_buffer{};  // flits that hold a slot at the far end
        std::array<std::int64_t, channel_count> returning{};  // credits
        std::array<std::int64_t, channel_count> waiting{};    // flits for this link, before it
        std::array<Duration, channel_count> stall{};
        std::int64_t starts = 0;
        std::int64_t most_waiting = 0;
        Time free_at;
        std::uint32_t last_channel = 1;  // of the last grant; requests come first
    };
    struct Grant {
        Time at;
        LinkId input;
    };

    Ledger(const Fabric& fabric, const std::vector<PlainSend>& sends, const std::vector<MessageRecord>& records,
           const std::vector<FlitStart>& starts)
        : spec_(fabric.spec),
          graph_(fabric.graph),
          sends_(sends),
          starts_(starts),
          model_(std::in_place, fabric.spec),
          links_(graph_.links.size()) {
        for (LinkId id = 0; id < links_.size(); ++id) {
            links_[id].credits = graph_.class_of(id).credits;
            leaving_[{graph_.links[id].from, graph_.links[id].from_port}] = id;
        }
        for (const MessageRecord& record : records) {
            changes_.emplace(sends[record.collective].at,
                             Change{What::inject,
                                    link_from({sends[record.collective].source, record.port}),
                                    0,
                                    {record.collective, record.port}});
            unfinished_.emplace(Key{record.collective, record.port}, Unfinished{record, record.flits, record.flits});
        }
        for (const FlitStart& start : starts) {
            changes_.emplace(start.at, Change{What::decide, 0, 0, {}});
        }
    }

    // Calls check(t) after each instant.
    template <class Check>
    void replay(Check&& check) {
        std::size_t next = 0;
        while (!changes_.empty()) {
            const Time t = changes_.begin()->first;
            add_stalls(t);
            now_ = t;
            apply_all(t);
            if (nothing_outside()) {
                restart_channels();
            }
            inject_all(t);
            check_conservation();
            const auto able = able_channels();
            std::set<LinkId> started;
            for (; next < starts_.size() && starts_[next].at == t; ++next) {
                FlitStart one = starts_[next];
                promise(started.insert(one.link).second, "a link starts one flit at a time");
                one.freed = one.freed == no_id ? input_in_turn(one) : one.freed;
                start(one, able[one.link]);
            }
            check_work_conserved(able, started);
            check_conservation();
            check(t);
        }
        promise(next == starts_.size(), "every start is accounted for");
        promise(unfinished_.empty(), "every message is delivered");
        promise(unanswered_.empty(), "every request has its response");
    }

    const std::vector<LinkAccount>& links() const { return links_; }
    Credits credits() const {
        Credits all;
        for (const LinkAccount& link : links_) {
            all.push_back(link.credits);
        }
        return all;
    }
    bool nothing_outside() const {
        for (LinkId id = 0; id < links_.size(); ++id) {
            for (std::size_t c = 0; c < channel_count; ++c) {
                const LinkAccount& a = links_[id];
                if (a.on_wire[c] + a.in_buffer[c] + a.returning[c] + a.waiting[c] != 0) {
                    return false;
                }
            }
        }
        return true;
    }
    std::int64_t delivered_flits() const { return delivered_; }
    std::int64_t responses() const { return responses_; }

private:
    using Key = std::pair<std::uint32_t, std::uint32_t>;  // send, port
    enum class What { arrive, slot_free, credit, inject, decide };
    struct Flit {
        std::uint32_t send = 0;
        std::uint32_t port = 0;  // of the source
    };
    struct Change {
        What what;
        LinkId link;
        std::uint32_t channel;
        Flit flit;
    };
    struct Unfinished {
        MessageRecord record;
        std::int64_t unsent;
        std::int64_t left;
    };
    struct QueueKey {
        LinkId out;
        LinkId in;
        std::uint32_t channel;
        bool operator<(const QueueKey& o) const {
            return std::tie(out, in, channel) < std::tie(o.out, o.in, o.channel);
        }
    };
    struct Waiting {
        std::deque<Flit> flits;
        Time since;  // not empty from then on
    };

    static void promise(bool kept, const char* text) {
        if (!kept) {
            FAIL(text);
        }
    }

    LinkId link_from(ReferencePort port) const {
        const auto found = leaving_.find(port);
        promise(found != leaving_.end(), "a link leaves this port");
        return found->second;
    }
    bool to_core(LinkId id) const { return graph_.links[id].to < graph_.accelerators; }

    // Arrivals by link, so that at a switch they come by its ports.
    void apply_all(Time t) {
        std::map<LinkId, Change> arrivals;
        for (auto it = changes_.lower_bound(t); it != changes_.upper_bound(t); ++it) {
            if (it->second.what == What::arrive) {
                promise(arrivals.emplace(it->second.link, it->second).second, "one flit at a time leaves a link");
            } else if (it->second.what != What::inject && it->second.what != What::decide) {
                apply(it->second);
            }
        }
        for (const auto& [link, arrival] : arrivals) {
            apply(arrival);
        }
        // A slot that frees at t may return its credit at t.
        for (auto it = at_once_.begin(); it != at_once_.end(); it = at_once_.erase(it)) {
            apply(*it);
        }
    }

    void inject_all(Time t) {
        std::map<std::uint32_t, std::vector<Change>> in_order;
        for (auto it = changes_.lower_bound(t); it != changes_.upper_bound(t); it = changes_.erase(it)) {
            if (it->second.what == What::inject) {
                in_order[it->second.flit.send].push_back(it->second);
            }
        }
        for (const auto& [send, changes] : in_order) {
            for (const Change& change : changes) {
                const std::int64_t flits = unfinished_.at({send, change.flit.port}).left;
                for (std::int64_t flit = 0; flit < flits; ++flit) {
                    enqueue(change.link, no_id, 0, change.flit);
                }
            }
        }
    }

    void apply(const Change& change) {
        LinkAccount& link = links_[change.link];
        const std::uint32_t c = change.channel;
        switch (change.what) {
            case What::arrive:
                --link.on_wire[c];
                ++link.in_buffer[c];
                if (to_core(change.link)) {
                    reach_core(change);
                } else {
                    enqueue(way_on(change), change.link, c, change.flit);
                }
                break;
            case What::slot_free:
                free_slot(change.link, c);
                break;
            case What::credit:
                --link.returning[c];
                ++link.credits[c];
                break;
            case What::inject:
            case What::decide:
                break;
        }
    }

    // Where a flit goes: responses go home.
    std::uint32_t goal(const Change& change) const {
        const PlainSend& send = sends_[change.flit.send];
        return change.channel == 0 ? send.destination : send.source;
    }

    LinkId way_on(const Change& change) {
        const auto queued = [&](ReferencePort port) {
            const LinkAccount& way = links_[link_from(port)];
            return way.waiting[0] + way.waiting[1];
        };
        const PlainSend& send = sends_[change.flit.send];
        const std::size_t id = (change.flit.send * std::size_t{1'024} + change.flit.port) * 2 + change.channel;
        const ReferenceMessage message{{}, send.source, send.destination, false, change.channel};
        const HostLink& link = graph_.links[change.link];
        return link_from(model_->choose({link.to, link.to_port}, id, message, queued));
    }

    void reach_core(const Change& change) {
        promise(graph_.links[change.link].to == goal(change), "a flit reaches its destination");
        free_slot(change.link, change.channel);
        if (change.channel == 1) {
            promise(unanswered_.erase({change.flit.send, change.flit.port}) == 1, "no request has two responses");
            ++responses_;
            return;
        }
        const auto found = unfinished_.find({change.flit.send, change.flit.port});
        promise(found != unfinished_.end(), "no flit is delivered twice");
        if (--found->second.left == 0) {
            promise(found->second.record.delivered == now_, "a message is delivered with its last flit");
            unfinished_.erase(found);
            if (spec_.responses != ResponsePolicy::none) {
                unanswered_.insert({change.flit.send, change.flit.port});
                enqueue(link_from({goal(change), change.flit.port}), no_id, 1, change.flit);
            }
        }
        ++delivered_;
    }

    void free_slot(LinkId id, std::uint32_t c) {
        --links_[id].in_buffer[c];
        if (graph_.class_of(id).credits[c] == unlimited) {
            return;
        }
        ++links_[id].returning[c];
        const Change credit{What::credit, id, c, {}};
        const Duration back = graph_.class_of(id).credit_return;
        if (back == Duration{0}) {
            at_once_.push_back(credit);
        } else {
            changes_.emplace(now_ + back, credit);
        }
    }

    void enqueue(LinkId out, LinkId in, std::uint32_t c, Flit flit) {
        Waiting& queue = waiting_[{out, in, c}];
        if (queue.flits.empty()) {
            queue.since = now_;
        }
        queue.flits.push_back(flit);
        ++links_[out].waiting[c];
    }

    // Which channels of each link have a flit and a credit while the wire is free: bit per channel.
    std::vector<unsigned> able_channels() const {
        std::vector<unsigned> able(links_.size(), 0);
        for (LinkId id = 0; id < links_.size(); ++id) {
            for (std::size_t c = 0; c < channel_count && links_[id].free_at <= now_; ++c) {
                able[id] |= links_[id].waiting[c] > 0 && links_[id].credits[c] > 0 ? 1U << c : 0U;
            }
        }
        return able;
    }

    // Two flits on one link never overlap; the channels take turns when both could; so do the inputs.
    void start(const FlitStart& start, unsigned able) {
        LinkAccount& link = links_[start.link];
        promise(link.free_at <= start.at, "two flits on one link never overlap");
        promise((able >> start.channel & 1U) == 1U, "a flit leaves that is there and has a credit");
        promise(able != 3U || start.channel != link.last_channel, "channels take turns when both could send");
        link.last_channel = start.channel;
        link.free_at = start.at + graph_.class_of(start.link).flit_time;
        ++link.starts;
        take_flit(start);
        --link.waiting[start.channel];
        link.credits[start.channel] -= graph_.class_of(start.link).credits[start.channel] == unlimited ? 0 : 1;
        ++link.on_wire[start.channel];
    }

    // Without credits no slot is freed: then the input of a flit is the next after the last one served that waits.
    LinkId input_in_turn(const FlitStart& start) {
        const auto grants = grants_.find({start.link, start.channel});
        const LinkId last = grants == grants_.end() ? no_id : grants->second.back().input;
        LinkId lowest = no_id;
        LinkId next = no_id;
        for (const auto& [key, queue] : waiting_) {
            if (key.out == start.link && key.channel == start.channel && !queue.flits.empty()) {
                lowest = std::min(lowest, key.in);
                next = last != no_id && key.in > last ? std::min(next, key.in) : next;
            }
        }
        return next == no_id ? lowest : next;
    }

    void take_flit(const FlitStart& start) {
        const LinkClass& kind = graph_.class_of(start.link);
        Waiting& queue = waiting_[{start.link, start.freed, start.channel}];
        promise(!queue.flits.empty(), "a flit leaves from where it waits");
        const Flit flit = queue.flits.front();
        check_turns(start);
        if (start.channel == 0) {
            check_injection(flit, start);
        }
        queue.flits.pop_front();
        if (start.freed != no_id) {
            changes_.emplace(start.at + kind.flit_time, Change{What::slot_free, start.freed, start.channel, flit});
        }
        changes_.emplace(start.at + kind.flit_time + kind.latency.total(),
                         Change{What::arrive, start.link, start.channel, flit});
    }

    void check_injection(Flit flit, const FlitStart& start) {
        Unfinished& message = unfinished_.at({flit.send, flit.port});
        if (start.freed == no_id && message.unsent-- == message.record.flits) {
            promise(message.record.injected == start.at, "a message is injected with its first flit");
        }
    }

    // Between two grants to one input, every other that waits all the time is served at least once; exactly once if the
    // input itself waits all the time.
    void check_turns(const FlitStart& start) {
        std::vector<Grant>& grants = grants_[{start.link, start.channel}];
        auto last = grants.rbegin();
        std::map<LinkId, int> served;
        while (last != grants.rend() && last->input != start.freed) {
            ++served[last->input];
            ++last;
        }
        if (last != grants.rend()) {
            const bool always = waiting_[{start.link, start.freed, start.channel}].since <= last->at;
            for (const auto& [key, queue] : waiting_) {
                if (key.out == start.link && key.channel == start.channel && key.in != start.freed &&
                    !queue.flits.empty() && queue.since <= last->at) {
                    promise(served[key.in] == 1 || (served[key.in] > 1 && !always),
                            "inputs that wait are served in turn");
                }
            }
        }
        grants.push_back({start.at, start.freed});
    }

    // Credits in hand, flits on the wire, flits in the buffer and credits on their way back are what the buffer holds.
    void check_conservation() const {
        for (LinkId id = 0; id < links_.size(); ++id) {
            const LinkAccount& a = links_[id];
            for (std::size_t c = 0; c < channel_count; ++c) {
                const std::int64_t size = graph_.class_of(id).credits[c];
                if (size != unlimited) {
                    promise(a.credits[c] >= 0 && a.credits[c] <= size, "credits lie between 0 and the buffer");
                    promise(a.credits[c] + a.on_wire[c] + a.in_buffer[c] + a.returning[c] == size,
                            "credits are neither lost nor made");
                }
                promise(a.in_buffer[c] >= 0 && a.in_buffer[c] <= size, "a buffer holds what it can");
            }
        }
    }

    // A link is idle only if no flit with a credit waits for it.
    void check_work_conserved(const std::vector<unsigned>& able, const std::set<LinkId>& started) {
        for (LinkId id = 0; id < links_.size(); ++id) {
            promise((able[id] != 0) == (started.count(id) == 1), "a link is idle only if no flit with a credit waits");
            const std::int64_t waiting = links_[id].waiting[0] + links_[id].waiting[1];
            links_[id].most_waiting = std::max(links_[id].most_waiting, waiting);
        }
    }

    // Of the time since the last instant.
    void add_stalls(Time t) {
        for (LinkAccount& link : links_) {
            const Time from = std::max(now_, link.free_at);
            for (std::size_t c = 0; c < channel_count && from < t; ++c) {
                if (link.waiting[c] > 0 && link.credits[c] == 0) {
                    link.stall[c] += t - from;
                }
            }
        }
    }

    void restart_channels() {
        for (LinkAccount& link : links_) {
            link.last_channel = 1;
        }
        grants_.clear();
        model_.emplace(spec_);
    }

    const FabricSpec& spec_;
    const HostGraph& graph_;
    const std::vector<PlainSend>& sends_;
    const std::vector<FlitStart>& starts_;
    std::optional<ReferenceNetwork> model_;  // says which way a flit goes on
    std::vector<LinkAccount> links_;
    std::map<ReferencePort, LinkId> leaving_;
    std::multimap<Time, Change> changes_;
    std::vector<Change> at_once_;
    std::map<QueueKey, Waiting> waiting_;
    std::map<std::pair<LinkId, std::uint32_t>, std::vector<Grant>> grants_;
    std::map<Key, Unfinished> unfinished_;
    std::set<Key> unanswered_;
    std::int64_t responses_ = 0;
    std::int64_t delivered_ = 0;
    Time now_;
};

}  // namespace simlette
