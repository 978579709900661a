#include <exception>
#include <sstream>
#include <string>
#include <toml.hpp>
#include <utility>

#include "document/front_matter.h"

namespace beleg {
namespace {

using Kind = FieldValue::Kind;

constexpr std::size_t kLargestSource = 1U << 18U;  // Bytes.
constexpr std::size_t kDeepest = 64;               // The parser recurses into arrays and tables.

bool nests_too_deep(std::string_view source) {
  std::size_t open = 0;
  for (const char c : source) {
    if (c == '[' || c == '{') ++open;
    if ((c == ']' || c == '}') && open > 0) --open;
    if (open > kDeepest) return true;
  }
  return false;
}

template <class T>
std::string as_written(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

/// A scalar as text; false for arrays and tables.
bool scalar_text(const toml::value& value, std::string& text) {
  switch (value.type()) {
    case toml::value_t::string:
      text = value.as_string().str;
      return true;
    case toml::value_t::integer:
      text = std::to_string(value.as_integer());
      return true;
    case toml::value_t::floating:
      text = as_written(value.as_floating());
      return true;
    case toml::value_t::offset_datetime:
      text = as_written(value.as_offset_datetime());
      return true;
    case toml::value_t::local_datetime:
      text = as_written(value.as_local_datetime());
      return true;
    case toml::value_t::local_date:
      text = as_written(value.as_local_date());
      return true;
    default:
      return false;
  }
}

FieldValue convert(const toml::value& value) {
  FieldValue field;
  if (value.is_boolean()) {
    field.kind = Kind::kFlag;
  } else if (scalar_text(value, field.text)) {
    field.kind = Kind::kText;
  } else if (value.is_array()) {
    field.kind = Kind::kList;
    for (const toml::value& item : value.as_array()) {
      std::string text;
      if (!scalar_text(item, text)) return {.kind = Kind::kOther, .text = {}, .items = {}};
      field.items.push_back(std::move(text));
    }
  } else {
    field.kind = Kind::kOther;
  }
  return field;
}

/// The first line of the parser's report, which draws a picture of the source below it.
std::string first_line(std::string report) {
  report.resize(std::min(report.find('\n'), report.size()));
  return report;
}

std::unexpected<Error> invalid(std::string reason) {
  return fail(ErrorCode::kInvalidArgument, "front matter is not valid TOML: " + std::move(reason));
}

}  // namespace

Result<SourceFields> read_toml_fields(std::string_view source) {
  if (source.size() > kLargestSource) return invalid("it has more than 256 KiB");
  if (nests_too_deep(source)) return invalid("it nests too deep");
  try {
    std::istringstream in{std::string(source)};
    const toml::value root = toml::parse(in, "front matter");
    SourceFields fields;
    for (const auto& [name, value] : root.as_table()) fields.emplace_back(name, convert(value));
    return fields;
  } catch (const toml::exception& error) {
    // Line 1 is the opening fence.
    return invalid("line " + std::to_string(error.location().line() + 1) + ": " +
                   first_line(error.what()));
  } catch (const std::exception& error) {
    return invalid(first_line(error.what()));
  }
}

}  // namespace beleg
