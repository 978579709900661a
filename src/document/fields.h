#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/document.h"
#include "document/reader.h"

namespace beleg {

/// A metadata value as the source wrote it: the common form of YAML, TOML, JSON and <meta> values.
struct FieldValue {
  enum class Kind : std::uint8_t { kNull, kText, kNumber, kFlag, kList, kOther };
  Kind kind = Kind::kNull;
  std::string text;                ///< Of kText, kNumber and kFlag, as written.
  std::vector<std::string> items;  ///< Of kList; values that are no text make the list kOther.
};

/// The fields of one document in source order.
using SourceFields = std::vector<std::pair<std::string, FieldValue>>;

/// The one access label of a document whose labels could not be read. No key is ever given it, so
/// that a typing mistake hides a document instead of showing it to everyone.
inline constexpr std::string_view kUnreadableAccess = "!unreadable";

/// Finds the metadata of `settings.fields` among the source's fields (names compare without ASCII
/// case) and fills `document.meta`. A value of the wrong kind or an unreadable date becomes a
/// warning that names the field, and the next name is tried. Unknown fields are ignored.
void apply_fields(const SourceFields& fields, const ReadSettings& settings,
                  ParsedDocument& document);

/// The first value of metadata `key` ("text", …) that is not null among the fields; a null pointer
/// when there is none. Dies with `fields`.
[[nodiscard]] const FieldValue* find_field(const SourceFields& fields, const ReadSettings& settings,
                                           std::string_view key);

/// True when a field of metadata `key` is there, be it null.
[[nodiscard]] bool has_field(const SourceFields& fields, const ReadSettings& settings,
                             std::string_view key);

/// True when `name` is one that some metadata may have.
[[nodiscard]] bool is_known_field(std::string_view name, const ReadSettings& settings);

/// The name of access labels with which a line of `front_matter` begins; a null pointer when there
/// is none. `indented` lines count as well where nothing could be parsed.
[[nodiscard]] const std::string* access_name(std::string_view front_matter, bool indented,
                                             const ReadSettings& settings);

/// Marks the document as unreadable for everyone when `front_matter`, whose fields do not have the
/// access labels, has a line that begins with one of their names.
void guard_access(std::string_view front_matter, const ReadSettings& settings,
                  ParsedDocument& document);

/// What every reader does last: the title in one line, a default story, the language by detection
/// where the source gave none.
void complete_metadata(ParsedDocument& document);

/// `text` without white space at its ends, runs of it inside as one blank. For titles.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace beleg
