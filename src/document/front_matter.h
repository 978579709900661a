#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "document/fields.h"

namespace beleg {

enum class FrontMatterKind : std::uint8_t { kNone, kYaml, kToml };

/// A Markdown file in two parts. The views die with the source.
struct FrontMatter {
  FrontMatterKind kind = FrontMatterKind::kNone;
  bool closed = false;      ///< False when the source runs to the end of the file.
  std::size_t line = 0;     ///< Of the opening fence, from 1.
  std::string_view source;  ///< Below the opening fence, above the closing one.
  std::string_view body;    ///< What follows; everything where nothing is closed.
};

/// Splits at "---" … "---" (or "...") for YAML and "+++" … "+++" for TOML; the opening fence is the
/// first line that is not blank. Whether it is a fence or a rule only the source tells.
[[nodiscard]] FrontMatter split_front_matter(std::string_view text);

/// True when the source begins as fields do ("key: value", "key = value") and not as prose below a
/// rule does. For what is not closed or cannot be parsed.
[[nodiscard]] bool looks_like_fields(const FrontMatter& parts, const ReadSettings& settings);

/// The last top-level field that begins above or in a line of the source (from 0); empty when there
/// is none. For messages.
[[nodiscard]] std::string_view field_at_line(const FrontMatter& parts, std::size_t line);

/// The first line of the source (from 0) whose value opens a quote or bracket that the line does
/// not close: there stands the mistake when a parser looks for the end of it in vain.
[[nodiscard]] std::optional<std::size_t> line_of_open_value(const FrontMatter& parts);

/// The top-level fields. Errors: kInvalidArgument with line, field and reason; kUnsupported when
/// the YAML is no mapping, hence no front matter.
Result<SourceFields> read_yaml_fields(const FrontMatter& parts);
Result<SourceFields> read_toml_fields(const FrontMatter& parts);

}  // namespace beleg
