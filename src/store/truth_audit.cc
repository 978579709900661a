#include "store/truth_audit.h"

#include <array>

#include "store/version_audit.h"

namespace beleg {
namespace {

std::string number(auto id) { return std::to_string(static_cast<std::int64_t>(id)); }

Result<std::int64_t> count_visible(SqliteDatabase& database, std::string_view sql,
                                   Generation generation) {
  auto count = TRY(database.prepare(sql));
  count.bind(generation);
  if (!TRY(count.step())) return fail(ErrorCode::kInternal, "a count without a row");
  return count.integer(0);
}

Result<void> check_file(SqliteDatabase& database, std::vector<std::string>& findings) {
  auto row = TRY(database.prepare("PRAGMA integrity_check(100)"));
  while (TRY(row.step())) {
    if (row.text(0) != "ok") findings.push_back("integrity: " + std::string(row.text(0)));
  }
  return {};
}

Result<void> check_foreign_keys(SqliteDatabase& database, std::vector<std::string>& findings) {
  auto row = TRY(database.prepare("PRAGMA foreign_key_check"));
  while (TRY(row.step())) {
    findings.push_back("row " + std::string(row.text(1)) + " of " + std::string(row.text(0)) +
                       " refers to a missing row of " + std::string(row.text(2)));
  }
  return {};
}

Result<void> check_heads(SqliteDatabase& database, Generation generation,
                         std::vector<std::string>& findings) {
  auto row =
      TRY(database.prepare("SELECT document, count(*) FROM version WHERE from_generation <= ?1"
                           " AND (to_generation IS NULL OR to_generation > ?1)"
                           " GROUP BY document HAVING count(*) > 1"));
  row.bind(generation);
  while (TRY(row.step())) {
    findings.push_back("document " + number(row.integer(0)) + " has " + number(row.integer(1)) +
                       " visible versions");
  }
  return {};
}

struct GenerationCheck {
  const char* sql;  ///< A number per row, for `line`; ?1 is the audited generation.
  const char* line;
};

constexpr std::array kGenerationChecks = {
    GenerationCheck{"SELECT v.id FROM version v JOIN generation g ON g.number = v.from_generation"
                    " WHERE g.number <= ?1 AND g.state <> 'committed'",
                    "a visible version came with a generation that was never committed: version "},
    GenerationCheck{"SELECT v.id FROM version v JOIN generation g ON g.number = v.to_generation"
                    " WHERE g.number <= ?1 AND g.state <> 'committed'",
                    "a version was ended by a generation that was never committed: version "},
    GenerationCheck{"SELECT v.id FROM version v WHERE v.to_generation <= ?1 AND v.to_generation <="
                    " (SELECT max(generation) FROM purge WHERE state = 'done')",
                    "a purge left a row: version "},
    GenerationCheck{
        "SELECT DISTINCT generation FROM purge WHERE state = 'begun' AND generation <= ?1",
        "a purge was cut short; run `beleg corpus purge --yes` again: generation "},
    GenerationCheck{"SELECT t.generation FROM tag t JOIN generation g ON g.number = t.generation"
                    " WHERE g.number > ?1 OR g.state <> 'committed' OR (g.number > 0 AND g.number <"
                    " (SELECT coalesce(max(generation), 0) FROM purge))",
                    "a tag names a generation that cannot be read: generation "},
    GenerationCheck{
        "SELECT l.generation FROM lexicon l JOIN generation g"
        " ON g.number = l.generation WHERE g.number <= ?1 AND (g.state <> 'committed'"
        " OR g.number < (SELECT coalesce(max(generation), 0) FROM purge WHERE state = 'done'))",
        "a lexicon belongs to a generation that cannot be read: generation "},
};

/// What generations, tags, lexicons and purges promise each other.
Result<void> check_generations(SqliteDatabase& database, Generation generation,
                               std::vector<std::string>& findings) {
  for (const GenerationCheck& check : kGenerationChecks) {
    auto row = TRY(database.prepare(check.sql));
    row.bind(generation);
    while (TRY(row.step())) findings.push_back(check.line + number(row.integer(0)));
  }
  return {};
}

}  // namespace

Result<StoreCounts> count_truth(SqliteDatabase& database, Generation generation) {
  StoreCounts counts;
  counts.documents =
      TRY(count_visible(database,
                        "SELECT count(DISTINCT document) FROM version WHERE from_generation <= ?1"
                        " AND (to_generation IS NULL OR to_generation > ?1)",
                        generation));
  counts.versions = TRY(count_visible(database,
                                      "SELECT count(*) FROM version WHERE from_generation <= ?1"
                                      " AND (to_generation IS NULL OR to_generation > ?1)",
                                      generation));
  counts.passages = TRY(count_visible(
      database,
      "SELECT count(*) FROM version v CROSS JOIN passage p ON p.version = v.id"
      " WHERE v.from_generation <= ?1 AND (v.to_generation IS NULL OR v.to_generation > ?1)",
      generation));
  // A document of a generation that was never committed, or was undone, loses its version before it
  // goes itself: the next writer removes what a killed one left.
  for (const std::string_view sql :
       {"SELECT count(*) FROM passage p"
        " WHERE NOT EXISTS (SELECT 1 FROM version v WHERE v.id = p.version)",
        "SELECT count(*) FROM content c"
        " WHERE NOT EXISTS (SELECT 1 FROM version v WHERE v.id = c.version)",
        "SELECT count(*) FROM version v"
        " WHERE NOT EXISTS (SELECT 1 FROM content c WHERE c.version = v.id)"
        " OR NOT EXISTS (SELECT 1 FROM document d WHERE d.id = v.document)",
        "SELECT count(*) FROM document d, corpus c WHERE d.from_generation <= c.current_generation"
        " AND NOT EXISTS (SELECT 1 FROM version v WHERE v.document = d.id)"
        // A purge that goes on, or was cut short, is a finding of its own.
        " AND NOT EXISTS (SELECT 1 FROM purge WHERE state = 'begun')"}) {
    counts.orphans += TRY(database.query_integer(sql));
  }
  return counts;
}

Result<std::vector<std::string>> audit_truth(SqliteDatabase& database, Generation generation) {
  std::vector<std::string> findings;
  TRY(damage_as_finding(check_file(database, findings), findings));
  TRY(damage_as_finding(check_foreign_keys(database, findings), findings));
  TRY(damage_as_finding(check_heads(database, generation, findings), findings));
  TRY(damage_as_finding(check_generations(database, generation, findings), findings));
  TRY(damage_as_finding(audit_versions(database, generation, findings), findings));
  return findings;
}

}  // namespace beleg
