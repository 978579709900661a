#include "document/json_record.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "document/encoding.h"
#include "document/fields.h"
#include "document/paragraphs.h"
#include "text/utf8.h"

namespace beleg {
namespace {

using Kind = FieldValue::Kind;
using Json = nlohmann::json;

constexpr std::size_t kMostItems = 1000;  // Of one list.
constexpr std::string_view kBlank = " \t\r\n";

std::string number_text(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

/// The two parsers' values through one set of questions.
struct SimdView {
  simdjson::dom::element value;

  [[nodiscard]] bool is_null() const { return value.is_null(); }
  [[nodiscard]] bool is_flag() const { return value.is_bool(); }
  [[nodiscard]] bool text(std::string& out) const {
    std::string_view found;
    if (value.get_string().get(found) != simdjson::SUCCESS) return false;
    out = found;
    return true;
  }
  [[nodiscard]] bool number(std::string& out) const {
    if (value.is_int64()) {
      out = std::to_string(value.get_int64().value_unsafe());
    } else if (value.is_uint64()) {
      out = std::to_string(value.get_uint64().value_unsafe());
    } else if (value.is_double()) {
      out = number_text(value.get_double().value_unsafe());
    } else {
      return false;
    }
    return true;
  }
  template <class Visit>
  bool items(const Visit& visit) const {
    simdjson::dom::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return false;
    for (const simdjson::dom::element item : array) visit(SimdView{item});
    return true;
  }
  [[nodiscard]] bool name(std::string& out) const {
    simdjson::dom::object object;
    std::string_view found;
    if (value.get_object().get(object) != simdjson::SUCCESS ||
        object.at_key("name").get_string().get(found) != simdjson::SUCCESS) {
      return false;
    }
    out = found;
    return true;
  }
};

struct NlohmannView {
  const Json& value;

  [[nodiscard]] bool is_null() const { return value.is_null(); }
  [[nodiscard]] bool is_flag() const { return value.is_boolean(); }
  [[nodiscard]] bool text(std::string& out) const {
    if (!value.is_string()) return false;
    out = value.get_ref<const std::string&>();
    return true;
  }
  [[nodiscard]] bool number(std::string& out) const {
    if (!value.is_number()) return false;
    out = value.is_number_float() ? number_text(value.get<double>()) : value.dump();
    return true;
  }
  template <class Visit>
  bool items(const Visit& visit) const {
    if (!value.is_array()) return false;
    for (const Json& item : value) visit(NlohmannView{item});
    return true;
  }
  [[nodiscard]] bool name(std::string& out) const {
    const auto found = value.is_object() ? value.find("name") : value.end();
    return value.is_object() && found != value.end() && NlohmannView{*found}.text(out);
  }
};

template <class View>
FieldValue convert(const View& view) {
  FieldValue field;
  if (view.is_null()) return field;
  if (view.is_flag()) {
    field.kind = Kind::kFlag;
    return field;
  }
  if (view.text(field.text) || view.name(field.text)) {
    field.kind = Kind::kText;
    return field;
  }
  if (view.number(field.text)) {
    field.kind = Kind::kNumber;
    return field;
  }
  bool plain = true;
  const bool list = view.items([&](const View& item) {
    std::string text;
    if (item.is_null() || !plain) return;
    plain = (item.text(text) || item.number(text) || item.name(text)) &&
            field.items.size() < kMostItems;
    field.items.push_back(std::move(text));
  });
  field.kind = list && plain ? Kind::kList : Kind::kOther;
  return field;
}

std::unexpected<Error> bad_json(std::string reason) {
  return fail(ErrorCode::kInvalidArgument, "not a JSON object: " + std::move(reason),
              "write one JSON object per line");
}

/// Slow and exact: says where the JSON is wrong, or reads what the fast parser refuses (numbers
/// beyond 64 bits, nesting beyond 1024).
Result<SourceFields> read_slowly(std::string_view line) {
  try {
    const Json json = Json::parse(line);
    if (!json.is_object()) return bad_json("it is another kind of value");
    SourceFields fields;
    for (const auto& [name, value] : json.items()) {
      fields.emplace_back(name, convert(NlohmannView{value}));
    }
    return fields;
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, line.size());
    const std::string report = error.what();
    const std::size_t reason = report.rfind("; last read:");
    const std::size_t start = report.find(": ", report.find("column"));
    std::string text = start == std::string::npos
                           ? report
                           : report.substr(start + 2, std::min(reason, report.size()) - start - 2);
    return bad_json("column " + std::to_string(count_code_points(line.substr(0, at)) + 1) + ": " +
                    text);
  } catch (const std::exception& error) {
    return bad_json(error.what());
  }
}

void normalize_line_ends(std::string& text) {
  if (text.find('\r') == std::string::npos) return;
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out.push_back(text[i]);
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out.push_back('\n');
    }
  }
  text = std::move(out);
}

/// "\u0000" is legal JSON, but no character of a text.
std::uint32_t replace_nul(std::string& text) {
  std::uint32_t count = 0;
  for (std::size_t at = 0; (at = text.find('\0', at)) != std::string::npos; ++count) {
    text.replace(at, 1, "\xEF\xBF\xBD");
  }
  return count;
}

std::string joined_names(const ReadSettings& settings, const std::string& key) {
  std::string names;
  const auto found = settings.fields.find(key);
  if (found == settings.fields.end()) return names;
  for (const std::string& name : found->second) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace

struct JsonRecordReader::State {
  explicit State(const ReadSettings& read_settings) : settings(read_settings) {}

  const ReadSettings& settings;
  simdjson::dom::parser parser;

  Result<SourceFields> parse(std::string_view line) {
    simdjson::dom::element root;
    simdjson::dom::object object;
    if (parser.parse(line.data(), line.size()).get(root) != simdjson::SUCCESS) {
      return read_slowly(line);
    }
    if (root.get_object().get(object) != simdjson::SUCCESS) {
      return bad_json("it is another kind of value");
    }
    SourceFields fields;
    for (const simdjson::dom::key_value_pair member : object) {
      fields.emplace_back(std::string(member.key), convert(SimdView{member.value}));
    }
    return fields;
  }
};

JsonRecordReader::JsonRecordReader(const ReadSettings& settings)
    : state_(std::make_unique<State>(settings)) {}
JsonRecordReader::~JsonRecordReader() = default;

Result<ParsedDocument> JsonRecordReader::read(std::string_view line) {
  const ReadSettings& settings = state_->settings;
  if (line.size() > settings.max_record_bytes) {
    return fail(ErrorCode::kLimit,
                "the record has " + std::to_string(line.size()) + " bytes; the limit is " +
                    std::to_string(settings.max_record_bytes),
                "split it or raise ingest.max_record_bytes");
  }
  ParsedDocument document;
  document.encoding = "UTF-8";
  DecodedText decoded;
  if (!is_valid_utf8(line)) {
    decoded = TRY(decode_text(line));
    document.encoding = std::move(decoded.encoding);
    document.replacements = decoded.replacements;
    line = decoded.text;
  }
  const SourceFields fields = TRY(state_->parse(line));
  const FieldValue* text = find_field(fields, settings, "text");
  if (text == nullptr || text->kind != Kind::kText) {
    return fail(
        ErrorCode::kInvalidArgument,
        text == nullptr ? "the record has no field 'text'" : "the field of the text holds no text",
        "put the text into one of the fields: " + joined_names(settings, "text"));
  }
  document.text = text->text;
  apply_fields(fields, settings, document);
  if (document.text.find_first_not_of(kBlank) == std::string::npos) {
    // Collections have records that are a title only; they must be found too.
    if (document.meta.title.empty()) {
      return fail(ErrorCode::kInvalidArgument, "the text of the record is empty",
                  "leave the record out, or give it a text or a title");
    }
    document.text = document.meta.title;
    document.warnings.emplace_back("field 'text' is empty; the title stands for it");
  }
  normalize_line_ends(document.text);
  document.replacements += replace_nul(document.text);
  document.blocks = find_paragraphs(document.text, {.headings = false});
  complete_metadata(document);
  return document;
}

Result<ParsedDocument> read_json_record(std::string_view line, const ReadSettings& settings) {
  return JsonRecordReader(settings).read(line);
}

}  // namespace beleg
