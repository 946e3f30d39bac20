#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <simlette/base/random.hpp>
#include <simlette/link/packing.hpp>

using namespace simlette;
using namespace simlette::literals;

namespace {

using Counts = std::vector<std::int64_t>;

// One half-flit. A control carries the number of its data half-flits, as the lengths in its requests would; data
// carries its place in the stream.
struct Half {
    enum Kind { control, data, nop } kind = nop;
    std::int64_t value = 0;
};

struct TlFlit {
    Half lower;
    Half upper;
};

// The rules, half-flit by half-flit: the oracle of the closed forms. `data_of[i]` belongs to control i.
std::vector<TlFlit> walk(const Counts& data_of) {
    std::vector<TlFlit> flits;
    std::size_t next = 0;
    std::int64_t pending = 0;
    std::int64_t place = 0;
    const auto data = [&] {
        --pending;
        return Half{Half::data, place++};
    };
    while (next < data_of.size() || pending > 0) {
        if (pending >= 2) {
            const Half lower = data();
            flits.push_back({lower, data()});
        } else if (pending == 1) {
            const Half last = data();
            flits.push_back({Half{}, last});
            if (next < data_of.size()) {
                pending = data_of[next++];
                flits.back().lower = {Half::control, pending};
            }
        } else {
            pending = data_of[next++];
            const Half lower{Half::control, pending};
            flits.push_back({lower, pending > 0 ? data() : Half{}});
        }
    }
    return flits;
}

// What a receiver reads out of the flits: the data half-flits that each control got, by their places in the stream.
std::vector<Counts> unpack(const std::vector<TlFlit>& flits) {
    std::vector<Counts> received;
    std::size_t open = 0;  // the control whose data comes next
    Counts due;
    const auto take = [&](const Half& half) {
        if (half.kind == Half::control) {
            received.emplace_back();
            due.push_back(half.value);
        } else if (half.kind == Half::data) {
            while (due.at(open) == 0) {
                ++open;
            }
            received[open].push_back(half.value);
            --due[open];
        }
    };
    for (const TlFlit& flit : flits) {
        take(flit.lower);
        take(flit.upper);
    }
    return received;
}

Counts random_stream(Random& random, std::int64_t least, std::int64_t most) {
    Counts data_of(random.below(41));
    for (std::int64_t& data : data_of) {
        data = random.between(least, most);
    }
    return data_of;
}

std::int64_t sum(const Counts& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

std::int64_t size(const Counts& values) {
    return static_cast<std::int64_t>(values.size());
}

// A message cut into requests by going from one boundary to the next.
struct Piece {
    std::int64_t begin;
    std::int64_t end;
};

std::vector<Piece> cut(std::int64_t bytes, std::int64_t offset, std::int64_t request) {
    std::vector<Piece> pieces;
    for (std::int64_t at = offset; at < offset + bytes;) {
        const std::int64_t boundary = (at / request + 1) * request;
        pieces.push_back({at, std::min(boundary, offset + bytes)});
        at = pieces.back().end;
    }
    return pieces;
}

std::int64_t blocks_touched(const Piece& piece) {
    return (piece.end - 1) / 64 - piece.begin / 64 + 1;
}

bool is_whole_blocks(const Piece& piece) {
    return piece.begin % 64 == 0 && piece.end % 64 == 0;
}

// The data half-flits of each transaction, folded into one count for each control.
Counts folded(const Counts& data_of_transaction, std::int64_t per_control) {
    Counts data_of_control;
    for (std::size_t i = 0; i < data_of_transaction.size(); ++i) {
        if (i % static_cast<std::size_t>(per_control) == 0) {
            data_of_control.push_back(0);
        }
        data_of_control.back() += data_of_transaction[i];
    }
    return data_of_control;
}

// The TL flit in which each transaction ends: that of its last data half-flit or, without data, of its control.
Counts last_tl_flits(const Counts& data_of_transaction, std::int64_t per_control) {
    const std::vector<TlFlit> flits = walk(folded(data_of_transaction, per_control));
    Counts flit_of_data;
    Counts flit_of_control;
    for (std::size_t t = 0; t < flits.size(); ++t) {
        for (const Half& half : {flits[t].lower, flits[t].upper}) {
            if (half.kind == Half::data) {
                flit_of_data.push_back(static_cast<std::int64_t>(t));
            } else if (half.kind == Half::control) {
                flit_of_control.push_back(static_cast<std::int64_t>(t));
            }
        }
    }
    Counts last;
    std::size_t data = 0;
    for (std::size_t i = 0; i < data_of_transaction.size(); ++i) {
        data += static_cast<std::size_t>(data_of_transaction[i]);
        last.push_back(data_of_transaction[i] > 0 ? flit_of_data.at(data - 1)
                                                  : flit_of_control.at(i / static_cast<std::size_t>(per_control)));
    }
    return last;
}

// Compares a stream with the walk of its transactions, flit by flit.
void check_stream(const TlStream& stream, const Counts& data_of_transaction) {
    const Counts data_of_control = folded(data_of_transaction, stream.per_control);
    REQUIRE(stream.transactions == size(data_of_transaction));
    REQUIRE(tl_flits(stream) == static_cast<std::int64_t>(walk(data_of_control).size()));
    const Counts last = last_tl_flits(data_of_transaction, stream.per_control);
    const std::int64_t flits = dl_flits(stream);
    for (std::int64_t k = 0; k <= flits + 2; ++k) {
        CAPTURE(k);
        const auto whole =
            std::count_if(last.begin(), last.end(), [&](std::int64_t t) { return 64 * (t + 1) <= 628 * k; });
        REQUIRE(whole_transactions(stream, k) == whole);
    }
    REQUIRE(whole_transactions(stream, flits) == stream.transactions);
    REQUIRE((flits == 0 || tl_flits(stream) * 64 > 628 * (flits - 1)));
}

TlStream writes(Bytes bytes, std::int64_t per_control, ByteEnables enables = ByteEnables::where_needed) {
    return write_stream(bytes, {per_control, enables, max_request});
}

// Payload per wire byte in thousandths, rounded half up, as the tables print it.
std::int64_t permille(Bytes payload, std::int64_t flits) {
    return (payload.count * 2'000 / (flits * 640) + 1) / 2;
}

// Whether payload is exactly n/d of the TL bytes, and these 628 of the 640 bytes of every DL flit.
bool is_share(Bytes payload, std::int64_t tl, std::int64_t n, std::int64_t d) {
    return payload.count * d == tl * 64 * n && payload.count * d == dl_flits_straddling(tl) * 628 * n;
}

}  // namespace

TEST_CASE("the closed form of TL flits equals the half-flit walk where every control implies data") {
    for (std::uint64_t seed = 1; seed <= 70'000; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Counts data_of = random_stream(random, 1, random.between(1, 40));
        REQUIRE(tl_flits(size(data_of), sum(data_of)) == static_cast<std::int64_t>(walk(data_of).size()));
    }
}

TEST_CASE("controls without data keep the walk between the bounds, and both bounds are reached") {
    std::int64_t at_least = 0;
    std::int64_t at_most = 0;
    for (std::uint64_t seed = 1; seed <= 50'000; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Counts data_of = random_stream(random, 0, random.between(0, 9));
        const std::int64_t without_data = std::count(data_of.begin(), data_of.end(), 0);
        const TlFlitBounds bounds = tl_flit_bounds(size(data_of), sum(data_of), without_data);
        const auto walked = static_cast<std::int64_t>(walk(data_of).size());
        REQUIRE(bounds.least <= walked);
        REQUIRE(walked <= bounds.most);
        at_least += bounds.least < bounds.most && walked == bounds.least ? 1 : 0;
        at_most += bounds.least < bounds.most && walked == bounds.most ? 1 : 0;
    }
    CHECK((at_least > 0 && at_most > 0));
}

TEST_CASE("a receiver finds every data half-flit with its control, and controls in lower halves only") {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Counts data_of = random_stream(random, 0, 9);
        const std::vector<TlFlit> flits = walk(data_of);
        REQUIRE(std::all_of(flits.begin(), flits.end(), [](const TlFlit& f) { return f.upper.kind != Half::control; }));
        const std::vector<Counts> received = unpack(flits);
        REQUIRE(received.size() == data_of.size());
        std::int64_t place = 0;
        for (std::size_t control = 0; control < received.size(); ++control) {
            REQUIRE(size(received[control]) == data_of[control]);
            for (const std::int64_t data : received[control]) {
                REQUIRE(data == place++);
            }
        }
    }
}

TEST_CASE("16 DL flits hold 157 TL flits, of which at most two start in a segment") {
    CHECK(dl_flits_straddling(157) == 16);
    CHECK(dl_flits_straddling(158) == 17);
    CHECK(dl_flits_straddling(157 * 1'000'000) == 16 * 1'000'000);
    constexpr std::array<std::int64_t, 5> segments{128, 128, 128, 124, 120};
    CHECK(std::accumulate(segments.begin(), segments.end(), std::int64_t{0}) == dl_payload.count);
    std::int64_t at = 0;
    std::int64_t started = 0;
    for (std::size_t segment = 0; segment < 16 * segments.size(); ++segment) {
        const std::int64_t end = at + segments[segment % segments.size()];
        const std::int64_t starts = (end + 63) / 64 - (at + 63) / 64;
        CHECK(starts <= 2);
        started += starts;
        at = end;
    }
    CHECK(started == 157);
}

TEST_CASE("DL flits never fall with more TL flits, and two streams together never take more than apart") {
    for (std::int64_t a = 0; a <= 400; ++a) {
        REQUIRE(dl_flits_straddling(a) <= dl_flits_straddling(a + 1));
        REQUIRE(dl_flits_straddling(a) <= dl_flits_packed(a));
        for (std::int64_t b = 0; b <= 400; ++b) {
            REQUIRE(dl_flits_straddling(a + b) <= dl_flits_straddling(a) + dl_flits_straddling(b));
            REQUIRE(dl_flits_packed(a + b) <= dl_flits_packed(a) + dl_flits_packed(b));
        }
    }
}

TEST_CASE("a longer write never takes fewer flits, unless its last request becomes a WriteFull") {
    for (const std::int64_t per_control : {2, 3, 4}) {
        std::int64_t falls = 0;
        for (std::int64_t bytes = 0; bytes < 60'000; ++bytes) {
            CAPTURE(per_control, bytes);
            REQUIRE(dl_flits(writes({bytes}, per_control, ByteEnables::always)) <=
                    dl_flits(writes({bytes + 1}, per_control, ByteEnables::always)));
            const std::int64_t more = write_flits({bytes + 1}, per_control) - write_flits({bytes}, per_control);
            REQUIRE((more >= 0 || (more == -1 && (bytes + 1) % 64 == 0)));
            falls += more < 0 ? 1 : 0;
            REQUIRE(write_flits({bytes + 64 - bytes % 64}, per_control) >=
                    write_flits({bytes - bytes % 64}, per_control));
        }
        CHECK(falls > 0);
    }
}

TEST_CASE("two writes in one port-message never take more flits than apart") {
    for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Bytes a{random.between(0, 20'000)};
        const Bytes b{random.between(0, 20'000)};
        const std::int64_t per_control = random.between(1, 4);
        REQUIRE(write_flits(a + b, per_control) <= write_flits(a, per_control) + write_flits(b, per_control));
        REQUIRE(read_response_flits(a + b, 8) <= read_response_flits(a, 8) + read_response_flits(b, 8));
    }
}

TEST_CASE("writes take the TL and DL flits of the golden table") {
    using Cell = std::array<std::int64_t, 2>;  // TL flits, DL flits
    struct Row {
        Bytes payload;
        std::int64_t requests;
        std::int64_t opaque;
        std::array<Cell, 4> cells;  // WriteFull with 4, 3 and 2 requests a control; Write with 2
        std::int64_t whole_tl_flits_only;
        std::array<std::int64_t, 3> goodput;  // in thousandths, of all but the second cell
    };
    const std::array<Row, 5> table{{
        {64_B, 1, 1, {{{2, 1}, {2, 1}, {2, 1}, {2, 1}}}, 1, {100, 100, 100}},
        {256_B, 1, 1, {{{5, 1}, {5, 1}, {5, 1}, {5, 1}}}, 1, {400, 400, 400}},
        {4_KiB, 16, 7, {{{66, 7}, {67, 7}, {68, 7}, {76, 8}}}, 8, {914, 914, 800}},
        {40_KiB, 160, 64, {{{660, 68}, {667, 68}, {680, 70}, {760, 78}}}, 74, {941, 914, 821}},
        {1_MiB, 4096, 1639, {{{16896, 1722}, {17067, 1740}, {17408, 1775}, {19456, 1983}}}, 1878, {951, 923, 826}},
    }};
    for (const Row& row : table) {
        CAPTURE(row.payload.count);
        CHECK(split_requests(row.payload).count == row.requests);
        CHECK(flits_for(row.payload) == row.opaque);
        const std::array<TlStream, 4> streams{writes(row.payload, 4), writes(row.payload, 3), writes(row.payload, 2),
                                              writes(row.payload, 2, ByteEnables::always)};
        for (std::size_t i = 0; i < streams.size(); ++i) {
            CAPTURE(i);
            CHECK(tl_flits(streams[i]) == row.cells[i][0]);
            CHECK(dl_flits(streams[i]) == row.cells[i][1]);
        }
        CHECK(dl_flits_packed(tl_flits(streams[0])) == row.whole_tl_flits_only);
        CHECK(permille(row.payload, dl_flits(streams[0])) == row.goodput[0]);
        CHECK(permille(row.payload, dl_flits(streams[2])) == row.goodput[1]);
        CHECK(permille(row.payload, dl_flits(streams[3])) == row.goodput[2]);
        CHECK(write_flits(row.payload, 4) == row.cells[0][1]);
    }
    CHECK(dl_flits_straddling(40'960 / 64) == 66);  // without any control half-flit
}

TEST_CASE("write responses are batched, eight in a TL flit") {
    const std::array<std::array<std::int64_t, 3>, 6> table{
        {{0, 0, 0}, {1, 1, 1}, {16, 2, 1}, {160, 20, 3}, {4096, 512, 53}, {302, 38, 4}}};
    for (const auto& [requests, tl, dl] : table) {
        CHECK(tl_flits(write_response_stream(requests)) == tl);
        CHECK(write_response_flits(requests) == dl);
    }
}

TEST_CASE("reads take the TL and DL flits of the golden table") {
    struct Row {
        Bytes payload;
        std::int64_t requests_compressed;
        std::int64_t requests_plain;
        std::int64_t request_dl;
        std::array<std::int64_t, 2> batched;  // TL, DL
        std::array<std::int64_t, 2> single;
        std::int64_t goodput;
    };
    const std::array<Row, 5> table{{
        {64_B, 1, 1, 1, {2, 1}, {2, 1}, 100},
        {256_B, 1, 1, 1, {5, 1}, {5, 1}, 400},
        {4_KiB, 4, 8, 1, {65, 7}, {72, 8}, 914},
        {40_KiB, 40, 80, 5, {650, 67}, {720, 74}, 955},
        {1_MiB, 1024, 2048, 105, {16640, 1696}, {18432, 1879}, 966},
    }};
    for (const Row& row : table) {
        CAPTURE(row.payload.count);
        CHECK(tl_flits(read_request_stream(row.payload, compressed_requests_per_control)) == row.requests_compressed);
        CHECK(tl_flits(read_request_stream(row.payload, plain_requests_per_control)) == row.requests_plain);
        CHECK(read_request_flits(row.payload, compressed_requests_per_control) == row.request_dl);
        CHECK(tl_flits(read_response_stream(row.payload, compressed_responses_per_control)) == row.batched[0]);
        CHECK(read_response_flits(row.payload, compressed_responses_per_control) == row.batched[1]);
        CHECK(tl_flits(read_response_stream(row.payload, 1)) == row.single[0]);
        CHECK(read_response_flits(row.payload, 1) == row.single[1]);
        CHECK(permille(row.payload, row.batched[1]) == row.goodput);
    }
}

TEST_CASE("long streams reach their share of the link exactly") {
    constexpr std::int64_t requests = 2 * 157 * 24;  // whole controls of 2, 3, 4 and 8, and whole runs of 157 TL flits
    constexpr Bytes bytes = max_request * requests;
    CHECK(is_share(bytes, tl_flits(read_response_stream(bytes, 8)), 64, 65));
    CHECK(is_share(bytes, tl_flits(writes(bytes, 4)), 32, 33));
    CHECK(is_share(bytes, tl_flits(writes(bytes, 3)), 24, 25));
    CHECK(is_share(bytes, tl_flits(writes(bytes, 2)), 16, 17));
    CHECK(is_share(bytes, tl_flits(writes(bytes, 2, ByteEnables::always)), 16, 19));
    CHECK(is_share(bytes, tl_flits(write_stream(bytes, {4, ByteEnables::where_needed, 64_B})), 8, 9));
    // With a half-flit of authentication tags behind every control.
    CHECK(is_share(bytes, tl_flits(requests / 4, requests * 8 + requests / 4), 16, 17));
}

TEST_CASE("short writes take none, one or two flits more than bare payload, as often as the table says") {
    const std::array<std::array<std::int64_t, 3>, 6> spot_values{
        {{576, 1, 2}, {640, 1, 2}, {1024, 2, 2}, {3072, 5, 6}, {8192, 13, 14}, {16384, 26, 27}}};
    for (const auto& [bytes, opaque, packed] : spot_values) {
        CAPTURE(bytes);
        CHECK(flits_for({bytes}) == opaque);
        CHECK(write_flits({bytes}, 4) == packed);
    }
    const auto extra = [](std::int64_t from, std::int64_t to, std::int64_t per_control) {
        Counts times(3);
        for (std::int64_t bytes = from; bytes <= to; bytes += 64) {
            ++times.at(static_cast<std::size_t>(write_flits({bytes}, per_control) - flits_for({bytes})));
        }
        return times;
    };
    CHECK(extra(64, 4096, 4) == Counts{48, 16, 0});       // of 64: 75 % take none more
    CHECK(extra(64, 4096, 2) == Counts{42, 22, 0});       // 66 %
    CHECK(extra(4096, 16384, 4) == Counts{32, 147, 14});  // of 193: 17, 76 and 7 %
}

TEST_CASE("no request crosses a boundary, and their sizes add up to the message") {
    for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const std::int64_t request = std::int64_t{64} << random.below(3);
        const std::int64_t bytes = random.between(0, random.below(2) == 0 ? 600 : 5'000);
        const std::int64_t offset = random.between(0, 3'000);
        const std::vector<Piece> pieces = cut(bytes, offset, request);
        const RequestSplit split = split_requests({bytes}, {offset}, {request});
        REQUIRE(split.count == static_cast<std::int64_t>(pieces.size()));
        std::int64_t at = offset;
        for (std::int64_t i = 0; i < split.count; ++i) {
            const std::int64_t end = at + split.size(i).count;
            REQUIRE(end > at);
            REQUIRE(at / 256 == (end - 1) / 256);
            REQUIRE(end == pieces[static_cast<std::size_t>(i)].end);
            at = end;
        }
        REQUIRE(at == offset + bytes);
    }
}

TEST_CASE("a message that starts or ends inside a region has partial requests at both ends") {
    const RequestSplit both = split_requests(600_B, 200_B);
    CHECK(both.count == 4);
    CHECK(both.first == 56_B);
    CHECK(both.inner == 256_B);
    CHECK(both.last == 32_B);
    const RequestSplit inside = split_requests(10_B, 250_B);
    CHECK(inside.count == 2);
    CHECK((inside.first == 6_B && inside.last == 4_B));
    const RequestSplit one = split_requests(6_B, 250_B);
    CHECK(one.count == 1);
    CHECK((one.first == 6_B && one.last == 6_B));
    CHECK(split_requests(0_B, 250_B).count == 0);
    CHECK(split_requests(max_message).count == max_message.count / 256);
    CHECK_THROWS(split_requests({max_message.count + 1}));
    CHECK_THROWS(split_requests(1_KiB, 0_B, 192_B));
}

TEST_CASE("a partial request travels in whole blocks, with byte enables") {
    CHECK(writes(256_B, 4).first_data == 8);
    CHECK(writes(255_B, 4).first_data == 9);
    CHECK(writes(192_B, 4).first_data == 6);
    CHECK(writes(100_B, 4).first_data == 5);
    CHECK(writes(1_B, 4).first_data == 3);
    CHECK(writes(64_B, 4, ByteEnables::always).first_data == 3);
    CHECK(writes(256_B, 4, ByteEnables::always).first_data == 9);
    CHECK(write_stream(64_B, {}, 32_B).first_data == 5);  // two blocks touched
    CHECK(write_stream(64_B, {}, 64_B).first_data == 2);
    CHECK(read_response_stream(100_B, 8).first_data == 4);
}

TEST_CASE("transactions become whole with the DL flit in which the walk ends them") {
    for (std::uint64_t seed = 1; seed <= 4'000; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const std::int64_t request = std::int64_t{64} << random.below(3);
        const std::int64_t bytes = random.between(0, random.below(4) == 0 ? 20'000 : 3'000);
        const std::int64_t offset = random.below(2) == 0 ? 0 : random.between(0, 500);
        const std::int64_t per_control = random.between(1, 8);
        const bool always = random.below(4) == 0;
        CAPTURE(request, bytes, offset, per_control, always);

        Counts written;
        for (const Piece& piece : cut(bytes, offset, request)) {
            written.push_back(2 * blocks_touched(piece) + (always || !is_whole_blocks(piece) ? 1 : 0));
        }
        const ByteEnables enables = always ? ByteEnables::always : ByteEnables::where_needed;
        check_stream(write_stream({bytes}, {per_control, enables, {request}}, {offset}), written);

        Counts read;
        for (const Piece& piece : cut(bytes, offset, 256)) {
            read.push_back(2 * blocks_touched(piece));
        }
        check_stream(read_response_stream({bytes}, per_control, {offset}), read);
        const Counts bare(read.size(), 0);
        check_stream(read_request_stream({bytes}, per_control, {offset}), bare);
        check_stream(write_response_stream(size(bare), per_control), bare);
    }
}

TEST_CASE("the largest message is packed without overflow") {
    const TlStream stream = writes(max_message, 1, ByteEnables::always);
    CHECK(tl_flits(stream) == max_message.count / 256 * 5);
    const std::int64_t flits = dl_flits(stream);
    CHECK(whole_transactions(stream, flits) == stream.transactions);
    CHECK(whole_transactions(stream, flits - 1) < stream.transactions);
    CHECK(whole_transactions(stream, std::int64_t{1} << 55) == stream.transactions);
    CHECK(whole_transactions(write_response_stream(std::int64_t{1} << 55), std::int64_t{1} << 55) == std::int64_t{1}
                                                                                                         << 55);
}
