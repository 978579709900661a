#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/corpus_store.h"

namespace beleg {

/// What became of a document that the corpus had when the ingest began.
enum class HeadState : std::uint8_t {
  kUnseen,
  kSeen,    ///< Met in a file, and no new version of it was staged.
  kStaged,  ///< A new version of it was staged.
  kRemoved,
};

/// The ids of an ingest: those that the corpus had, and those that were met in files. The only part
/// of an ingest that grows with the number of documents.
class DocumentLedger {
 public:
  /// The documents of the generation that is built upon. Once, before all else.
  void load(std::vector<DocumentHead> heads);

  [[nodiscard]] std::size_t heads() const { return heads_.size(); }
  [[nodiscard]] const DocumentHead& head(std::size_t number) const { return heads_[number]; }
  [[nodiscard]] HeadState state(std::size_t number) const { return states_[number]; }
  void set_state(std::size_t number, HeadState state) { states_[number] = state; }
  /// Number of the head with this identity.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view source, std::string_view id) const;

  /// The file in which an id was met, by its place in the order of the run.
  [[nodiscard]] std::optional<std::size_t> owner(std::string_view source,
                                                 std::string_view id) const;
  void take(std::string_view source, std::string_view id, std::size_t file);
  /// As if a file had not been read. Walks all ids.
  void release(std::string_view source, std::size_t file);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  struct Ids {
    std::unordered_map<std::string_view, std::uint32_t> heads;  // Views into heads_.
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> owners;
  };

  std::vector<DocumentHead> heads_;
  std::vector<HeadState> states_;
  std::map<std::string, Ids, std::less<>> sources_;
};

}  // namespace beleg
