// SQLite with errors as exceptions: a database file, statements and transactions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <simlette/study/run_values.hpp>

struct sqlite3;
struct sqlite3_stmt;

namespace simlette {

class Statement;

class Database {
public:
    enum class Access {
        shared,   // others may write to it at the same time
        alone,    // no other; then a network file system will do
        reading,  // nobody writes to it meanwhile
    };

    // Opens or makes a file; empty: in memory. Throws Error{output} if it cannot, Error{input} if it is no database.
    Database(const std::string& file, Access access);
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database();

    const std::string& file() const { return file_; }
    void execute(const std::string& sql);
    void log_ahead();   // finished transactions survive a kill
    void checkpoint();  // and from here on a power cut: they are in the file itself, on the disk
    Statement prepare(const std::string& sql);
    std::int64_t number(const std::string& sql);  // of the first row and column

private:
    friend class Statement;
    [[noreturn]] void fail() const;

    std::string file_;
    sqlite3* handle_ = nullptr;
};

// A prepared statement. Parameters count from 1, columns from 0.
class Statement {
public:
    Statement(Database& database, const std::string& sql);
    Statement(Statement&& other) noexcept;
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement();

    Statement& bind(int parameter, std::int64_t value);
    Statement& bind(int parameter, double value);
    Statement& bind(int parameter, const std::string& value);
    Statement& bind(int parameter, const ScalarValue& value);

    bool step();  // true: there is a row
    void run();   // to its end; ready for the next parameters

    std::int64_t number(int column) const;
    std::string text(int column) const;
    std::optional<ScalarValue> value(int column) const;  // none: NULL

private:
    void check(int result) const;

    Database& database_;
    sqlite3_stmt* handle_ = nullptr;
};

// Rolled back unless it is committed.
class Transaction {
public:
    explicit Transaction(Database& database);
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();

    void commit();

private:
    Database& database_;
    bool open_ = true;
};

}  // namespace simlette
