#include <algorithm>
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

/// The first line of the parser's report, which draws a picture of the source below it, without the
/// name of the function ("[error] toml::parse_date: ").
std::string first_line(std::string_view report) {
  report = report.substr(0, report.find('\n'));
  if (report.starts_with("[error] ")) report.remove_prefix(8);
  if (report.starts_with("toml::")) {
    const std::size_t end = report.find(": ");
    report.remove_prefix(end == std::string_view::npos ? 0 : end + 2);
  }
  return std::string(report);
}

/// The line of the source (from 0) that an error is about. Of a date that no calendar has the
/// parser gives line 1 wherever it stands, but shows what stands there.
std::size_t line_of(const toml::source_location& location, std::string_view source) {
  const std::size_t given = location.line() - std::min<std::size_t>(location.line(), 1);
  const std::string_view shown = location.line_str();
  std::size_t found = std::string_view::npos;
  for (std::size_t line = 0; line <= given || found == std::string_view::npos; ++line) {
    const std::size_t end = source.find('\n');
    const bool holds = source.substr(0, end).find(shown) != std::string_view::npos;
    if (holds && (line == given || found == std::string_view::npos)) found = line;
    if (end == std::string_view::npos) break;
    source.remove_prefix(end + 1);
  }
  return found == std::string_view::npos ? given : found;
}

std::unexpected<Error> invalid(std::string reason, std::string remedy) {
  return fail(ErrorCode::kInvalidArgument, "front matter is not valid TOML: " + std::move(reason),
              std::move(remedy));
}

/// Where and why the parser gave up, in lines of the file.
std::unexpected<Error> syntax_error(const toml::exception& error, const FrontMatter& parts) {
  std::size_t line = line_of(error.location(), parts.source);
  const auto lines = static_cast<std::size_t>(std::ranges::count(parts.source, '\n'));
  // Of an array that is not closed the parser names the line where it misses a comma.
  const std::string_view report = error.what();
  const bool is_open = line >= lines || report.find("array starts here") != std::string_view::npos;
  if (is_open) line = line_of_open_value(parts).value_or(line);
  std::string reason = "line " + std::to_string(parts.line + 1 + line);
  const std::string_view field = field_at_line(parts, line);
  if (!field.empty()) reason += ", field '" + std::string(field) + "'";
  return invalid(
      reason + ": " + first_line(report),
      is_open ? "close the quote or bracket that the value opens" : "put the value into quotes");
}

}  // namespace

Result<SourceFields> read_toml_fields(const FrontMatter& parts) {
  const std::string_view source = parts.source;
  if (source.size() > kLargestSource) {
    return invalid("it has more than 256 KiB", "shorten it, or end it earlier with a line +++");
  }
  if (nests_too_deep(source)) return invalid("it nests too deep", "write its values flat");
  try {
    std::istringstream in{std::string(source)};
    const toml::value root = toml::parse(in, "front matter");
    SourceFields fields;
    for (const auto& [name, value] : root.as_table()) fields.emplace_back(name, convert(value));
    return fields;
  } catch (const toml::exception& error) {
    return syntax_error(error, parts);
  } catch (const std::exception& error) {
    return invalid(first_line(error.what()), "write each field as key = value");
  }
}

}  // namespace beleg
