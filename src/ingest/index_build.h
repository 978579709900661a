#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/ids.h"
#include "base/result.h"
#include "index/index_snapshot.h"
#include "store/corpus_store.h"
#include "store/embedding_pack.h"

namespace beleg {

/// Files of a corpus besides the truth.
[[nodiscard]] std::filesystem::path pack_path(const std::filesystem::path& corpus_folder);
[[nodiscard]] std::filesystem::path index_path(const std::filesystem::path& corpus_folder,
                                               Generation generation);

/// What an index is built from besides the truth and the pack.
struct IndexBase {
  /// The generation whose index may be continued; nothing: the index is built from nothing, as it
  /// must be when vectors moved in the pack.
  std::optional<Generation> parent;
  /// The weights that most searches will use: fastest with them.
  Bm25Settings weights;
};

/// Builds the derived index of a generation from the truth and the pack, and puts it in place by
/// one rename. kNotFound when the pack lacks a passage's vectors. `dims` of the encoder's vectors.
/// A generation that is being built gets a compound lexicon of its own when the corpus has doubled
/// since the last one; from then on its descendants use it, so that an index that is lost can be
/// built again with the same scores.
Result<void> build_index(CorpusStore& store, const EmbeddingPack& pack, Generation generation,
                         std::uint32_t dims, const IndexBase& base = {});

/// Dimensions of the vectors of a generation, as its first passage has them in the pack; 1 without
/// passages, for which every number is as good. kNotFound when the pack lacks the passage.
Result<std::uint32_t> embedding_dims(CorpusStore& store, const EmbeddingPack& pack,
                                     Generation generation);

/// Builds the derived index of a generation when its folder is not there: those of earlier
/// generations are not kept.
Result<void> ensure_index(CorpusStore& store, Generation generation);

/// Opens the derived index of a generation; when it is absent or damaged, builds it again first.
/// `rebuilt`, when given, tells which of the two happened. An empty corpus has an empty index.
Result<std::shared_ptr<const IndexSnapshot>> open_or_rebuild_index(CorpusStore& store,
                                                                   Generation generation,
                                                                   std::uint32_t dims,
                                                                   bool* rebuilt);

/// Removes all derived indexes of a corpus: what they say of places in the pack will not be true
/// any more. Each is built again when it is needed. Who has one open keeps it.
void remove_indexes(const std::filesystem::path& corpus_folder);

/// Removes derived indexes other than those of `current` and its parent: what was rolled back, what
/// a killed writer left, and old generations.
void remove_stale_indexes(const std::filesystem::path& corpus_folder,
                          const GenerationInfo& current);

}  // namespace beleg
