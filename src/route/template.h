#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "base/result.h"

namespace beleg {

/// A document that a template's answer rests on, and its content when the answer was reviewed.
struct TemplateSource {
  std::string document;  ///< The document's id as its source gives it.
  Sha256 sha256;         ///< Content hash at the time of the review.
};

/// A fixed, reviewed answer for a known intent: one Markdown file with YAML front matter.
///
///     ---
///     id: opening-hours
///     intent: opening_hours
///     language: en
///     owner: service desk
///     valid_until: 2027-06-30
///     examples:
///       - When are you open?
///       - What are your opening hours?
///     sources:
///       - {document: visit/hours, sha256: 0f…}
///     ---
///     We are open from Monday to Friday, 9 to 17.
struct Template {
  std::string id;        ///< Unique in its folder: letters, digits, ".", "_" and "-".
  std::string intent;    ///< Several templates may share one, for instance one per language.
  std::string language;  ///< ISO 639-1.
  std::vector<std::string> examples;  ///< Utterances; at least one.
  std::vector<TemplateSource> sources;
  std::string owner;
  std::optional<UnixSeconds> valid_until;  ///< First second on which it is no longer valid.
  std::string answer;                      ///< The Markdown below the front matter.
  std::filesystem::path path;
};

/// Parses one file. Errors: kCorrupt, naming file and field (and the line where YAML knows it).
/// Unknown fields are refused, so that a typing error cannot switch a rule off.
Result<Template> parse_template(std::string_view bytes, const std::filesystem::path& path);

struct TemplateFolder {
  std::vector<Template> templates;  ///< In order of their path.
  std::vector<Error> errors;        ///< One for each file that could not be read.
};

/// Loads every "*.md" file of a folder and its sub-folders, but for "README.md". A damaged file is
/// reported and does not keep the others from loading; of two templates with one id the later in
/// order is an error. Errors: kNotFound, kPermission, kIo for the folder itself.
Result<TemplateFolder> load_templates(const std::filesystem::path& folder);

/// The current content hash of a document, nothing when the corpus does not have it.
using ContentHashLookup = std::function<std::optional<Sha256>(std::string_view document)>;

/// Why a template may not answer now: past its date, or resting on a document that is gone or that
/// changed since the review. Nothing when it may.
[[nodiscard]] std::optional<std::string> suspension_reason(const Template& entry, UnixSeconds now,
                                                           const ContentHashLookup& current_hash);

}  // namespace beleg
