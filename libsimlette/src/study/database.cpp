#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include <simlette/base/error.hpp>
#include <simlette/study/database.hpp>

namespace simlette {

namespace {

// Another process may write to the same file for so long.
constexpr int patience_ms = 60'000;

// No lock, and no shared memory, which a network file system does not have.
std::string immutable_uri(const std::string& file) {
    std::string uri = "file:";
    for (const char c : file) {
        const char* escaped = c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : nullptr;
        uri += escaped == nullptr ? std::string(1, c) : std::string(escaped);
    }
    return uri + "?immutable=1";
}

}  // namespace

Database::Database(const std::string& file, Access access) : file_(file) {
    const bool reading = access == Access::reading;
    const std::string name = file.empty() ? ":memory:" : reading ? immutable_uri(file) : file;
    const int flags = SQLITE_OPEN_NOMUTEX |
                      (reading ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
        const std::string message = handle_ == nullptr ? "not enough memory" : sqlite3_errmsg(handle_);
        sqlite3_close(handle_);
        throw Error(ErrorKind::output, file + ": cannot be opened: " + message);
    }
    sqlite3_busy_timeout(handle_, patience_ms);
    if (access == Access::alone) {
        execute("PRAGMA locking_mode = EXCLUSIVE");
    }
}

Database::~Database() {
    sqlite3_close(handle_);
}

void Database::fail() const {
    const int code = sqlite3_errcode(handle_);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
        throw Error(
            {Problem{file_, 0, 0, "is no database, or a damaged one: " + std::string(sqlite3_errmsg(handle_))}});
    }
    throw Error(ErrorKind::output, file_ + ": cannot be written: " + sqlite3_errmsg(handle_));
}

void Database::execute(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail();
    }
}

// SQLite does not wait by itself for a process that changes the journal of the same file.
void Database::log_ahead() {
    constexpr int pause_ms = 10;
    const char* const sql = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL";
    int waited_ms = 0;
    int result = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
    while (result == SQLITE_BUSY && waited_ms < patience_ms) {
        waited_ms += std::max(sqlite3_sleep(pause_ms), 1);
        result = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
    }
    if (result != SQLITE_OK) {
        fail();
    }
}

void Database::checkpoint() {
    if (number("PRAGMA wal_checkpoint(FULL)") != 0) {
        throw Error(ErrorKind::output, file_ + ": cannot be written: another process does not let go of it");
    }
}

Statement Database::prepare(const std::string& sql) {
    return {*this, sql};
}

std::int64_t Database::number(const std::string& sql) {
    Statement statement = prepare(sql);
    return statement.step() ? statement.number(0) : 0;
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
    check(sqlite3_prepare_v2(database.handle_, sql.c_str(), -1, &handle_, nullptr));
}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}

Statement::~Statement() {
    sqlite3_finalize(handle_);
}

void Statement::check(int result) const {
    if (result != SQLITE_OK) {
        database_.fail();
    }
}

Statement& Statement::bind(int parameter, std::int64_t value) {
    check(sqlite3_bind_int64(handle_, parameter, value));
    return *this;
}

Statement& Statement::bind(int parameter, double value) {
    check(sqlite3_bind_double(handle_, parameter, value));
    return *this;
}

Statement& Statement::bind(int parameter, const std::string& value) {
    check(sqlite3_bind_text64(handle_, parameter, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    return *this;
}

Statement& Statement::bind(int parameter, const ScalarValue& value) {
    std::visit([&](const auto& held) { bind(parameter, held); }, value);
    return *this;
}

bool Statement::step() {
    const int result = sqlite3_step(handle_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) {
        database_.fail();
    }
    return result == SQLITE_ROW;
}

void Statement::run() {
    while (step()) {
    }
    check(sqlite3_reset(handle_));
    check(sqlite3_clear_bindings(handle_));
}

std::int64_t Statement::number(int column) const {
    return sqlite3_column_int64(handle_, column);
}

std::string Statement::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
    return text == nullptr ? std::string() : std::string(text);
}

std::optional<ScalarValue> Statement::value(int column) const {
    switch (sqlite3_column_type(handle_, column)) {
        case SQLITE_INTEGER:
            return ScalarValue(number(column));
        case SQLITE_FLOAT:
            return ScalarValue(sqlite3_column_double(handle_, column));
        case SQLITE_NULL:
            return std::nullopt;
        default:
            return ScalarValue(text(column));
    }
}

Transaction::Transaction(Database& database) : database_(database) {
    database_.execute("BEGIN IMMEDIATE");
}

void Transaction::commit() {
    database_.execute("COMMIT");
    open_ = false;
}

Transaction::~Transaction() {
    if (open_) {
        try {
            database_.execute("ROLLBACK");
        } catch (...) {  // the failure that led here is the one to tell
        }
    }
}

}  // namespace simlette
