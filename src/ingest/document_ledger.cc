#include "ingest/document_ledger.h"

#include <utility>

namespace beleg {

void DocumentLedger::load(std::vector<DocumentHead> heads) {
  heads_ = std::move(heads);
  states_.assign(heads_.size(), HeadState::kUnseen);
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    sources_[heads_[i].source].heads.emplace(heads_[i].external_id, static_cast<std::uint32_t>(i));
  }
}

std::optional<std::size_t> DocumentLedger::find(std::string_view source,
                                                std::string_view id) const {
  const auto ids = sources_.find(source);
  if (ids == sources_.end()) return std::nullopt;
  const auto found = ids->second.heads.find(id);
  return found == ids->second.heads.end() ? std::nullopt
                                          : std::optional<std::size_t>(found->second);
}

std::optional<std::size_t> DocumentLedger::owner(std::string_view source,
                                                 std::string_view id) const {
  const auto ids = sources_.find(source);
  if (ids == sources_.end()) return std::nullopt;
  const auto found = ids->second.owners.find(id);
  return found == ids->second.owners.end() ? std::nullopt
                                           : std::optional<std::size_t>(found->second);
}

void DocumentLedger::take(std::string_view source, std::string_view id, std::size_t file) {
  auto ids = sources_.find(source);
  if (ids == sources_.end()) ids = sources_.emplace(std::string(source), Ids{}).first;
  ids->second.owners.insert_or_assign(std::string(id), static_cast<std::uint32_t>(file));
}

void DocumentLedger::release(std::string_view source, std::size_t file) {
  const auto ids = sources_.find(source);
  if (ids == sources_.end()) return;
  std::erase_if(ids->second.owners, [&](const auto& entry) {
    if (entry.second != file) return false;
    if (const auto known = find(source, entry.first)) states_[*known] = HeadState::kUnseen;
    return true;
  });
}

}  // namespace beleg
