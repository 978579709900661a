#include "document/fields.h"

#include <algorithm>

#include "document/date.h"
#include "document/language_code.h"
#include "text/language.h"

namespace beleg {
namespace {

using Kind = FieldValue::Kind;

constexpr std::size_t kSlices = 4;        // Of a long text, spread over it: a German manual may
constexpr std::size_t kSliceBytes = 256;  // begin with an English licence.
constexpr std::size_t kQuotedValue = 80;  // Bytes of a wrong value that a warning repeats.
constexpr std::string_view kBlank = " \t\r\n\f\v";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "empty";
    case Kind::kText:
      return "text";
    case Kind::kNumber:
      return "a number";
    case Kind::kFlag:
      return "true or false";
    case Kind::kList:
      return "a list";
    case Kind::kOther:
      return "a nested value";
  }
  return "a nested value";
}

/// The beginning of a value, cut at a character, for a warning.
std::string quote_value(std::string_view value) {
  std::size_t end = std::min(value.size(), kQuotedValue);
  while (end > 0 && end < value.size() &&
         (static_cast<unsigned char>(value[end]) & 0xc0U) == 0x80U) {
    --end;
  }
  return "'" + one_line(value.substr(0, end)) + (end < value.size() ? "…'" : "'");
}

/// One source's fields with the names that each metadata key may have.
class FieldReader {
 public:
  FieldReader(const SourceFields& fields, const ReadSettings& settings, ParsedDocument& document)
      : fields_(fields), settings_(settings), document_(document) {}

  /// Calls `accept(name, value)` for each field named like `key`, in the settings' order of
  /// preference, until it returns true.
  template <class Accept>
  void read(std::string_view key, const Accept& accept) const {
    const auto names = settings_.fields.find(std::string(key));
    if (names == settings_.fields.end()) return;
    for (const std::string& name : names->second) {
      for (const auto& [field, value] : fields_) {
        if (value.kind != Kind::kNull && same_name(field, name) && accept(field, value)) return;
      }
    }
  }

  void read_text(std::string_view key, std::string& out) const {
    read(key, [&](const std::string& name, const FieldValue& value) {
      if (value.kind != Kind::kText && value.kind != Kind::kNumber) {
        return wrong_kind(name, value, "text");
      }
      const std::string_view text = trimmed(value.text);
      if (text.empty()) return false;
      out = text;
      return true;
    });
  }

  void read_date(std::string_view key, std::optional<Date>& out) const {
    read(key, [&](const std::string& name, const FieldValue& value) {
      // "published: true" is how some blogs tell a post from a draft.
      if (value.kind == Kind::kFlag) return false;
      if (value.kind != Kind::kText && value.kind != Kind::kNumber) {
        return wrong_kind(name, value, "a date");
      }
      if (trimmed(value.text).empty()) return false;
      out = parse_date(value.text);
      if (out) return true;
      warn("date " + quote_value(value.text) + " in field '" + name + "' is not readable");
      return false;
    });
  }

  void read_language() const {
    read("language", [&](const std::string& name, const FieldValue& value) {
      if (value.kind != Kind::kText) return wrong_kind(name, value, "a language");
      std::string code = language_code(value.text);
      if (code.empty()) {
        if (!trimmed(value.text).empty() && !same_name(trimmed(value.text), "und")) {
          warn("language " + quote_value(value.text) + " in field '" + name + "' is not known");
        }
        return false;
      }
      document_.meta.language = std::move(code);
      return true;
    });
  }

  /// Fields of the same name add up: HTML has one <meta> for each author.
  void read_list(std::string_view key, bool always_split, std::vector<std::string>& out) const {
    std::string taken;
    read(key, [&](const std::string& name, const FieldValue& value) {
      if (!out.empty() && !same_name(name, taken)) return true;
      taken = name;
      if (value.kind == Kind::kList) {
        for (const std::string& item : value.items) append_item(item, out);
      } else if (value.kind == Kind::kText || value.kind == Kind::kNumber) {
        split_list(value.text, always_split, out);
      } else {
        wrong_kind(name, value, "a list");
      }
      return false;
    });
  }

  /// Labels that cannot be read must not turn into "everyone".
  void read_access() const {
    std::vector<std::string>& access = document_.meta.access;
    read("access", [&](const std::string& name, const FieldValue& value) {
      if (value.kind == Kind::kList) {
        for (const std::string& item : value.items) append_item(item, access);
      } else if (value.kind == Kind::kText) {
        split_list(value.text, true, access);
      } else {
        wrong_kind(name, value, "a list of labels; nobody will see the document");
        access.assign(1, std::string(kUnreadableAccess));
      }
      return true;
    });
  }

 private:
  static void append_item(std::string_view item, std::vector<std::string>& out) {
    std::string tidy = one_line(item);
    if (!tidy.empty() && std::find(out.begin(), out.end(), tidy) == out.end()) {
      out.push_back(std::move(tidy));
    }
  }

  /// Splits at semicolons, else at commas. In a list of people a comma may part surname and first
  /// name ("Doe, Jane"), so it counts only where each part has a blank itself.
  static void split_list(std::string_view text, bool always, std::vector<std::string>& out) {
    const char separator = text.find(';') != std::string_view::npos ? ';' : ',';
    std::vector<std::string_view> parts;
    while (true) {
      const std::size_t at = text.find(separator);
      parts.push_back(trimmed(text.substr(0, at)));
      if (at == std::string_view::npos) break;
      text.remove_prefix(at + 1);
    }
    const bool full_names = std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
      return part.find(' ') != std::string_view::npos;
    });
    if (always || separator == ';' || full_names) {
      for (const std::string_view part : parts) append_item(part, out);
      return;
    }
    std::string whole;
    for (const std::string_view part : parts) {
      if (!whole.empty()) whole += ", ";
      whole += part;
    }
    append_item(whole, out);
  }

  bool wrong_kind(const std::string& name, const FieldValue& value, std::string_view wanted) const {
    warn("field '" + name + "' is " + std::string(kind_name(value.kind)) + ", not " +
         std::string(wanted));
    return false;
  }

  void warn(std::string text) const { document_.warnings.push_back(std::move(text)); }

  const SourceFields& fields_;
  const ReadSettings& settings_;
  ParsedDocument& document_;
};

}  // namespace

std::string one_line(std::string_view text) {
  std::string out;
  bool pending = false;
  for (const char c : text) {
    if (kBlank.find(c) != std::string_view::npos) {
      pending = !out.empty();
      continue;
    }
    if (pending) out.push_back(' ');
    pending = false;
    out.push_back(c);
  }
  return out;
}

void apply_fields(const SourceFields& fields, const ReadSettings& settings,
                  ParsedDocument& document) {
  const FieldReader reader(fields, settings, document);
  DocumentMetadata& meta = document.meta;
  reader.read_text("id", meta.id);
  reader.read_text("title", meta.title);
  reader.read_date("published", meta.published);
  reader.read_date("updated", meta.updated);
  reader.read_language();
  reader.read_text("url", meta.url);
  reader.read_text("source", meta.source);
  reader.read_text("story", meta.story);
  reader.read_text("domain", meta.domain);
  reader.read_list("authors", false, meta.authors);
  reader.read_list("tags", true, meta.tags);
  reader.read_access();
}

const FieldValue* find_field(const SourceFields& fields, const ReadSettings& settings,
                             std::string_view key) {
  const auto names = settings.fields.find(std::string(key));
  if (names == settings.fields.end()) return nullptr;
  for (const std::string& name : names->second) {
    for (const auto& [field, value] : fields) {
      if (value.kind != Kind::kNull && same_name(field, name)) return &value;
    }
  }
  return nullptr;
}

bool has_field(const SourceFields& fields, const ReadSettings& settings, std::string_view key) {
  const auto names = settings.fields.find(std::string(key));
  if (names == settings.fields.end()) return false;
  return std::any_of(fields.begin(), fields.end(), [&](const auto& field) {
    return std::any_of(names->second.begin(), names->second.end(),
                       [&](const std::string& name) { return same_name(field.first, name); });
  });
}

bool is_known_field(std::string_view name, const ReadSettings& settings) {
  return std::any_of(settings.fields.begin(), settings.fields.end(), [&](const auto& names) {
    return std::any_of(names.second.begin(), names.second.end(),
                       [&](const std::string& known) { return same_name(name, known); });
  });
}

const std::string* access_name(std::string_view front_matter, bool indented,
                               const ReadSettings& settings) {
  const auto names = settings.fields.find("access");
  if (names == settings.fields.end()) return nullptr;
  while (!front_matter.empty()) {
    const std::size_t end = front_matter.find('\n');
    std::string_view line = front_matter.substr(0, end);
    front_matter.remove_prefix(end == std::string_view::npos ? front_matter.size() : end + 1);
    const std::string_view skipped = indented ? " \t\"'" : "\"'";
    line.remove_prefix(std::min(line.find_first_not_of(skipped), line.size()));
    for (const std::string& name : names->second) {
      if (line.size() <= name.size() || !same_name(line.substr(0, name.size()), name)) continue;
      const std::string_view after = trimmed(line.substr(name.size()));
      if (!after.empty() &&
          std::string_view(":=\"'").find(after.front()) != std::string_view::npos) {
        return &name;
      }
    }
  }
  return nullptr;
}

void guard_access(std::string_view front_matter, const ReadSettings& settings,
                  ParsedDocument& document) {
  const std::string* name = access_name(front_matter, false, settings);
  if (name == nullptr) return;
  document.meta.access.assign(1, std::string(kUnreadableAccess));
  document.warnings.push_back("field '" + *name +
                              "' stands in the front matter but is not readable; nobody will see "
                              "the document");
}

namespace {

/// Enough of a text to tell its language.
std::string language_sample(std::string_view text) {
  if (text.size() <= kSlices * kSliceBytes) return std::string(text);
  const auto is_inside_character = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
  };
  std::string sample;
  for (std::size_t slice = 0; slice < kSlices; ++slice) {
    std::size_t start = (text.size() - kSliceBytes) * slice / (kSlices - 1);
    while (is_inside_character(start)) ++start;
    std::size_t end = std::min(start + kSliceBytes, text.size());
    while (is_inside_character(end)) ++end;
    sample.append(text, start, end - start);
    sample.push_back('\n');
  }
  return sample;
}

}  // namespace

void complete_metadata(ParsedDocument& document) {
  DocumentMetadata& meta = document.meta;
  meta.title = one_line(meta.title);
  if (meta.language == "und") {
    meta.language = detect_language(language_sample(document.text)).code;
  }
  if (meta.story.empty()) meta.story = meta.id;
}

}  // namespace beleg
