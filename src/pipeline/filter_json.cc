#include "pipeline/filter_json.h"

#include <array>
#include <utility>

namespace beleg {
namespace {

using FieldName = std::pair<const char*, std::optional<TextField>>;
constexpr std::array<FieldName, 4> kFieldNames{{{"any", {}},
                                                {"title", TextField::kTitle},
                                                {"headings", TextField::kHeadings},
                                                {"body", TextField::kBody}}};

using KindName = std::pair<const char*, TextConditionKind>;
constexpr std::array<KindName, 2> kKindNames{
    {{"phrase", TextConditionKind::kPhrase}, {"all_words", TextConditionKind::kAllWords}}};

template <class Names, class Value>
const char* name_of(const Names& names, const Value& value) {
  for (const auto& [name, named] : names) {
    if (named == value) return name;
  }
  return names.front().first;
}

template <class Names, class Value>
bool read_name(const Names& names, const Json& json, Value& value) {
  for (const auto& [name, named] : names) {
    if (json == name) {
      value = named;
      return true;
    }
  }
  return false;
}

std::unexpected<Error> refuse() {
  return fail(ErrorCode::kCorrupt, "the filter of a trace does not have the form of a filter",
              "ask again");
}

Result<TextCondition> condition_from_json(const Json& json) {
  TextCondition condition;
  condition.text = json.at("text").get<std::string>();
  if (!read_name(kFieldNames, json.at("field"), condition.field) ||
      !read_name(kKindNames, json.at("kind"), condition.kind)) {
    return refuse();
  }
  return condition;
}

}  // namespace

Json filter_to_json(const FilterSpec& filter) {
  Json json = {{"languages", filter.languages},
               {"sources", filter.sources},
               {"stories", filter.stories},
               {"domains", filter.domains},
               {"held_access", filter.held_access}};
  if (filter.published_from) json["from"] = *filter.published_from;
  if (filter.published_until) json["until"] = *filter.published_until;
  for (const TextCondition& condition : filter.texts) {
    json["texts"].push_back({{"text", condition.text},
                             {"field", name_of(kFieldNames, condition.field)},
                             {"kind", name_of(kKindNames, condition.kind)}});
  }
  return json;
}

Result<FilterSpec> filter_from_json(const Json& json) {
  try {
    const auto texts = [&](const char* field) {
      return json.value(field, std::vector<std::string>{});
    };
    FilterSpec filter;
    filter.languages = texts("languages");
    filter.sources = texts("sources");
    filter.stories = texts("stories");
    filter.domains = texts("domains");
    filter.held_access = texts("held_access");
    if (json.contains("from")) filter.published_from = json["from"].get<std::int64_t>();
    if (json.contains("until")) filter.published_until = json["until"].get<std::int64_t>();
    for (const Json& condition : json.value("texts", Json::array())) {
      filter.texts.push_back(TRY(condition_from_json(condition)));
    }
    return filter;
  } catch (const nlohmann::json::exception&) {
    return refuse();
  }
}

}  // namespace beleg
