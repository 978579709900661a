#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "document/fields.h"

namespace beleg {

enum class FrontMatterKind : std::uint8_t { kNone, kYaml, kToml };

/// A Markdown file in two parts. The views die with the source.
struct FrontMatter {
  FrontMatterKind kind = FrontMatterKind::kNone;
  std::string_view source;  ///< Between the fences.
  std::string_view body;    ///< What follows; everything where there is no front matter.
};

/// Splits at "---" … "---" (or "...") for YAML and "+++" … "+++" for TOML, on the first line.
/// Without a closing fence there is no front matter: "---" alone is a rule.
[[nodiscard]] FrontMatter split_front_matter(std::string_view text);

/// The top-level fields. Errors: kInvalidArgument with line and reason; kUnsupported when the YAML
/// is no mapping, hence no front matter.
Result<SourceFields> read_yaml_fields(std::string_view source);
Result<SourceFields> read_toml_fields(std::string_view source);

}  // namespace beleg
