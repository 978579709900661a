#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "document/document.h"

namespace beleg {

/// Limits and field names of reading. Zero never means "no limit".
struct ReadSettings {
  std::uint64_t max_file_bytes = 256ULL << 20U;
  std::uint64_t max_record_bytes = 16ULL << 20U;  ///< One JSONL line.
  std::uint32_t max_depth = 512;                  ///< Nesting of HTML elements and Markdown blocks.
  /// Metadata field → the names it may have in front matter, JSONL or <meta>, in order of
  /// preference. Keys: id, title, text, published, updated, language, url, source, story, domain,
  /// authors, tags, access. `default_field_names()` has the usual ones.
  std::map<std::string, std::vector<std::string>> fields;
};
[[nodiscard]] std::map<std::string, std::vector<std::string>> default_field_names();

/// Receives each document of a file, or the reason why one record of it could not be read
/// (`record` is its line number from 1, 0 for a whole file). Return false to stop.
using DocumentSink = std::function<bool(std::uint64_t record, Result<ParsedDocument> document)>;

/// Reads one file into documents: Markdown (.md, .markdown), HTML (.html, .htm, .xhtml), plain text
/// (.txt, .text) and JSONL (.jsonl, .ndjson). `default_id` is the identity when the file names
/// none. The result is an error when the whole file is unreadable or of no known kind; per-record
/// errors go to the sink. An empty file is an error (kInvalidArgument), not zero documents.
/// `after_record`: records of JSONL up to this line are passed over unread, as they were read
/// before.
Result<void> read_documents(const std::filesystem::path& path, std::string_view default_id,
                            const ReadSettings& settings, const DocumentSink& sink,
                            std::uint64_t after_record = 0);

/// True when the suffix is one that read_documents knows.
[[nodiscard]] bool is_readable_kind(const std::filesystem::path& path);

/// The readers, on bytes in memory, for tests and fuzzers. Text in any encoding.
Result<ParsedDocument> read_markdown(std::string_view bytes, const ReadSettings& settings);
Result<ParsedDocument> read_html(std::string_view bytes, const ReadSettings& settings);
Result<ParsedDocument> read_plain_text(std::string_view bytes, const ReadSettings& settings);
Result<ParsedDocument> read_json_record(std::string_view line, const ReadSettings& settings);

}  // namespace beleg
