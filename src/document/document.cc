#include "document/document.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace beleg {
namespace {

using Json = nlohmann::json;

/// The names of kinds in stored JSON, in the order of BlockKind. Never renamed, only appended to.
constexpr std::array<std::string_view, 6> kKindNames{"heading", "paragraph", "list_item",
                                                     "table",   "code",      "caption"};
constexpr std::array<std::string_view, 3> kPrecisionNames{"day", "minute", "second"};

void append_integer(std::string& out, std::uint64_t value) {
  for (unsigned shift = 0; shift < 64; shift += 8) {
    out.push_back(static_cast<char>(value >> shift & 0xffU));
  }
}

void hash_date(Sha256Hasher& hasher, const std::optional<Date>& date) {
  std::string bytes;
  if (date) {
    append_integer(bytes, static_cast<std::uint64_t>(date->time));
    bytes.push_back(static_cast<char>(date->precision));
    bytes.push_back(date->has_zone ? '\1' : '\0');
  }
  hasher.update_field(bytes);
}

void hash_list(Sha256Hasher& hasher, const std::vector<std::string>& list) {
  std::string count;
  append_integer(count, list.size());
  hasher.update(count);
  for (const std::string& item : list) hasher.update_field(item);
}

Json date_to_json(const std::optional<Date>& date) {
  if (!date) return nullptr;
  return {{"time", date->time},
          {"precision", kPrecisionNames[static_cast<std::size_t>(date->precision)]},
          {"zone", date->has_zone}};
}

std::unexpected<Error> corrupt(const std::string& what) {
  return fail(ErrorCode::kCorrupt, "stored document: " + what,
              "restore the corpus from a backup, or ingest the source again");
}

/// Reads one member; a missing one keeps the default, one of another type is an error.
Result<void> read_text(const Json& json, const char* name, std::string& out) {
  const auto member = json.find(name);
  if (member == json.end()) return {};
  if (!member->is_string()) return corrupt(std::string("'") + name + "' is not text");
  out = member->get_ref<const std::string&>();
  return {};
}

Result<void> read_list(const Json& json, const char* name, std::vector<std::string>& out) {
  const auto member = json.find(name);
  if (member == json.end()) return {};
  if (!member->is_array()) return corrupt(std::string("'") + name + "' is not a list");
  for (const Json& item : *member) {
    if (!item.is_string())
      return corrupt(std::string("'") + name + "' has an item that is no text");
    out.push_back(item.get_ref<const std::string&>());
  }
  return {};
}

Result<void> read_stored_date(const Json& json, const char* name, std::optional<Date>& out) {
  const auto member = json.find(name);
  if (member == json.end() || member->is_null()) return {};
  const auto bad = [&] { return corrupt(std::string("'") + name + "' is not a date"); };
  if (!member->is_object()) return bad();
  const auto time = member->find("time");
  const auto precision = member->find("precision");
  const auto zone = member->find("zone");
  if (time == member->end() || !time->is_number_integer() || precision == member->end() ||
      !precision->is_string() || zone == member->end() || !zone->is_boolean()) {
    return bad();
  }
  for (std::size_t i = 0; i < kPrecisionNames.size(); ++i) {
    if (kPrecisionNames[i] != precision->get_ref<const std::string&>()) continue;
    out = Date{.time = time->get<UnixSeconds>(),
               .precision = static_cast<DatePrecision>(i),
               .has_zone = zone->get<bool>()};
    return {};
  }
  return bad();
}

void append_number(std::string& out, std::uint32_t value) {
  std::array<char, 10> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

Result<Block> block_from_json(const Json& json) {
  if (!json.is_array() || json.size() != 5 || !json[0].is_string()) {
    return corrupt("a block is not [kind, level, page, start, end]");
  }
  for (std::size_t i = 1; i < 5; ++i) {
    if (!json[i].is_number_unsigned() || json[i].get<std::uint64_t>() > UINT32_MAX) {
      return corrupt("a block has a member that is no 32-bit number");
    }
  }
  for (std::size_t kind = 0; kind < kKindNames.size(); ++kind) {
    if (kKindNames[kind] != json[0].get_ref<const std::string&>()) continue;
    const auto level = json[1].get<std::uint32_t>();
    const Span span{json[3].get<std::uint32_t>(), json[4].get<std::uint32_t>()};
    if (level > UINT8_MAX || span.start > span.end) return corrupt("a block is out of range");
    return Block{.kind = static_cast<BlockKind>(kind),
                 .level = static_cast<std::uint8_t>(level),
                 .page = json[2].get<std::uint32_t>(),
                 .span = span};
  }
  return corrupt("unknown kind of block");
}

}  // namespace

Sha256 content_hash(const ParsedDocument& document) {
  Sha256Hasher hasher;
  hasher.update_field("beleg document 1");
  hasher.update_field(document.text);
  std::string blocks;
  blocks.reserve(document.blocks.size() * 32);
  for (const Block& block : document.blocks) {
    append_integer(blocks, static_cast<std::uint64_t>(block.kind) << 8U | block.level);
    append_integer(blocks, block.page);
    append_integer(blocks, block.span.start);
    append_integer(blocks, block.span.end);
  }
  hasher.update_field(blocks);
  const DocumentMetadata& meta = document.meta;
  for (const std::string* field : {&meta.id, &meta.title, &meta.language, &meta.url, &meta.source,
                                   &meta.story, &meta.domain}) {
    hasher.update_field(*field);
  }
  hash_date(hasher, meta.published);
  hash_date(hasher, meta.updated);
  hash_list(hasher, meta.authors);
  hash_list(hasher, meta.tags);
  hash_list(hasher, meta.access);
  return hasher.finish();
}

std::string metadata_to_json(const DocumentMetadata& meta) {
  const Json json{{"id", meta.id},
                  {"title", meta.title},
                  {"published", date_to_json(meta.published)},
                  {"updated", date_to_json(meta.updated)},
                  {"language", meta.language},
                  {"url", meta.url},
                  {"source", meta.source},
                  {"story", meta.story},
                  {"domain", meta.domain},
                  {"authors", meta.authors},
                  {"tags", meta.tags},
                  {"access", meta.access}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<DocumentMetadata> metadata_from_json(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (!parsed.is_object()) return corrupt("the metadata is not a JSON object");
  DocumentMetadata meta;
  TRY(read_text(parsed, "id", meta.id));
  TRY(read_text(parsed, "title", meta.title));
  TRY(read_stored_date(parsed, "published", meta.published));
  TRY(read_stored_date(parsed, "updated", meta.updated));
  TRY(read_text(parsed, "language", meta.language));
  TRY(read_text(parsed, "url", meta.url));
  TRY(read_text(parsed, "source", meta.source));
  TRY(read_text(parsed, "story", meta.story));
  TRY(read_text(parsed, "domain", meta.domain));
  TRY(read_list(parsed, "authors", meta.authors));
  TRY(read_list(parsed, "tags", meta.tags));
  TRY(read_list(parsed, "access", meta.access));
  return meta;
}

std::string blocks_to_json(const std::vector<Block>& blocks) {
  std::string out = "[";
  out.reserve(blocks.size() * 32 + 2);
  for (const Block& block : blocks) {
    if (out.size() > 1) out.push_back(',');
    out += "[\"";
    out += kKindNames[static_cast<std::size_t>(block.kind)];
    out += "\",";
    append_number(out, block.level);
    out.push_back(',');
    append_number(out, block.page);
    out.push_back(',');
    append_number(out, block.span.start);
    out.push_back(',');
    append_number(out, block.span.end);
    out.push_back(']');
  }
  out.push_back(']');
  return out;
}

Result<std::vector<Block>> blocks_from_json(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (!parsed.is_array()) return corrupt("the blocks are not a JSON list");
  std::vector<Block> blocks;
  blocks.reserve(parsed.size());
  for (const Json& item : parsed) blocks.push_back(TRY(block_from_json(item)));
  return blocks;
}

}  // namespace beleg
