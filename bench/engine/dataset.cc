#include "dataset.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/file.h"

namespace beleg {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMaxBytes = 4ULL << 30U;
constexpr std::string_view kJudgedPrefix = "xquad/";

std::string text_of(const Json& json, const char* field) {
  const auto found = json.find(field);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

Result<void> for_each_line(const std::filesystem::path& path,
                           const std::function<void(const Json&)>& visit) {
  const std::string bytes = TRY(read_file(path, kMaxBytes));
  std::size_t number = 0;
  for (std::size_t start = 0; start < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', start), bytes.size());
    const std::string_view line = std::string_view(bytes).substr(start, end - start);
    start = end + 1;
    ++number;
    if (line.empty()) continue;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || text_of(json, "id").empty() || text_of(json, "text").empty()) {
      return fail(
          ErrorCode::kInvalidArgument,
          printable_path(path) + ", line " + std::to_string(number) + ": needs 'id' and 'text'",
          "give one JSON object per line");
    }
    visit(json);
  }
  return {};
}

/// Every `items.size() / count`-th item.
template <class T>
std::vector<T> spread(std::vector<T> items, std::size_t count) {
  std::vector<T> kept;
  if (count == 0) return kept;
  const double step = static_cast<double>(items.size()) / static_cast<double>(count);
  kept.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    kept.push_back(std::move(items[static_cast<std::size_t>(static_cast<double>(i) * step)]));
  }
  return kept;
}

}  // namespace

Result<std::vector<BenchPassage>> load_passages(const std::filesystem::path& path,
                                                std::size_t limit) {
  std::vector<BenchPassage> all;
  TRY(for_each_line(path, [&](const Json& json) {
    BenchPassage passage{
        .id = text_of(json, "id"), .document = text_of(json, "doc"), .text = text_of(json, "text")};
    if (passage.document.empty()) passage.document = passage.id.substr(0, passage.id.rfind('#'));
    all.push_back(std::move(passage));
  }));
  if (limit == 0 || limit >= all.size()) return all;
  std::vector<BenchPassage> gold;
  std::vector<BenchPassage> rest;
  for (BenchPassage& passage : all) {
    std::vector<BenchPassage>& side = passage.id.starts_with(kJudgedPrefix) ? gold : rest;
    side.push_back(std::move(passage));
  }
  const std::size_t others = limit > gold.size() ? limit - gold.size() : 0;
  std::vector<BenchPassage> kept = spread(std::move(rest), others);
  const std::size_t skipped = gold.size() > limit ? gold.size() - limit : 0;
  std::move(gold.begin() + static_cast<std::ptrdiff_t>(skipped), gold.end(),
            std::back_inserter(kept));
  return kept;
}

Result<std::vector<BenchQuery>> load_queries(const std::filesystem::path& path, std::size_t count) {
  std::vector<BenchQuery> all;
  TRY(for_each_line(path, [&](const Json& json) {
    BenchQuery query{.text = text_of(json, "text"), .language = text_of(json, "lang")};
    if (const auto relevant = json.find("rel"); relevant != json.end() && relevant->is_array()) {
      for (const Json& id : *relevant) {
        if (id.is_string()) query.relevant.push_back(id.get<std::string>());
      }
    }
    all.push_back(std::move(query));
  }));
  if (all.empty()) {
    return fail(ErrorCode::kInvalidArgument, printable_path(path) + " holds no question");
  }
  if (count == 0 || count >= all.size()) return all;
  return spread(std::move(all), count);
}

std::size_t count_characters(const std::vector<BenchPassage>& passages) {
  std::size_t characters = 0;
  for (const BenchPassage& passage : passages) {
    for (const char c : passage.text) {
      characters += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U ? 1 : 0;
    }
  }
  return characters;
}

}  // namespace beleg
