#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace beleg {

class SqliteDatabase;

/// Bytes to be bound as a BLOB. Not copied, as texts are not.
struct SqliteBlob {
  std::string_view bytes;
};

/// A prepared statement, borrowed from its database's cache and given back when it dies. Texts and
/// hashes are bound without a copy: they must live until the statement has run or is bound again.
/// Not thread-safe; must not outlive its database.
class SqliteStatement {
 public:
  SqliteStatement(SqliteStatement&& other) noexcept;
  SqliteStatement& operator=(SqliteStatement&& other) noexcept;
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;
  ~SqliteStatement();

  /// Makes the statement ready to run anew with parameters ?1, ?2, … A value that cannot be bound
  /// is reported by the next step().
  template <class... Values>
  void bind(const Values&... values) {
    rewind();
    int position = 0;
    (bind_value(++position, values), ...);
  }

  /// Runs to the next row. False when there is none.
  Result<bool> step();
  /// Runs a statement whose rows nobody wants, and rewinds it.
  Result<void> run();

  // Columns of the current row, from 0. Views die with the next step(), bind() or the statement.
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::string_view blob(int column) const;
  /// kCorrupt when the column does not hold 32 bytes.
  [[nodiscard]] Result<Sha256> sha256(int column) const;
  template <class Id>
    requires std::is_enum_v<Id>
  [[nodiscard]] Id id(int column) const {
    return static_cast<Id>(integer(column));
  }

 private:
  friend class SqliteDatabase;
  SqliteStatement(SqliteDatabase* database, sqlite3_stmt* statement)
      : database_(database), statement_(statement) {}

  void rewind();
  void note(int code);
  void bind_integer(int position, std::int64_t value);
  void bind_value(int position, std::string_view value);
  void bind_value(int position, const Sha256& value);
  void bind_value(int position, SqliteBlob value);
  void bind_value(int position, std::optional<std::int64_t> value);
  template <class Value>
    requires(std::integral<Value> || std::is_enum_v<Value>)
  void bind_value(int position, Value value) {
    bind_integer(position, static_cast<std::int64_t>(value));
  }

  SqliteDatabase* database_;
  sqlite3_stmt* statement_;
  int bind_code_ = 0;
};

/// Whether a transaction survives a power loss the moment it is committed.
enum class Durability : std::uint8_t {
  kRelaxed,  ///< May be lost whole (never in part) until the next durable one or checkpoint.
  kFull,     ///< Flushed to the device before commit() returns.
};

/// One connection to an SQLite file. Not thread-safe: one connection per thread. Waits up to
/// kBusyTimeoutMs for another process that writes.
class SqliteDatabase {
 public:
  static constexpr int kBusyTimeoutMs = 20'000;

  enum class Mode : std::uint8_t { kOpen, kCreate };
  /// kNotFound when the file does not exist and is not to be created. An existing file that this
  /// user may not write, or whose folder takes no log beside it (as on a full disk), is opened for
  /// reading only; see read_only().
  static Result<std::unique_ptr<SqliteDatabase>> open(const std::filesystem::path& file, Mode mode);
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  /// Runs one or more statements without parameters: definitions and pragmas.
  Result<void> execute(const char* sql);
  /// The statement for `sql`, ready to be bound. Prepared once, then kept. kConflict when the file
  /// is read without locks, because this user cannot take any, and another user changed it.
  Result<SqliteStatement> prepare(std::string_view sql);
  /// The number that the first row of `sql` has in its first column; kCorrupt without a row.
  Result<std::int64_t> query_integer(std::string_view sql);

  /// Copies the database to a new file in one snapshot; others may read and write meanwhile. The
  /// file is not flushed. Uses SQLite's online backup.
  Result<void> copy_to(const std::filesystem::path& file);

  [[nodiscard]] std::int64_t last_insert_id() const;
  /// Rows that the last INSERT, UPDATE or DELETE touched.
  [[nodiscard]] std::int64_t changes() const;
  [[nodiscard]] bool in_transaction() const;
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// True when the operating system lets this user only read the file, or the disk was full when it
  /// was opened: every write is refused.
  [[nodiscard]] bool read_only() const;
  /// An error when read_only(): kIo where the disk is full, else kPermission, with a remedy that
  /// names the folder.
  [[nodiscard]] Result<void> require_writable() const;

  /// The Error for an SQLite result code, with the connection's own message.
  [[nodiscard]] Error error(int code) const;

 private:
  friend class SqliteStatement;
  friend class SqliteTransaction;

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  SqliteDatabase(sqlite3* handle, std::filesystem::path file)
      : handle_(handle), file_(std::move(file)) {}
  /// What a file looked like that is read without locks, as one that nobody changes.
  struct FrozenState {
    std::uintmax_t bytes = 0;
    std::filesystem::file_time_type written;
    /// Empty when a log with content stands beside the file, so that it is not the whole truth.
    static std::optional<FrozenState> of(const std::filesystem::path& file);
    friend bool operator==(const FrozenState&, const FrozenState&) = default;
  };

  static Result<std::unique_ptr<SqliteDatabase>> connect(const std::filesystem::path& path,
                                                         const std::string& name, int flags,
                                                         const char* before_all = "");
  static Result<std::unique_ptr<SqliteDatabase>> open_for_reading(const std::filesystem::path& path,
                                                                  bool full);
  static Result<std::unique_ptr<SqliteDatabase>> connect_alone(const std::filesystem::path& path);
  static Result<std::unique_ptr<SqliteDatabase>> connect_for_reading(
      const std::filesystem::path& path, std::optional<FrozenState> frozen);
  Result<void> configure();
  Result<void> set_durability(Durability durability);
  void give_back(sqlite3_stmt* statement);
  /// Called by SQLite while another connection holds the lock; 0 gives up.
  static int wait_for_other(void* database, int attempts);

  sqlite3* handle_;
  std::filesystem::path file_;
  std::optional<Durability> durability_;
  std::optional<FrozenState> frozen_;
  bool disk_full_ = false;
  std::chrono::steady_clock::time_point busy_since_;
  // The idle statement of each text; null while it is borrowed.
  std::unordered_map<std::string, sqlite3_stmt*, TextHash, std::equal_to<>> statements_;
};

/// A transaction, rolled back by the destructor unless committed.
class SqliteTransaction {
 public:
  /// BEGIN IMMEDIATE: waits for another writer here, and never later. kInvalidArgument inside
  /// another transaction of the same connection.
  static Result<SqliteTransaction> begin_write(SqliteDatabase& database, Durability durability);
  /// One snapshot for several reads. Inside another transaction it joins that one.
  static Result<SqliteTransaction> begin_read(SqliteDatabase& database);
  SqliteTransaction(SqliteTransaction&& other) noexcept
      : database_(std::exchange(other.database_, nullptr)), reads_(other.reads_) {}
  SqliteTransaction& operator=(SqliteTransaction&&) = delete;
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;
  ~SqliteTransaction();

  Result<void> commit();

 private:
  SqliteTransaction(SqliteDatabase* database, bool reads) : database_(database), reads_(reads) {}

  SqliteDatabase* database_;  // Null when there is nothing to end.
  bool reads_;
};

}  // namespace beleg
