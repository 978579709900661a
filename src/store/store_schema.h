#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/result.h"
#include "store/sqlite_database.h"

namespace beleg {

/// "BELG": marks an SQLite file as a Beleg truth.
inline constexpr std::int64_t kTruthApplicationId = 0x42454C47;
/// Version of the schema, kept in PRAGMA user_version. docs/formats/truth.md describes it.
inline constexpr std::int64_t kTruthFormat = 2;

/// Opens the truth at `file` and checks what it is. kNotFound without a file, kCorrupt for a
/// foreign one, kUnsupported for the format of a newer Beleg.
Result<std::unique_ptr<SqliteDatabase>> open_truth(const std::filesystem::path& file);

/// Makes an empty truth at `file`, whole or not at all. Leaves a file that another process made in
/// the meantime as it is.
Result<void> create_truth(const std::filesystem::path& file);

}  // namespace beleg
