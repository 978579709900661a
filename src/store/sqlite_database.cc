#include "store/sqlite_database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

#include "base/file.h"

namespace beleg {
namespace {

constexpr std::string_view kRemedyDisk = "free some disk space and run the command again";
constexpr std::string_view kRemedyDamage =
    "run `beleg audit`; restore the corpus folder from a backup, or ingest into a new corpus";
constexpr std::string_view kRemedyAccess = "give this user read and write permission on ";

/// What an SQLite code means for the person. `system_error` is the errno behind it, or 0.
std::pair<ErrorCode, std::string_view> classify(int code, int system_error) {
  if (system_error == ENOSPC || system_error == EDQUOT) return {ErrorCode::kIo, kRemedyDisk};
  if (system_error == EFBIG) {
    return {ErrorCode::kIo, "raise the limit on file sizes (ulimit -f) and run the command again"};
  }
  if (system_error == EROFS || system_error == EACCES || system_error == EPERM) {
    return {ErrorCode::kPermission, kRemedyAccess};
  }
  switch (code & 0xff) {
    case SQLITE_FULL:
      return {ErrorCode::kIo, kRemedyDisk};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return {ErrorCode::kConflict, "wait for the other process to finish, then run it again"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorCode::kPermission, kRemedyAccess};
    case SQLITE_CANTOPEN:
      if (system_error == ENOENT) return {ErrorCode::kNotFound, "check the path"};
      return {ErrorCode::kPermission, kRemedyAccess};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::kCorrupt, kRemedyDamage};
    case SQLITE_IOERR:
      return {ErrorCode::kIo, "check the disk, then run `beleg audit`"};
    case SQLITE_TOOBIG:
      return {ErrorCode::kLimit, "split the document"};
    case SQLITE_NOMEM:
      return {ErrorCode::kLimit, "free some memory and run the command again"};
    default:
      return {ErrorCode::kInternal, ""};
  }
}

/// What to do about a refused access to `file` or to the log files beside it.
std::string access_remedy(const std::filesystem::path& file) {
  return std::string(kRemedyAccess) + "the folder " + printable_path(file.parent_path()) +
         " and the files in it";
}

bool may_write(const std::filesystem::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

/// True when a file beside `file` cannot grow because the disk, or this user's share of it, is
/// full. SQLite does not say so: where it cannot make the index of its log it looks for one that is
/// there, and reports that there is none. Tries what that index takes (32 KiB).
bool disk_is_full(const std::filesystem::path& file) {
  static constexpr std::array<char, 32'768> kBlock{};
  std::filesystem::path probe = file;
  probe += ".tmp." + std::to_string(::getpid());  // A name that a purge knows as a left-over.
  const int descriptor = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return errno == ENOSPC || errno == EDQUOT;
  errno = 0;
  const ssize_t written = ::write(descriptor, kBlock.data(), kBlock.size());
  const bool cut_short = written >= 0 && written < std::ssize(kBlock);
  // Some network file systems count only when a file is closed.
  const bool closed = ::close(descriptor) == 0;
  const bool full = cut_short || ((written < 0 || !closed) && (errno == ENOSPC || errno == EDQUOT));
  ::unlink(probe.c_str());
  return full;
}

/// The URI of an absolute path; every byte that could mean something in one is escaped.
std::string file_uri(const std::filesystem::path& path) {
  static constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path.native()) {
    if (kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += '%';
      uri += kDigits[byte >> 4U];
      uri += kDigits[byte & 15U];
    }
  }
  return uri;
}

}  // namespace

SqliteStatement::SqliteStatement(SqliteStatement&& other) noexcept
    : database_(other.database_),
      statement_(std::exchange(other.statement_, nullptr)),
      bind_code_(other.bind_code_) {}

SqliteStatement& SqliteStatement::operator=(SqliteStatement&& other) noexcept {
  std::swap(database_, other.database_);
  std::swap(statement_, other.statement_);
  std::swap(bind_code_, other.bind_code_);
  return *this;
}

SqliteStatement::~SqliteStatement() {
  if (statement_ != nullptr) database_->give_back(statement_);
}

void SqliteStatement::rewind() {
  sqlite3_reset(statement_);
  bind_code_ = SQLITE_OK;
}

void SqliteStatement::note(int code) {
  if (bind_code_ == SQLITE_OK) bind_code_ = code;
}

void SqliteStatement::bind_integer(int position, std::int64_t value) {
  note(sqlite3_bind_int64(statement_, position, value));
}

void SqliteStatement::bind_value(int position, std::string_view value) {
  // A null pointer would bind NULL; an empty text is a text.
  const char* data = value.data() == nullptr ? "" : value.data();
  note(sqlite3_bind_text64(statement_, position, data, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void SqliteStatement::bind_value(int position, const Sha256& value) {
  note(sqlite3_bind_blob(statement_, position, value.bytes.data(),
                         static_cast<int>(value.bytes.size()), SQLITE_STATIC));
}

void SqliteStatement::bind_value(int position, SqliteBlob value) {
  // As above: empty bytes are a value.
  const char* data = value.bytes.data() == nullptr ? "" : value.bytes.data();
  note(sqlite3_bind_blob64(statement_, position, data, value.bytes.size(), SQLITE_STATIC));
}

void SqliteStatement::bind_value(int position, std::optional<std::int64_t> value) {
  if (value) {
    bind_integer(position, *value);
  } else {
    note(sqlite3_bind_null(statement_, position));
  }
}

Result<bool> SqliteStatement::step() {
  if (bind_code_ != SQLITE_OK) return std::unexpected(database_->error(bind_code_));
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  Error failure = database_->error(code);
  sqlite3_reset(statement_);
  return std::unexpected(std::move(failure));
}

Result<void> SqliteStatement::run() {
  while (TRY(step())) {
  }
  rewind();
  return {};
}

bool SqliteStatement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string_view SqliteStatement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view SqliteStatement::blob(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Result<Sha256> SqliteStatement::sha256(int column) const {
  Sha256 hash;
  const void* data = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  if (data == nullptr || size != hash.bytes.size()) {
    return fail(ErrorCode::kCorrupt,
                printable_path(database_->file()) + ": " + sqlite3_column_name(statement_, column) +
                    " has " + std::to_string(size) + " bytes instead of 32",
                std::string(kRemedyDamage));
  }
  std::memcpy(hash.bytes.data(), data, size);
  return hash;
}

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open(const std::filesystem::path& file,
                                                             Mode mode) {
  std::error_code status;
  // Absolute, so that no name can be taken for a URI or an in-memory database.
  const std::filesystem::path path = std::filesystem::absolute(file, status);
  if (status || (mode == Mode::kOpen && !std::filesystem::exists(path, status))) {
    return fail(ErrorCode::kNotFound, "no database at " + printable_path(file), "check the path");
  }
  if (mode == Mode::kCreate) {
    return connect(path, path.native(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  }
  auto database = connect(path, path.native(), SQLITE_OPEN_READWRITE);
  if (database) {
    // Only the first read shows whether the log files beside the database can be used.
    auto first_read = (*database)->query_integer("PRAGMA schema_version");
    if (!first_read) database = std::unexpected(std::move(first_read.error()));
  }
  if (database) return database;
  // Not found is the index of the log: the database itself is there.
  const ErrorCode code = database.error().code;
  // Nor can it be made on a disk that is full to the last byte.
  const bool may_read =
      code == ErrorCode::kPermission || code == ErrorCode::kNotFound || code == ErrorCode::kIo;
  if (!may_read) return database;
  const bool full = disk_is_full(path);
  auto readable = open_for_reading(path, full);
  if (readable) (*readable)->disk_full_ = full;
  return readable;
}

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::connect(const std::filesystem::path& path,
                                                                const std::string& name, int flags,
                                                                const char* before_all) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle,
                                   flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  std::unique_ptr<SqliteDatabase> database(new SqliteDatabase(handle, path));
  if (code != SQLITE_OK) return std::unexpected(database->error(code));
  TRY(database->execute(before_all));
  TRY(database->configure());
  return database;
}

/// SQLite keeps an index of its log in a file beside the database, which nobody can make in a
/// folder that takes no files (sqlite.org/wal.html, "Read-Only Databases"). Where the log is empty
/// too, the file alone is the whole truth and can be read without both. A full disk is such a
/// folder, although it may be written: `full`.
Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open_for_reading(
    const std::filesystem::path& path, bool full) {
  const auto state = FrozenState::of(path);
  if (state && !may_write(path.parent_path())) return connect_for_reading(path, state);
  auto database = connect_for_reading(path, std::nullopt);
  if (database) return database;
  const ErrorCode code = database.error().code;
  if (code != ErrorCode::kNotFound && code != ErrorCode::kIo) return database;
  if (state) return connect_for_reading(path, state);
  if (full) return connect_alone(path);
  if (code == ErrorCode::kIo) return database;
  return fail(ErrorCode::kPermission,
              printable_path(path) +
                  ": its newest rows are in the log beside it, which this user "
                  "cannot read without writing into the folder",
              "open the corpus once as a user who may write, or " + access_remedy(path));
}

/// With a log that a killed writer left, and no room for its index: SQLite then keeps the index in
/// its memory, as long as nobody else has the file (sqlite.org/wal.html, "Use of WAL Without
/// Shared-Memory"). Others wait meanwhile, as for a writer. The log stays as it is.
Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::connect_alone(
    const std::filesystem::path& path) {
  // Before the first read, which would make the index in the folder.
  auto database = TRY(connect(path, path.native(), SQLITE_OPEN_READWRITE,
                              "PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON"));
  sqlite3_db_config(database->handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  TRY(database->query_integer("PRAGMA schema_version"));
  return database;
}

/// With a state: the file as it is, without the log and its index.
Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::connect_for_reading(
    const std::filesystem::path& path, std::optional<FrozenState> frozen) {
  const std::string name = file_uri(path) + (frozen ? "?mode=ro&immutable=1" : "?mode=ro");
  auto database = TRY(connect(path, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI));
  TRY(database->query_integer("PRAGMA schema_version"));
  database->frozen_ = frozen;
  return database;
}

std::optional<SqliteDatabase::FrozenState> SqliteDatabase::FrozenState::of(
    const std::filesystem::path& file) {
  std::filesystem::path log = file;
  log += "-wal";
  std::error_code status;
  const std::uintmax_t log_bytes = std::filesystem::file_size(log, status);
  const bool no_log = status == std::errc::no_such_file_or_directory || (!status && log_bytes == 0);
  FrozenState state;
  state.bytes = std::filesystem::file_size(file, status);
  if (!no_log || status) return std::nullopt;
  state.written = std::filesystem::last_write_time(file, status);
  if (status) return std::nullopt;
  return state;
}

bool SqliteDatabase::read_only() const {
  return disk_full_ || sqlite3_db_readonly(handle_, "main") == 1;
}

Result<void> SqliteDatabase::require_writable() const {
  if (!read_only()) return {};
  if (disk_full_) {
    return fail(ErrorCode::kIo,
                printable_path(file_) + ": the disk is full, so it can only be read",
                std::string(kRemedyDisk));
  }
  return fail(ErrorCode::kPermission, printable_path(file_) + ": this user may only read it",
              access_remedy(file_));
}

Result<void> SqliteDatabase::configure() {
  sqlite3_busy_handler(handle_, &SqliteDatabase::wait_for_other, this);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Sizes in bytes, but cache_size: negative means KiB. The map covers the narrow tables that every
  // listing walks; the rest is read through the page cache.
  return execute(
      "PRAGMA foreign_keys = ON;"
      "PRAGMA cell_size_check = ON;"
      "PRAGMA temp_store = MEMORY;"
      "PRAGMA mmap_size = 1073741824;"
      "PRAGMA cache_size = -32768;"
      "PRAGMA wal_autocheckpoint = 4000;"
      "PRAGMA journal_size_limit = 67108864;");
}

int SqliteDatabase::wait_for_other(void* database, int attempts) {
  // Short waits of differing length: SQLite's own handler backs off to 100 ms, and then loses every
  // race against a process that writes one small record after the other.
  auto* self = static_cast<SqliteDatabase*>(database);
  const auto now = std::chrono::steady_clock::now();
  if (attempts == 0) self->busy_since_ = now;
  if (now - self->busy_since_ > std::chrono::milliseconds(kBusyTimeoutMs)) return 0;
  const auto jitter = std::chrono::microseconds(now.time_since_epoch().count() / 1'000 % 1'000);
  std::this_thread::sleep_for(std::chrono::milliseconds(std::min(attempts, 4)) + jitter);
  return 1;
}

SqliteDatabase::~SqliteDatabase() {
  for (const auto& entry : statements_) sqlite3_finalize(entry.second);
  sqlite3_close_v2(handle_);
}

Result<void> SqliteDatabase::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(error(code));
  return {};
}

Result<SqliteStatement> SqliteDatabase::prepare(std::string_view sql) {
  if (frozen_ && FrozenState::of(file_) != frozen_) {
    // Pages of before and after could be mixed in one answer.
    return fail(ErrorCode::kConflict,
                printable_path(file_) + ": another user wrote to the corpus while it was read",
                "run the command again");
  }
  const auto found = statements_.find(sql);
  if (found != statements_.end() && found->second != nullptr) {
    return SqliteStatement(this, std::exchange(found->second, nullptr));
  }
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return std::unexpected(error(code));
  if (found == statements_.end()) statements_.emplace(sql, nullptr);
  return SqliteStatement(this, statement);
}

void SqliteDatabase::give_back(sqlite3_stmt* statement) {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  const auto found = statements_.find(std::string_view(sqlite3_sql(statement)));
  if (found != statements_.end() && found->second == nullptr) {
    found->second = statement;
  } else {
    sqlite3_finalize(statement);  // A second one of the same text, from a nested use.
  }
}

Result<std::int64_t> SqliteDatabase::query_integer(std::string_view sql) {
  SqliteStatement statement = TRY(prepare(sql));
  if (!TRY(statement.step())) {
    return fail(ErrorCode::kCorrupt,
                printable_path(file_) + ": no row for \"" + std::string(sql) + "\"",
                std::string(kRemedyDamage));
  }
  return statement.integer(0);
}

Result<void> SqliteDatabase::copy_to(const std::filesystem::path& file) {
  const std::filesystem::path path = std::filesystem::absolute(file);
  const auto target = TRY(connect(path, path.native(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  sqlite3_backup* backup = sqlite3_backup_init(target->handle_, "main", handle_, "main");
  if (backup == nullptr) {
    return std::unexpected(target->error(sqlite3_errcode(target->handle_)));
  }
  // All pages in one step: in several, every write of another process would begin the copy anew.
  const int code = sqlite3_backup_step(backup, -1);
  const int finished = sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE) return std::unexpected(target->error(code));
  if (finished != SQLITE_OK) return std::unexpected(target->error(finished));
  return {};
}

std::int64_t SqliteDatabase::last_insert_id() const { return sqlite3_last_insert_rowid(handle_); }

std::int64_t SqliteDatabase::changes() const { return sqlite3_changes64(handle_); }

bool SqliteDatabase::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Error SqliteDatabase::error(int code) const {
  const int primary = code & 0xff;
  const bool from_system = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN ||
                           primary == SQLITE_FULL || primary == SQLITE_READONLY;
  const int system_error = from_system && handle_ != nullptr ? sqlite3_system_errno(handle_) : 0;
  const auto [kind, remedy] = classify(code, system_error);
  std::string message = printable_path(file_) + ": ";
  message += handle_ != nullptr && sqlite3_errcode(handle_) != SQLITE_OK ? sqlite3_errmsg(handle_)
                                                                         : sqlite3_errstr(code);
  if (system_error != 0) message += " (" + std::generic_category().message(system_error) + ")";
  return Error{kind, std::move(message),
               remedy == kRemedyAccess ? access_remedy(file_) : std::string(remedy)};
}

Result<void> SqliteDatabase::set_durability(Durability durability) {
  if (durability_ == durability) return {};
  TRY(execute(durability == Durability::kFull ? "PRAGMA synchronous = FULL"
                                              : "PRAGMA synchronous = NORMAL"));
  durability_ = durability;
  return {};
}

Result<SqliteTransaction> SqliteTransaction::begin_write(SqliteDatabase& database,
                                                         Durability durability) {
  if (database.in_transaction()) {
    return fail(ErrorCode::kInvalidArgument,
                printable_path(database.file()) + ": a write inside a running read or write",
                "write with a second store object, or after the visit");
  }
  TRY(database.require_writable());
  TRY(database.set_durability(durability));
  SqliteStatement statement = TRY(database.prepare("BEGIN IMMEDIATE"));
  TRY(statement.run());
  return SqliteTransaction(&database, false);
}

Result<SqliteTransaction> SqliteTransaction::begin_read(SqliteDatabase& database) {
  if (database.in_transaction()) return SqliteTransaction(nullptr, true);
  SqliteStatement statement = TRY(database.prepare("BEGIN DEFERRED"));
  TRY(statement.run());
  return SqliteTransaction(&database, true);
}

SqliteTransaction::~SqliteTransaction() {
  // SQLite itself rolls back on some errors; then there is nothing left to end.
  if (database_ == nullptr || !database_->in_transaction()) return;
  // Neither can fail in a way that matters here: a read has nothing to lose, and a rollback that
  // cannot be written is made good by the recovery of the next open.
  sqlite3_exec(database_->handle_, reads_ ? "COMMIT" : "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<void> SqliteTransaction::commit() {
  if (database_ == nullptr) return {};
  SqliteStatement statement = TRY(database_->prepare("COMMIT"));
  TRY(statement.run());
  database_ = nullptr;
  return {};
}

}  // namespace beleg
