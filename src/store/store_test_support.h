#pragma once

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "document/document.h"
#include "passage/passage.h"
#include "store/corpus_store.h"
#include "text/utf8.h"

namespace beleg::store_test {

/// A new folder, removed with everything in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "beleg-store-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A document with its passages, as an ingest would hand it over.
struct Sample {
  ParsedDocument content;
  std::vector<Passage> passages;
  std::vector<Sha256> keys;
};

/// Cuts `text` into passages of at most `length` code points.
inline Sample make_sample(std::string_view text, std::uint32_t length = 20) {
  Sample sample;
  sample.content.text = text;
  sample.content.encoding = "UTF-8";
  const CodePointIndex index(sample.content.text);
  for (std::uint32_t start = 0; start < index.size(); start += length) {
    Passage passage;
    passage.span = {start, std::min(start + length, index.size())};
    passage.bytes = index.to_bytes(passage.span);
    passage.ordinal = static_cast<std::uint32_t>(sample.passages.size());
    passage.heading_path = {"Kapitel " + std::to_string(passage.ordinal / 3)};
    sample.keys.push_back(sha256(index.slice(passage.span)));
    sample.passages.push_back(std::move(passage));
  }
  if (index.size() > 0) {
    sample.content.blocks.push_back({BlockKind::kParagraph, 0, 0, {0, index.size()}});
  }
  return sample;
}

inline Result<VersionId> stage(CorpusStore& store, std::string_view id, const Sample& sample) {
  return store.stage_version("quelle", id, "/archiv/" + std::string(id), sample.content,
                             sample.passages, sample.keys);
}

inline Result<VersionId> stage(CorpusStore& store, std::string_view id, std::string_view text) {
  return stage(store, id, make_sample(text));
}

/// Runs `body` in a child process. Returns the exit status, as waitpid gives it.
inline int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace beleg::store_test
