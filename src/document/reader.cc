#include "document/reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/file.h"
#include "document/encoding.h"
#include "document/encoding_guess.h"
#include "document/json_record.h"
#include "document/line_reader.h"

namespace beleg {
namespace {

enum class FileKind : std::uint8_t { kUnknown, kMarkdown, kHtml, kPlainText, kJsonLines };

FileKind kind_of(const std::filesystem::path& path) {
  static constexpr std::array<std::pair<std::string_view, FileKind>, 9> kSuffixes{{
      {".md", FileKind::kMarkdown},
      {".markdown", FileKind::kMarkdown},
      {".html", FileKind::kHtml},
      {".htm", FileKind::kHtml},
      {".xhtml", FileKind::kHtml},
      {".txt", FileKind::kPlainText},
      {".text", FileKind::kPlainText},
      {".jsonl", FileKind::kJsonLines},
      {".ndjson", FileKind::kJsonLines},
  }};
  std::string suffix = path.extension().native();
  for (char& c : suffix) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const auto& [known, kind] : kSuffixes) {
    if (known == suffix) return kind;
  }
  return FileKind::kUnknown;
}

std::string_view kind_name(FileKind kind) {
  switch (kind) {
    case FileKind::kMarkdown:
      return "Markdown";
    case FileKind::kHtml:
      return "HTML";
    case FileKind::kPlainText:
      return "plain text";
    case FileKind::kJsonLines:
      return "JSON Lines";
    case FileKind::kUnknown:
      break;
  }
  return "unknown";
}

std::unexpected<Error> empty_file() {
  return fail(ErrorCode::kInvalidArgument, "the file is empty",
              "remove the file or give it content");
}

/// "notes.md, named as Markdown: not text: it is a PNG image".
Error with_file(const Error& error, const std::filesystem::path& path, FileKind kind) {
  std::string context = printable_path(path);
  if (error.code == ErrorCode::kUnsupported) {
    context += ", named as " + std::string(kind_name(kind));
  }
  return error.with_context(context);
}

bool starts_like_html(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
  std::string start(bytes.substr(0, 14));
  for (char& c : start) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return start == "<!doctype html" || start.starts_with("<html>") || start.starts_with("<html ");
}

void complete_identity(ParsedDocument& document, std::string id) {
  if (document.meta.id.empty()) document.meta.id = std::move(id);
  if (document.meta.story.empty()) document.meta.story = document.meta.id;
}

Result<ParsedDocument> read_whole(std::string_view bytes, FileKind kind,
                                  const ReadSettings& settings) {
  if (kind == FileKind::kHtml) return read_html(bytes, settings);
  if (starts_like_html(bytes)) {
    auto document = read_html(bytes, settings);
    if (document) {
      document->warnings.push_back("named as " + std::string(kind_name(kind)) +
                                   ", but it is HTML and was read as such");
    }
    return document;
  }
  return kind == FileKind::kMarkdown ? read_markdown(bytes, settings)
                                     : read_plain_text(bytes, settings);
}

/// Passes the records of a JSONL file on, whatever reads its lines.
class RecordPump {
 public:
  RecordPump(std::string_view default_id, const ReadSettings& settings, const DocumentSink& sink,
             std::uint64_t after_record)
      : default_id_(default_id),
        settings_(settings),
        sink_(sink),
        after_record_(after_record),
        reader_(settings) {}

  /// False when the sink wants no more.
  bool take(std::uint64_t number, std::string_view line, bool too_long) {
    if (!too_long && line.find_first_not_of(" \t\r\n") == std::string_view::npos) return true;
    ++records_;
    if (number <= after_record_) return true;
    if (too_long) {
      return sink_(number, fail(ErrorCode::kLimit,
                                "line " + std::to_string(number) + " has more than " +
                                    std::to_string(settings_.max_record_bytes) + " bytes",
                                "split the record or raise ingest.max_record_bytes"));
    }
    auto document = reader_.read(line);
    if (!document) {
      return sink_(number, std::unexpected<Error>(
                               document.error().with_context("line " + std::to_string(number))));
    }
    complete_identity(*document, default_id_ + "#" + std::to_string(number));
    return sink_(number, std::move(document));
  }

  [[nodiscard]] std::uint64_t records() const { return records_; }

 private:
  std::string default_id_;
  const ReadSettings& settings_;
  const DocumentSink& sink_;
  std::uint64_t after_record_;
  JsonRecordReader reader_;
  std::uint64_t records_ = 0;
};

/// Files that are no JSON Lines are told by their beginning, before a million lines fail one by
/// one.
Result<void> check_json_lines(std::string_view beginning) {
  TRY(decode_text(beginning));
  const std::size_t first = beginning.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  const std::string_view line = beginning.substr(first, beginning.find('\n', first) - first);
  if (line.front() == '[') {
    return fail(ErrorCode::kUnsupported, "one JSON array, not JSON Lines",
                "write one JSON object per line, without brackets around them");
  }
  if (line.find_first_not_of("{ \t\r") == std::string_view::npos &&
      beginning.size() > line.size()) {
    return fail(ErrorCode::kUnsupported, "JSON over several lines, not JSON Lines",
                "write each JSON object on one line");
  }
  return {};
}

bool is_utf16(std::string_view beginning) {
  return beginning.starts_with("\xFF\xFE") || beginning.starts_with("\xFE\xFF") ||
         looks_like_utf16(beginning.substr(0, beginning.size() / 2 * 2)).has_value();
}

/// UTF-16 has its line ends at every other byte: such a file is read as a whole.
Result<void> read_utf16_json_lines(const std::filesystem::path& path, const ReadSettings& settings,
                                   RecordPump& pump) {
  const std::string bytes = TRY(read_file(path, settings.max_file_bytes));
  const DecodedText decoded = TRY(decode_text(bytes));
  std::string_view rest = decoded.text;
  for (std::uint64_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (!pump.take(number, line, line.size() > settings.max_record_bytes)) return {};
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return {};
}

Result<void> read_json_lines(const std::filesystem::path& path, std::string_view default_id,
                             const ReadSettings& settings, const DocumentSink& sink,
                             std::uint64_t after_record) {
  LineReader lines = TRY(LineReader::open(path, settings.max_record_bytes));
  const std::string_view beginning = TRY(lines.peek());
  if (beginning.empty()) return empty_file();
  RecordPump pump(default_id, settings, sink, after_record);
  if (is_utf16(beginning)) {
    TRY(read_utf16_json_lines(path, settings, pump));
  } else {
    if (auto checked = check_json_lines(beginning); !checked) {
      return std::unexpected<Error>(with_file(checked.error(), path, FileKind::kJsonLines));
    }
    while (true) {
      LineReader::Line line = TRY(lines.next());
      if (line.end) break;
      if (line.number == 1 && line.text.starts_with("\xEF\xBB\xBF")) line.text.remove_prefix(3);
      if (!pump.take(line.number, line.text, line.too_long)) return {};
    }
  }
  if (pump.records() == 0) return empty_file();
  return {};
}

}  // namespace

std::map<std::string, std::vector<std::string>> default_field_names() {
  return {
      {"id", {"id", "_id", "uid", "guid", "doc_id", "docid", "docno"}},
      {"title", {"title", "headline", "og:title", "dcterms.title", "dc.title"}},
      {"text", {"text", "body", "content", "contents"}},
      {"published",
       {"published_at", "date_published", "datePublished", "publish_date", "pubdate",
        "article:published_time", "date", "published", "dcterms.issued", "dcterms.date",
        "dcterms.created", "dc.date.issued", "dc.date", "created_at", "created"}},
      {"updated",
       {"updated_at", "date_modified", "dateModified", "article:modified_time", "og:updated_time",
        "updated", "modified", "modified_at", "last_modified", "lastmod", "dcterms.modified",
        "dc.date.modified"}},
      {"language", {"language", "lang", "dcterms.language", "dc.language", "inLanguage"}},
      {"url", {"url", "link", "canonical_url", "canonical", "og:url"}},
      {"source", {"source", "publisher", "site_name", "og:site_name", "feed"}},
      {"story", {"story", "story_id", "storyId"}},
      {"domain", {"domain"}},
      {"authors", {"authors", "author", "byline", "creator", "dcterms.creator", "dc.creator"}},
      {"tags", {"tags", "keywords", "article:tag", "categories"}},
      {"access", {"access", "access_labels"}},
  };
}

bool is_readable_kind(const std::filesystem::path& path) {
  return kind_of(path) != FileKind::kUnknown;
}

Result<void> read_documents(const std::filesystem::path& path, std::string_view default_id,
                            const ReadSettings& settings, const DocumentSink& sink,
                            std::uint64_t after_record) {
  const FileKind kind = kind_of(path);
  if (kind == FileKind::kUnknown) {
    return fail(ErrorCode::kUnsupported, "no reader for " + printable_path(path),
                "give .md, .markdown, .html, .htm, .xhtml, .txt, .text, .jsonl or .ndjson");
  }
  if (kind == FileKind::kJsonLines) {
    return read_json_lines(path, default_id, settings, sink, after_record);
  }
  const std::string bytes = TRY(read_file(path, settings.max_file_bytes));
  if (bytes.find_first_not_of(" \t\r\n") == std::string::npos) return empty_file();
  auto document = read_whole(bytes, kind, settings);
  if (!document) return std::unexpected<Error>(with_file(document.error(), path, kind));
  complete_identity(*document, std::string(default_id));
  sink(0, std::move(document));
  return {};
}

}  // namespace beleg
