#include <filesystem>
#include <map>

#include <simlette/base/error.hpp>
#include <simlette/study/kinds.hpp>
#include <simlette/study/names.hpp>
#include <simlette/study/sweep_store.hpp>
#include <simlette/version.hpp>

namespace simlette {

namespace {

constexpr std::int64_t application_id = 0x53494D4C;  // `SIML`
constexpr std::int64_t schema_version = 1;

// `run` names a configuration in one mode. Costs stand apart: they differ from time to time.
const char* const schema_sql = R"(
CREATE TABLE study (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE points (point INTEGER PRIMARY KEY, topology TEXT, workload TEXT, mode TEXT, configuration_hash TEXT, run TEXT);
CREATE TABLE parameters (point INTEGER, path TEXT, value TEXT, base_value INTEGER, PRIMARY KEY (point, path)) WITHOUT ROWID;
CREATE TABLE configurations (configuration_hash TEXT PRIMARY KEY, configuration TEXT, assumptions TEXT) WITHOUT ROWID;
CREATE TABLE runs (run TEXT PRIMARY KEY, configuration_hash TEXT, mode TEXT, outcome TEXT, error TEXT) WITHOUT ROWID;
CREATE TABLE results (run TEXT, name TEXT, value, PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE TABLE costs (run TEXT, name TEXT, value, PRIMARY KEY (run, name)) WITHOUT ROWID;
)";

const std::string mark_sql = "PRAGMA application_id = " + std::to_string(application_id) +
                             "; PRAGMA user_version = " + std::to_string(schema_version);

std::string quoted(const std::string& text, char quote) {
    std::string sql(1, quote);
    for (const char c : text) {
        sql += c == quote ? std::string(2, c) : std::string(1, c);
    }
    return sql + quote;
}

// A column of the view that takes one row of a table of names and values.
std::string column_sql(const std::string& table, const std::string& key, const std::string& key_of_points,
                       const std::string& name) {
    return ", (SELECT value FROM " + table + " WHERE " + table + '.' + key_of_points + " = points." + key_of_points +
           " AND " + table + '.' + key + " = " + quoted(name, '\'') + ") AS " + quoted(name, '"');
}

bool is_item_of_list(const std::string& name) {
    return name.find(".0") != std::string::npos;
}

bool is_new(Database& database) {
    return database.number("SELECT count(*) FROM sqlite_schema") == 0;
}

void check_identity(Database& database) {
    const auto refuse = [&database](const std::string& message) {
        throw Error({Problem{database.file(), 0, 0, message + "; choose another file for `--out`"}});
    };
    if (database.number("PRAGMA application_id") != application_id ||
        database.number("PRAGMA user_version") != schema_version) {
        refuse("is a database, but none of a sweep of this version");
    }
    Statement version_of = database.prepare("SELECT value FROM study WHERE name = 'version'");
    const std::string other = version_of.step() ? version_of.text(0) : "unknown";
    if (other != version()) {
        refuse("holds results of Simlette " + other + ", and this is " + version());
    }
}

std::set<std::string> runs_of(Database& database) {
    std::set<std::string> runs;
    Statement select = database.prepare("SELECT run FROM runs");
    while (select.step()) {
        runs.insert(select.text(0));
    }
    return runs;
}

}  // namespace

std::set<std::string> finished_in(const std::string& file) {
    if (!std::filesystem::exists(file)) {
        return {};
    }
    // What a killed sweep left in its log is read by one who may write the log back; somebody may be looking at it too.
    const bool log = std::filesystem::exists(file + "-wal") || std::filesystem::exists(file + "-journal");
    Database database(file, log ? Database::Access::shared : Database::Access::reading);
    if (is_new(database)) {
        return {};  // killed before it had a table
    }
    check_identity(database);
    return runs_of(database);
}

SweepStore::SweepStore(const std::string& file, const Study& study, Database::Access access)
    : database_(file, access), study_(study) {
    if (!is_new(database_)) {
        check_identity(database_);
    }
    database_.log_ahead();
    Transaction transaction(database_);
    if (is_new(database_)) {
        database_.execute(schema_sql);
        database_.execute(mark_sql);
    }
    write_points();
    transaction.commit();
}

SweepStore::~SweepStore() = default;

void SweepStore::take(const std::string& file) {
    {
        Database other(file, Database::Access::shared);
        if (is_new(other)) {
            return;  // killed before it had a table
        }
        check_identity(other);
    }
    database_.prepare("ATTACH ?1 AS other").bind(1, file).run();
    Transaction transaction(database_);
    for (const char* table : {"configurations", "runs", "results", "costs"}) {
        const std::string name = table;
        database_.execute("INSERT OR IGNORE INTO main." + name + " SELECT * FROM other." + name);
    }
    transaction.commit();
    database_.execute("DETACH other");
    database_.checkpoint();
}

void SweepStore::write_points() {
    database_.execute("DELETE FROM study; DELETE FROM points; DELETE FROM parameters");
    Statement about = database_.prepare("INSERT INTO study VALUES (?1, ?2)");
    about.bind(1, std::string("version")).bind(2, std::string(version())).run();
    about.bind(1, std::string("study")).bind(2, study_.text()).run();
    Statement insert = database_.prepare("INSERT INTO points VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    Statement parameter = database_.prepare("INSERT INTO parameters VALUES (?1, ?2, ?3, ?4)");
    for (std::size_t i = 0; i < study_.points().size(); ++i) {
        const StudyPoint& point = study_.points()[i];
        const auto number = static_cast<std::int64_t>(i);
        insert.bind(1, number).bind(2, study_.topologies()[point.topology]).bind(3, study_.workloads()[point.workload]);
        insert.bind(4, std::string(name_of(point.mode))).bind(5, point.configuration_hash).bind(6, point.run).run();
        const std::vector<ParameterValue> values = study_.values(point);
        for (std::size_t k = 0; k < values.size(); ++k) {
            parameter.bind(1, number).bind(2, study_.parameters()[k]).bind(3, values[k].text);
            if (values[k].base_number) {
                parameter.bind(4, *values[k].base_number);
            }
            parameter.run();
        }
    }
    write_view();
}

// One row a point, with what varied and what came out as columns; of lists, which may be long, what is to be recorded.
void SweepStore::write_view() {
    std::string sql = "CREATE VIEW overview AS SELECT points.point, topology, workload, points.mode AS mode";
    for (const std::string& path : study_.parameters()) {
        sql += column_sql("parameters", "path", "point", path);
    }
    sql += ", outcome, error";
    for (const std::string& name : study_.record().empty() ? value_names() : study_.record()) {
        if (!study_.record().empty() || !is_item_of_list(name)) {
            sql += column_sql(contains(cost_names(), name) ? "costs" : "results", "name", "run", name);
        }
    }
    database_.execute("DROP VIEW IF EXISTS overview; " + sql + " FROM points LEFT JOIN runs USING (run)");
}

std::set<std::string> SweepStore::finished() {
    return runs_of(database_);
}

void SweepStore::add(const FinishedRun& finished) {
    Transaction transaction(database_);
    database_.prepare("INSERT OR IGNORE INTO configurations VALUES (?1, ?2, ?3)")
        .bind(1, finished.configuration_hash)
        .bind(2, finished.configuration)
        .bind(3, finished.values.assumptions)
        .run();
    Statement run = database_.prepare("INSERT OR IGNORE INTO runs VALUES (?1, ?2, ?3, ?4, ?5)");
    run.bind(1, finished.run).bind(2, finished.configuration_hash).bind(3, std::string(name_of(finished.mode)));
    run.bind(4, finished.outcome);
    if (!finished.error.empty()) {
        run.bind(5, finished.error);
    }
    run.run();
    for (const bool cost : {false, true}) {
        const std::string table = cost ? "costs" : "results";
        Statement insert = database_.prepare("INSERT OR IGNORE INTO " + table + " VALUES (?1, ?2, ?3)");
        for (const auto& value : cost ? finished.values.costs : finished.values.results) {
            insert.bind(1, finished.run).bind(2, value.first).bind(3, value.second).run();
        }
    }
    transaction.commit();
}

std::vector<std::string> SweepStore::all_names() {
    std::vector<std::string> names;
    Statement select =
        database_.prepare("SELECT DISTINCT name FROM results WHERE run IN (SELECT run FROM points) ORDER BY name");
    while (select.step()) {
        names.push_back(select.text(0));
    }
    return names;
}

SweepRow SweepStore::row(const StudyPoint& point, std::size_t number, const std::vector<std::string>& names) {
    SweepRow row{number,
                 study_.topologies()[point.topology],
                 study_.workloads()[point.workload],
                 std::string(name_of(point.mode)),
                 study_.values(point),
                 point.configuration_hash,
                 "",
                 "",
                 {}};
    Statement run = database_.prepare("SELECT outcome, error FROM runs WHERE run = ?1");
    if (run.bind(1, point.run).step()) {
        row.outcome = run.text(0);
        row.error = run.text(1);
    }
    std::map<std::string, ScalarValue> values;
    Statement select = database_.prepare(
        "SELECT name, value FROM results WHERE run = ?1 UNION ALL SELECT name, value FROM costs WHERE run = ?1");
    select.bind(1, point.run);
    while (select.step()) {
        values.emplace(select.text(0), *select.value(1));
    }
    for (const std::string& name : names) {
        const auto found = values.find(name);
        row.results.push_back(found == values.end() ? std::nullopt : std::optional<ScalarValue>(found->second));
    }
    return row;
}

SweepTable SweepStore::table(const std::vector<std::string>& names) {
    SweepTable table{study_.parameters(), names.empty() ? all_names() : names, {}};
    for (std::size_t i = 0; i < study_.points().size(); ++i) {
        table.rows.push_back(row(study_.points()[i], i, table.names));
    }
    return table;
}

}  // namespace simlette
