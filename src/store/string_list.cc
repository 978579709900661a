#include "store/string_list.h"

#include <nlohmann/json.hpp>

namespace beleg {

std::string string_list_to_json(const std::vector<std::string>& list) {
  if (list.empty()) return "[]";
  return nlohmann::json(list).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<std::vector<std::string>> string_list_from_json(std::string_view json) {
  std::vector<std::string> list;
  if (json == "[]") return list;
  const nlohmann::json value = nlohmann::json::parse(json, nullptr, false);
  if (!value.is_array()) {
    return fail(ErrorCode::kCorrupt, "a stored list is not a JSON array", "run `beleg audit`");
  }
  list.reserve(value.size());
  for (const auto& item : value) {
    const auto* text = item.get_ptr<const std::string*>();
    if (text == nullptr) {
      return fail(ErrorCode::kCorrupt, "a stored list holds something that is no text",
                  "run `beleg audit`");
    }
    list.push_back(*text);
  }
  return list;
}

}  // namespace beleg
