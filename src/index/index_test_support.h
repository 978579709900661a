#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "index/embedding_payload.h"
#include "index/index_snapshot.h"

namespace beleg::testing_support {

/// A folder of its own for each test, removed afterwards.
class TemporaryTestFolder {
 public:
  TemporaryTestFolder() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            ("beleg_index_" + std::string(info->test_suite_name()) + "_" + info->name() + "_" +
             std::to_string(::getpid()));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  TemporaryTestFolder(const TemporaryTestFolder&) = delete;
  TemporaryTestFolder& operator=(const TemporaryTestFolder&) = delete;
  ~TemporaryTestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A number below `limit`.
inline std::uint32_t draw(std::mt19937& random, std::size_t limit) {
  return static_cast<std::uint32_t>(random() % limit);
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Overwrites one byte of a file.
inline void patch_byte(const std::filesystem::path& path, std::size_t offset, char value) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(value);
}

/// What a row is made of.
struct TestRow {
  RowAttributes attributes;
  std::string title;
  std::string headings;
  std::string body;
  EncodedText encoded;
};

inline void normalise(float* vector, std::size_t dims) {
  float square = 0.0F;
  for (std::size_t i = 0; i < dims; ++i) square += vector[i] * vector[i];
  for (std::size_t i = 0; i < dims; ++i) vector[i] /= std::sqrt(square);
}

/// Unit vectors with a large common mean, as text encoders make them.
inline std::vector<float> random_vectors(std::mt19937& random, std::size_t count,
                                         std::size_t dims) {
  std::normal_distribution<float> noise;
  std::vector<float> vectors(count * dims);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::size_t d = i % dims;
    vectors[i] = noise(random) + 1.5F * std::cos(static_cast<float>(d * d + 1));
  }
  for (std::size_t v = 0; v < count; ++v) normalise(vectors.data() + v * dims, dims);
  return vectors;
}

inline EncodedText random_encoded(std::mt19937& random, std::uint32_t tokens, std::uint32_t dims) {
  EncodedText encoded;
  encoded.dense = random_vectors(random, 1, dims);
  encoded.token_vectors = random_vectors(random, tokens, dims);
  for (std::uint32_t t = 0; t < tokens; ++t) {
    encoded.tokens.push_back({static_cast<TokenId>(random() % 500), {}});
  }
  encoded.context_tokens = tokens / 4;
  return encoded;
}

inline QueryVectors random_query(std::mt19937& random, std::uint32_t tokens, std::uint32_t dims) {
  const EncodedText encoded = random_encoded(random, tokens, dims);
  QueryVectors query;
  query.dense = encoded.dense;
  query.token_vectors = encoded.token_vectors;
  for (const Token& token : encoded.tokens) query.tokens.push_back(token.id);
  return query;
}

/// Rows with random attributes, words and vectors.
inline std::vector<TestRow> random_rows(std::mt19937& random, std::size_t count,
                                        std::uint32_t dims) {
  static const std::vector<std::string> kWords{
      "harbour", "signal", "copper",  "lantern", "meadow", "engine", "bridge", "winter",
      "Hafen",   "Kupfer", "Laterne", "Wiese",   "Motor",  "Brücke", "Winter", "Steuerzahler",
      "the",     "of",     "und",     "die",     "DEC-54", "802.11"};
  static const std::vector<std::string> kLanguages{"de", "en", "fr"};
  std::vector<TestRow> rows(count);
  for (std::size_t i = 0; i < count; ++i) {
    TestRow& row = rows[i];
    row.attributes.passage = PassageId{static_cast<std::int64_t>(3 * i + 7)};
    row.attributes.version = VersionId{static_cast<std::int64_t>(i / 2)};
    row.attributes.document = DocumentId{static_cast<std::int64_t>(1000 - i / 3)};
    if (i % 5 != 0) row.attributes.published = static_cast<std::int64_t>(random() % 1000) - 500;
    row.attributes.language = kLanguages[random() % 3];
    row.attributes.source = "source" + std::to_string(random() % 4);
    row.attributes.story = "story" + std::to_string(random() % (count / 4 + 1));
    row.attributes.domain = random() % 2 == 0 ? "general" : "medical";
    if (random() % 4 == 0) row.attributes.access.push_back("label" + std::to_string(random() % 3));
    if (random() % 9 == 0) row.attributes.access.push_back("board");
    const auto words = [&](std::size_t n) {
      std::string text;
      for (std::size_t w = 0; w < n; ++w) text += kWords[random() % kWords.size()] + " ";
      return text;
    };
    row.title = words(random() % 4);
    row.headings = words(random() % 3);
    row.body = words(random() % 30);
    row.encoded = random_encoded(random, static_cast<std::uint32_t>(random() % 40), dims);
  }
  return rows;
}

/// An index on disk, with its pack.
struct TestIndex {
  std::filesystem::path folder;
  std::filesystem::path pack;

  [[nodiscard]] std::shared_ptr<const IndexSnapshot> open() const {
    return MUST(IndexSnapshot::open(folder, pack));
  }
};

/// Rows are all visible without labels where `encoded` is empty too: dims 0.
inline TestIndex build_index(const std::filesystem::path& home, const std::vector<TestRow>& rows,
                             std::uint32_t dims, const std::string& name = "index") {
  TestIndex index{home / name, home / (name + ".pack")};
  CompoundLexiconBuilder compounds;
  for (const TestRow& row : rows) {
    if (row.attributes.language == "de") compounds.add_text(row.body);
  }
  std::unique_ptr<IndexBuilder> builder = IndexBuilder::create(
      {.dims = dims, .pack = index.pack, .compounds = compounds.build()}, index.folder);
  std::string pack(128, 'h');  // Payloads do not start at the beginning.
  for (const TestRow& row : rows) {
    const std::vector<std::byte> payload = pack_embedding(row.encoded);
    MUST(builder->add(row.attributes, {row.title, row.headings, row.body}, payload, pack.size()));
    pack.append(reinterpret_cast<const char*>(payload.data()), payload.size());
  }
  write_bytes(index.pack, pack);
  MUST(builder->write());
  return index;
}

/// An index of three segments, grown over three generations; in the last one, every `gone`-th of
/// the rows is deleted. `rows` are 100 or more without vectors.
inline TestIndex build_grown_index(const std::filesystem::path& home,
                                   const std::vector<TestRow>& rows, std::size_t gone) {
  TestIndex index{home / "grown3", home / "grown.pack"};
  CompoundLexiconBuilder compounds;
  std::string pack(128, 'h');
  std::vector<std::vector<std::byte>> payloads;
  std::vector<std::uint64_t> offsets;
  for (const TestRow& row : rows) {
    if (row.attributes.language == "de") compounds.add_text(row.body);
    payloads.push_back(pack_embedding(row.encoded));
    offsets.push_back(pack.size());
    pack.append(reinterpret_cast<const char*>(payloads.back().data()), payloads.back().size());
  }
  write_bytes(index.pack, pack);
  const IndexForm form{.dims = 0, .pack = index.pack, .compounds = compounds.build()};
  // Each is more than twice as large as the next, so that none is made anew.
  const std::size_t ends[] = {rows.size() * 8 / 10, rows.size() * 97 / 100, rows.size()};
  for (std::size_t generation = 1; generation <= 3; ++generation) {
    const auto builder = IndexBuilder::create(form, home / ("grown" + std::to_string(generation)));
    std::vector<std::size_t> live;
    std::vector<PassageId> passages;
    for (std::size_t i = 0; i < ends[generation - 1]; ++i) {
      if (generation == 3 && i % gone == 0) continue;
      live.push_back(i);
      passages.push_back(rows[i].attributes.passage);
    }
    PassageId first{0};
    if (generation > 1) {
      first = builder->keep(home / ("grown" + std::to_string(generation - 1)), passages);
    }
    for (const std::size_t i : live) {
      if (rows[i].attributes.passage < first) continue;
      MUST(builder->add(rows[i].attributes, {rows[i].title, rows[i].headings, rows[i].body},
                        payloads[i], offsets[i]));
    }
    MUST(builder->write());
  }
  return index;
}

}  // namespace beleg::testing_support
