#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "cli/corpus_actions.h"
#include "text/utf8.h"

namespace beleg {
namespace {

using Json = nlohmann::json;

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::int64_t number(Generation generation) { return static_cast<std::int64_t>(generation); }

Json tags_of(const std::vector<GenerationTag>& tags, Generation generation) {
  Json names = Json::array();
  for (const GenerationTag& tag : tags) {
    if (tag.generation == generation) names.push_back(tag.name);
  }
  return names;
}

std::string log_line(const Json& generation) {
  std::string line = "generation " + generation["generation"].dump() + "  " +
                     generation["created_at"].get<std::string>();
  const Json& stats = generation["stats"];
  for (const char* field : {"added", "changed", "removed", "failed", "passages"}) {
    if (stats.is_object() && stats.contains(field)) {
      line += std::string("  ") + field + " " + stats[field].dump();
    }
  }
  for (const Json& tag : generation["tags"])
    line += "  [" + printable_text(tag.get<std::string>()) + "]";
  if (generation["purged"] == true) line += "  purged";
  return line;
}

/// A document as two generations have it; either may be absent.
struct Pair {
  const DocumentHead* before = nullptr;
  const DocumentHead* after = nullptr;
};

struct TextChange {
  std::size_t removed = 0;  ///< Code points between what is the same at both ends …
  std::size_t added = 0;    ///< … and what stands there now.
};

TextChange compare_texts(const std::string& before, const std::string& after) {
  const CodePointIndex old_index(before);
  const CodePointIndex new_index(after);
  const auto slice = [](const CodePointIndex& index, std::uint32_t at) {
    return index.slice({at, at + 1});
  };
  const std::uint32_t shorter = std::min(old_index.size(), new_index.size());
  std::uint32_t start = 0;
  while (start < shorter && slice(old_index, start) == slice(new_index, start)) ++start;
  std::uint32_t end = 0;
  while (end < shorter - start && slice(old_index, old_index.size() - 1 - end) ==
                                      slice(new_index, new_index.size() - 1 - end)) {
    ++end;
  }
  return {old_index.size() - start - end, new_index.size() - start - end};
}

/// Which parts of a document differ.
Json changed_fields(const StoredVersion& before, const StoredVersion& after) {
  const Json old_meta = Json::parse(metadata_to_json(before.content.meta), nullptr, false);
  const Json new_meta = Json::parse(metadata_to_json(after.content.meta), nullptr, false);
  Json fields = Json::array();
  for (const auto& [name, value] : new_meta.items()) {
    if (old_meta.value(name, Json()) != value) fields.push_back(name);
  }
  for (const auto& [name, value] : old_meta.items()) {
    if (!new_meta.contains(name)) fields.push_back(name);
  }
  if (before.origin != after.origin) fields.push_back("origin");
  if (before.content.text != after.content.text) {
    fields.push_back("text");
  } else if (before.content.blocks != after.content.blocks) {
    fields.push_back("blocks");
  }
  return fields;
}

Result<Json> describe(CorpusStore& store, const DocumentHead& head) {
  const StoredVersion version = TRY(store.version(head.version));
  return Json{{"document", head.external_id},
              {"source", head.source},
              {"title", version.content.meta.title}};
}

Result<Json> describe_change(CorpusStore& store, const Pair& pair) {
  const StoredVersion before = TRY(store.version(pair.before->version));
  const StoredVersion after = TRY(store.version(pair.after->version));
  const TextChange change = compare_texts(before.content.text, after.content.text);
  Json entry = TRY(describe(store, *pair.after));
  entry["fields"] = changed_fields(before, after);
  entry["characters_removed"] = change.removed;
  entry["characters_added"] = change.added;
  return entry;
}

Result<Json> compare_generations(CorpusStore& store, Generation from, Generation to) {
  const auto before = TRY(store.heads(from));
  const auto after = TRY(store.heads(to));
  std::map<std::pair<std::string, std::string>, Pair> documents;
  for (const DocumentHead& head : before) documents[{head.external_id, head.source}].before = &head;
  for (const DocumentHead& head : after) documents[{head.external_id, head.source}].after = &head;
  Json added = Json::array();
  Json changed = Json::array();
  Json removed = Json::array();
  for (const auto& [name, pair] : documents) {
    if (pair.before == nullptr) {
      added.push_back(TRY(describe(store, *pair.after)));
    } else if (pair.after == nullptr) {
      removed.push_back(TRY(describe(store, *pair.before)));
    } else if (pair.before->version != pair.after->version) {
      changed.push_back(TRY(describe_change(store, pair)));
    }
  }
  return Json{{"from", number(from)},
              {"to", number(to)},
              {"added", std::move(added)},
              {"changed", std::move(changed)},
              {"removed", std::move(removed)}};
}

std::string document_line(const Json& entry) {
  return printable_text(entry["document"].get<std::string>()) + "  " +
         printable_text(entry["title"].get<std::string>());
}

void print_difference(const Session& session, const Json& difference) {
  session.print("from generation " + difference["from"].dump() + " to " + difference["to"].dump() +
                ": " + std::to_string(difference["added"].size()) + " added, " +
                std::to_string(difference["changed"].size()) + " changed, " +
                std::to_string(difference["removed"].size()) + " removed");
  for (const Json& entry : difference["added"]) session.print("+ " + document_line(entry));
  for (const Json& entry : difference["changed"]) {
    std::string line = "~ " + document_line(entry) + "  (";
    std::string fields;
    for (const Json& field : entry["fields"]) {
      fields += (fields.empty() ? "" : ", ") + field.get<std::string>();
      if (field == "text") {
        fields += ": " + entry["characters_removed"].dump() + " characters became " +
                  entry["characters_added"].dump();
      }
    }
    session.print(line + (fields.empty() ? "cut anew" : fields) + ")");
  }
  for (const Json& entry : difference["removed"]) session.print("- " + document_line(entry));
}

Result<int> list_tags(const Session& session, CorpusStore& store) {
  Json all = Json::array();
  for (const GenerationTag& tag : TRY(store.tags())) {
    all.push_back({{"tag", tag.name},
                   {"generation", number(tag.generation)},
                   {"created_at", format_utc(tag.created_at)}});
  }
  if (session.json()) {
    session.print(dumped(all));
    return kExitOk;
  }
  for (const Json& tag : all) {
    session.print(printable_text(tag["tag"].get<std::string>()) + "  generation " +
                  tag["generation"].dump() + "  " + tag["created_at"].get<std::string>());
  }
  if (all.empty()) session.print("no generation has a tag: `beleg corpus tag NAME` gives one");
  return kExitOk;
}

}  // namespace

Result<int> show_log(const Session& session) {
  const auto store = TRY(session.open_store());
  const auto tags = TRY(store->tags());
  Json all = Json::array();
  for (const GenerationInfo& generation : TRY(store->log())) {
    all.push_back({{"generation", number(generation.number)},
                   {"parent", number(generation.parent)},
                   {"created_at", format_utc(generation.created_at)},
                   {"tags", tags_of(tags, generation.number)},
                   {"purged", generation.purged},
                   {"stats", Json::parse(generation.stats_json, nullptr, false)}});
  }
  if (session.json()) {
    session.print(dumped(all));
    return kExitOk;
  }
  for (const Json& generation : all) session.print(log_line(generation));
  return kExitOk;
}

Result<int> show_difference(const Session& session, const std::vector<std::string>& names) {
  if (names.empty() || names.size() > 2) {
    return fail(
        ErrorCode::kInvalidArgument, "diff compares two generations",
        "give `beleg corpus diff A [B]`: numbers or tags; B is the current one unless given");
  }
  const auto store = TRY(session.open_store());
  const GenerationInfo from = TRY(find_generation(*store, names[0]));
  const GenerationInfo to = TRY(find_generation(*store, names.size() > 1 ? names[1] : ""));
  const Json difference = TRY(compare_generations(*store, from.number, to.number));
  if (session.json()) {
    session.print(dumped(difference));
  } else {
    print_difference(session, difference);
  }
  return kExitOk;
}

Result<int> change_tags(const Session& session, const std::vector<std::string>& names,
                        bool remove) {
  const auto store = TRY(session.open_store());
  if (names.empty() && !remove) return list_tags(session, *store);
  if (names.empty() || names.size() > (remove ? 1U : 2U)) {
    return fail(ErrorCode::kInvalidArgument, "tag takes a name and a generation",
                "give `beleg corpus tag NAME [GENERATION]`, or `beleg corpus tag --delete NAME`");
  }
  const std::string& name = names[0];
  if (remove) {
    TRY(store->remove_tag(name));
    session.print(session.json() ? Json{{"deleted", name}}.dump() : "deleted the tag " + name);
    return kExitOk;
  }
  const GenerationInfo generation = TRY(find_generation(*store, names.size() > 1 ? names[1] : ""));
  TRY(store->put_tag(name, generation.number));
  session.print(session.json()
                    ? Json{{"tag", name}, {"generation", number(generation.number)}}.dump()
                    : "generation " + std::to_string(number(generation.number)) + " has the tag " +
                          name);
  return kExitOk;
}

}  // namespace beleg
