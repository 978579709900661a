#include "store/embedding_pack.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include "base/file.h"
#include "store/pack_format.h"
#include "store/pack_index.h"
#include "store/store_test_support.h"

namespace beleg {
namespace {

using store_test::in_child;
using store_test::TemporaryFolder;

std::vector<std::byte> payload_of(unsigned seed, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::mt19937 random(seed);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

Sha256 key_of(unsigned seed) { return sha256(std::to_string(seed)); }

bool holds(const EmbeddingPack& pack, unsigned seed, std::size_t size) {
  const auto where = pack.find(key_of(seed));
  if (!where) return false;
  const auto bytes = pack.payload(*where);
  return bytes && std::ranges::equal(*bytes, payload_of(seed, size));
}

std::string bytes_of(const std::filesystem::path& file) {
  return MUST(read_file(file, std::uint64_t{1} << 30U));
}

/// Not by truncation to nothing: some file systems flush a file that is replaced in that way.
void overwrite(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary | std::ios::app).close();
  std::fstream(file, std::ios::binary | std::ios::in | std::ios::out) << bytes;
  std::filesystem::resize_file(file, bytes.size());
}

class EmbeddingPackTest : public testing::Test {
 protected:
  /// Records 0, 1, … of the given sizes.
  void fill(const std::vector<std::size_t>& sizes) {
    const auto pack = MUST(EmbeddingPack::open_writer(file_));
    for (unsigned i = 0; i < sizes.size(); ++i) {
      MUST(pack->append(key_of(i), payload_of(i, sizes[i])));
    }
    MUST(pack->sync());
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "embeddings.pack";
  std::filesystem::path directory_ = folder_.path() / "embeddings.idx";
};

/// Damage is met with the directory beside the pack and without it.
class DamagedPackTest : public EmbeddingPackTest, public testing::WithParamInterface<bool> {
 protected:
  void fill_and_keep_directory(const std::vector<std::size_t>& sizes) {
    fill(sizes);
    if (!GetParam()) std::filesystem::remove(directory_);
  }
};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutDirectory, DamagedPackTest, testing::Bool());

TEST_F(EmbeddingPackTest, RecordsComeBackAligned) {
  const std::vector<std::size_t> sizes = {0, 1, 63, 64, 65, 1'000, 4'096, 100'000};
  fill(sizes);
  for (const bool writable : {false, true}) {
    const auto pack =
        MUST(writable ? EmbeddingPack::open_writer(file_) : EmbeddingPack::open_reader(file_));
    EXPECT_EQ(pack->size(), sizes.size());
    for (unsigned i = 0; i < sizes.size(); ++i) {
      EXPECT_TRUE(holds(*pack, i, sizes[i])) << i;
      const PackLocation where = *pack->find(key_of(i));
      EXPECT_EQ(where.size, sizes[i]);
      const auto bytes = MUST(pack->payload(where));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64, 0U);
    }
    EXPECT_FALSE(pack->find(key_of(99)));
    EXPECT_TRUE(MUST(pack->damaged()).empty());
    EXPECT_EQ(pack->unreadable_bytes(), 0U);
  }
}

TEST_F(EmbeddingPackTest, TheBytesAreThoseOfTheFormatPage) {
  fill({3});
  const std::string bytes = bytes_of(file_);
  ASSERT_EQ(bytes.size(), 192U);
  EXPECT_EQ(bytes.substr(0, 16), std::string("BELEGPAK\1\0\0\0\x40\0\0\0", 16));
  EXPECT_EQ(bytes.substr(64, 8), std::string("BREC\1\0\0\0", 8));
  const Sha256 key = key_of(0);
  EXPECT_EQ(bytes.substr(72, 32), std::string(key.bytes.begin(), key.bytes.end()));
  EXPECT_EQ(bytes.substr(104, 8), std::string("\3\0\0\0\0\0\0\0", 8));
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + 112, 8);
  EXPECT_EQ(checksum, checksum64(payload_of(0, 3)));
  EXPECT_EQ(bytes.substr(131), std::string(61, '\0'));
}

TEST_F(EmbeddingPackTest, AnExistingKeyIsLeftAsItIs) {
  fill({100, 200});
  const auto size = std::filesystem::file_size(file_);
  const auto pack = MUST(EmbeddingPack::open_writer(file_));
  const PackLocation before = *pack->find(key_of(0));
  const PackLocation after = MUST(pack->append(key_of(0), payload_of(77, 50)));
  EXPECT_EQ(after.offset, before.offset);
  EXPECT_EQ(after.size, 100U);
  EXPECT_EQ(std::filesystem::file_size(file_), size);
}

TEST_P(DamagedPackTest, ATornTailIsSkippedByReadersAndCutByTheWriter) {
  fill_and_keep_directory({100, 10, 150});
  const std::string whole = bytes_of(file_);
  const std::size_t last = whole.size() - pack_record_bytes(150);
  for (std::size_t length = last; length < whole.size(); ++length) {
    overwrite(file_, std::string_view(whole).substr(0, length));
    {
      const auto reader = MUST(EmbeddingPack::open_reader(file_));
      ASSERT_EQ(reader->size(), 2U) << length;
      ASSERT_TRUE(holds(*reader, 0, 100) && holds(*reader, 1, 10)) << length;
      ASSERT_EQ(reader->unreadable_bytes(), 0U);
    }
    {
      const auto writer = MUST(EmbeddingPack::open_writer(file_));
      ASSERT_EQ(writer->size(), 2U) << length;
      ASSERT_EQ(std::filesystem::file_size(file_), last);
      MUST(writer->append(key_of(2), payload_of(2, 150)));
      MUST(writer->append(key_of(3), payload_of(3, 9)));
      if (GetParam() && length % 5 == 0) MUST(writer->sync());
      ASSERT_TRUE(holds(*writer, 2, 150));
    }
    const auto reader = MUST(EmbeddingPack::open_reader(file_));
    ASSERT_EQ(reader->size(), 4U);
    ASSERT_TRUE(MUST(reader->damaged()).empty());
  }
}

TEST_F(EmbeddingPackTest, ATornCreationIsMadeGood) {
  fill({5});
  const std::string whole = bytes_of(file_);
  for (std::size_t length = 0; length <= 64; ++length) {
    overwrite(file_, std::string_view(whole).substr(0, length));
    EXPECT_EQ(MUST(EmbeddingPack::open_reader(file_))->size(), 0U) << length;
    const auto writer = MUST(EmbeddingPack::open_writer(file_));
    MUST(writer->append(key_of(0), payload_of(0, 5)));
    EXPECT_EQ(bytes_of(file_).substr(64), whole.substr(64)) << length;
    EXPECT_EQ(bytes_of(file_).substr(0, 16), whole.substr(0, 16)) << length;
  }
  overwrite(file_, std::string(64, '\0'));  // Length on the disk, bytes not yet.
  EXPECT_EQ(MUST(EmbeddingPack::open_writer(file_))->size(), 0U);
  EXPECT_EQ(bytes_of(file_).substr(0, 16), whole.substr(0, 16));
}

TEST_P(DamagedPackTest, AnyFlippedBitCostsOneRecordAtMostAndIsNoticed) {
  const std::vector<std::size_t> sizes = {70, 1, 64, 30};
  fill_and_keep_directory(sizes);
  const std::string good = bytes_of(file_);
  std::fstream file(file_, std::ios::binary | std::ios::in | std::ios::out);
  const auto write = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte).flush();
  };
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    if (bit > 0) write((bit - 1) / 8, good[(bit - 1) / 8]);
    write(bit / 8, static_cast<char>(good[bit / 8] ^ (1 << (bit % 8))));
    const auto pack = MUST(EmbeddingPack::open_reader(file_));
    unsigned lost = 0;
    for (unsigned i = 0; i < sizes.size(); ++i) {
      if (!holds(*pack, i, sizes[i])) ++lost;
    }
    ASSERT_LE(lost, 1U) << bit;
    const auto damaged = MUST(pack->damaged());
    if (lost == 1) {
      const bool last = pack->size() == 3 && !pack->find(key_of(3));  // Looks like a torn tail.
      ASSERT_TRUE(damaged.size() == 1 || pack->unreadable_bytes() > 0 || last) << bit;
    } else {
      ASSERT_TRUE(damaged.empty());
    }
  }
}

TEST_P(DamagedPackTest, ADamagedFileHeaderIsReportedAndMadeGoodByTheWriter) {
  fill_and_keep_directory({70, 1});
  const std::string good = bytes_of(file_);
  for (std::size_t at = 0; at < kPackHeaderBytes; ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0xff);
    overwrite(file_, bytes);
    const auto reader = MUST(EmbeddingPack::open_reader(file_));
    ASSERT_EQ(reader->unreadable_bytes(), 64U) << at;
    ASSERT_TRUE(holds(*reader, 0, 70) && holds(*reader, 1, 1)) << at;
  }
  MUST(EmbeddingPack::open_writer(file_));
  EXPECT_EQ(MUST(EmbeddingPack::open_reader(file_))->unreadable_bytes(), 0U);
}

TEST_P(DamagedPackTest, ADamagedRecordIsReportedAndCanBeWrittenAnew) {
  fill_and_keep_directory({100, 100, 100});
  std::string bytes = bytes_of(file_);
  bytes[64 + 192 + 64 + 50] ^= 1;  // In the payload of record 1.
  bytes[64 + 10] ^= 1;             // In the header of record 0.
  overwrite(file_, bytes);
  {
    const auto pack = MUST(EmbeddingPack::open_writer(file_));
    // Of a record with a damaged header only the directory knows the key.
    EXPECT_EQ(pack->unreadable_bytes(), GetParam() ? 0U : 192U);
    EXPECT_EQ(pack->find(key_of(0)).has_value(), GetParam());
    EXPECT_EQ(MUST(pack->damaged()), GetParam() ? (std::vector<Sha256>{key_of(0), key_of(1)})
                                                : std::vector<Sha256>{key_of(1)});
    const auto damaged = pack->payload(*pack->find(key_of(1)));
    ASSERT_FALSE(damaged);
    EXPECT_EQ(damaged.error().code, ErrorCode::kCorrupt);
    for (unsigned i = 0; i < 3; ++i) MUST(pack->append(key_of(i), payload_of(i, 100)));
  }
  const auto pack = MUST(EmbeddingPack::open_reader(file_));
  EXPECT_EQ(pack->size(), 3U);
  EXPECT_TRUE(MUST(pack->damaged()).empty());
  for (unsigned i = 0; i < 3; ++i) EXPECT_TRUE(holds(*pack, i, 100));
}

TEST_F(EmbeddingPackTest, APackInsideAPayloadIsNotTakenForRecords) {
  fill({500, 300});
  const std::string inner = bytes_of(file_);
  std::filesystem::remove(file_);
  {
    const auto pack = MUST(EmbeddingPack::open_writer(file_));
    MUST(pack->append(key_of(50), std::as_bytes(std::span(inner))));
    MUST(pack->append(key_of(51), payload_of(51, 5)));
  }
  std::string bytes = bytes_of(file_);
  bytes[64] = 'X';  // The walk now goes through the payload.
  overwrite(file_, bytes);
  const auto pack = MUST(EmbeddingPack::open_reader(file_));
  EXPECT_EQ(pack->size(), 1U);
  EXPECT_TRUE(holds(*pack, 51, 5));
}

TEST_F(EmbeddingPackTest, ViewsOutliveGrowth) {
  constexpr std::size_t kSize = std::size_t{6} << 20U;  // The first map has 64 MiB.
  const auto pack = MUST(EmbeddingPack::open_writer(file_));
  const PackLocation first = MUST(pack->append(key_of(0), payload_of(0, 1'000)));
  const auto view = MUST(pack->payload(first));
  const std::vector<std::byte> big = payload_of(1, kSize);
  for (unsigned i = 1; i <= 13; ++i) MUST(pack->append(key_of(i), big));
  const auto later = MUST(pack->payload(first));
  EXPECT_NE(view.data(), later.data());  // It was mapped anew, or the test tests nothing.
  EXPECT_TRUE(std::ranges::equal(view, payload_of(0, 1'000)));
  EXPECT_TRUE(std::ranges::equal(later, payload_of(0, 1'000)));
  EXPECT_TRUE(std::ranges::equal(MUST(pack->payload(*pack->find(key_of(13)))), big));
}

TEST_F(EmbeddingPackTest, AReaderKeepsWhatItOpened) {
  fill({100, 200});
  overwrite(file_, bytes_of(file_) + "torn");
  const auto reader = MUST(EmbeddingPack::open_reader(file_));
  const auto writer = MUST(EmbeddingPack::open_writer(file_));
  MUST(writer->append(key_of(2), payload_of(2, 300)));
  EXPECT_EQ(reader->size(), 2U);
  EXPECT_TRUE(holds(*reader, 0, 100) && holds(*reader, 1, 200));
  EXPECT_EQ(MUST(EmbeddingPack::open_reader(file_))->size(), 3U);
}

TEST_F(EmbeddingPackTest, MisuseIsRefused) {
  EXPECT_EQ(EmbeddingPack::open_reader(file_).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(EmbeddingPack::open_reader(folder_.path()).error().code, ErrorCode::kUnsupported);
  fill({100});
  const auto writer = MUST(EmbeddingPack::open_writer(file_));
  EXPECT_EQ(EmbeddingPack::open_writer(file_).error().code, ErrorCode::kConflict);
  const auto reader = MUST(EmbeddingPack::open_reader(file_));
  EXPECT_FALSE(reader->append(key_of(5), payload_of(5, 5)));
  for (const PackLocation where :
       {PackLocation{0, 10}, PackLocation{64, 100}, PackLocation{129, 10}, PackLocation{192, 100},
        PackLocation{128, 0xFFFFFFFF}, PackLocation{~std::uint64_t{63}, 64},
        PackLocation{1'280, 4}}) {
    EXPECT_EQ(reader->payload(where).error().code, ErrorCode::kInvalidArgument) << where.offset;
  }
  // Within the file, but not what was stored there.
  EXPECT_EQ(reader->payload({128, 99}).error().code, ErrorCode::kCorrupt);
}

TEST_F(EmbeddingPackTest, ForeignAndNewerFilesAreRefusedAndUntouched) {
  const PackHeader header = encode_file_header(PackFileKind::kPack, {kPackVersion + 1, {}});
  const std::string newer(reinterpret_cast<const char*>(header.data()), header.size());
  const std::string foreign(1'000, 'x');
  const std::string zeros(65, '\0');
  for (const auto& [bytes, code] :
       {std::pair{newer, ErrorCode::kUnsupported}, std::pair{foreign, ErrorCode::kCorrupt},
        std::pair{foreign.substr(0, 10), ErrorCode::kCorrupt},
        std::pair{zeros, ErrorCode::kCorrupt}}) {
    overwrite(file_, bytes);
    for (const bool writable : {false, true}) {
      const auto pack =
          writable ? EmbeddingPack::open_writer(file_) : EmbeddingPack::open_reader(file_);
      ASSERT_FALSE(pack);
      EXPECT_EQ(pack.error().code, code);
      EXPECT_FALSE(pack.error().remedy.empty());
    }
    EXPECT_EQ(bytes_of(file_), bytes);
  }
}

TEST_F(EmbeddingPackTest, AFullDiskLeavesAGoodPack) {
  fill({100});
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{20'000, 20'000};  // Bytes per file; not on a boundary of records.
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 20;
    auto pack = EmbeddingPack::open_writer(file_);
    if (!pack) return 21;
    unsigned appended = 1;
    while (true) {
      const auto where = (*pack)->append(key_of(appended), payload_of(appended, 3'000));
      if (!where) {
        if (where.error().code != ErrorCode::kIo || where.error().remedy.empty()) return 22;
        break;
      }
      if (++appended > 10) return 23;
    }
    if (appended < 3 || (*pack)->size() != appended) return 24;
    // Still good: what is there is read, and what fits is written.
    if (!holds(**pack, 0, 100) || !holds(**pack, appended - 1, 3'000)) return 25;
    if (!(*pack)->append(key_of(50), payload_of(50, 10)) || !(*pack)->sync()) return 26;
    return 0;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
  const auto pack = MUST(EmbeddingPack::open_reader(file_));
  EXPECT_TRUE(holds(*pack, 0, 100) && holds(*pack, 1, 3'000) && holds(*pack, 50, 10));
  EXPECT_TRUE(MUST(pack->damaged()).empty());
  EXPECT_EQ(pack->unreadable_bytes(), 0U);
}

TEST_F(EmbeddingPackTest, AKilledWriterLosesNoFinishedRecord) {
  std::mt19937 random(11);
  std::size_t before = 0;
  for (unsigned round = 0; round < 30; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto pack = EmbeddingPack::open_writer(file_);
      if (!pack) ::_exit(1);
      for (auto i = static_cast<unsigned>((*pack)->size());; ++i) {
        if (!(*pack)->append(key_of(i), payload_of(i, i * 37 % 5'000))) ::_exit(2);
        if (i % 20 == 0 && !(*pack)->sync()) ::_exit(3);
      }
    }
    // The first writer is left alone until something is there, however slow the machine.
    while (round == 0 &&
           !(std::filesystem::exists(file_) && std::filesystem::file_size(file_) > 20'000)) {
      ::usleep(1'000);
    }
    ::usleep(static_cast<useconds_t>(random() % 5'000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    if (!std::filesystem::exists(file_)) continue;
    const auto pack = MUST(EmbeddingPack::open_reader(file_));
    ASSERT_GE(pack->size(), before);
    before = pack->size();
    ASSERT_TRUE(MUST(pack->damaged()).empty());
    for (unsigned i = 0; i < before; i += 17) ASSERT_TRUE(holds(*pack, i, i * 37 % 5'000)) << i;
  }
  EXPECT_GT(before, 0U);
}

/// Copies of a pack and its directory as they were after three and after five records.
class PackDirectoryTest : public EmbeddingPackTest {
 protected:
  void SetUp() override {
    fill({100, 200, 300});
    three_ = {bytes_of(file_), bytes_of(directory_)};
    fill({100, 200, 300, 10, 20});
    five_ = {bytes_of(file_), bytes_of(directory_)};
  }

  /// Every one of the first records is found and right; the pack can be appended to.
  void expect_good(unsigned records) {
    static constexpr std::array<std::size_t, 5> kSizes{100, 200, 300, 10, 20};
    for (const bool writable : {false, true}) {
      const auto pack =
          MUST(writable ? EmbeddingPack::open_writer(file_) : EmbeddingPack::open_reader(file_));
      ASSERT_EQ(pack->size(), records);
      for (unsigned i = 0; i < records; ++i) ASSERT_TRUE(holds(*pack, i, kSizes[i])) << i;
    }
  }

  struct Files {
    std::string pack;
    std::string directory;
  };
  Files three_;
  Files five_;
};

TEST_F(PackDirectoryTest, HoldsTheHeadersOneAfterTheOther) {
  ASSERT_EQ(five_.directory.size(), 64U * 6U);
  EXPECT_EQ(five_.directory.substr(0, 8), "BELEGIDX");
  EXPECT_EQ(five_.directory.substr(16, 16), five_.pack.substr(16, 16));
  EXPECT_EQ(five_.directory.substr(64, 64), five_.pack.substr(64, 64));
  EXPECT_EQ(five_.directory.substr(128, 64), five_.pack.substr(64 + pack_record_bytes(100), 64));
  EXPECT_EQ(five_.directory.substr(0, 256), three_.directory);
}

TEST_F(PackDirectoryTest, MayBeMissingTornDamagedOrStale) {
  std::filesystem::remove(directory_);
  expect_good(5);
  for (std::size_t length = 0; length <= five_.directory.size(); ++length) {
    overwrite(directory_, std::string_view(five_.directory).substr(0, length));
    expect_good(5);
  }
  for (std::size_t bit = 0; bit < five_.directory.size() * 8; bit += 3) {
    std::string bad = five_.directory;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    overwrite(directory_, bad);
    expect_good(5);
  }
  overwrite(directory_, three_.directory);
  expect_good(5);
}

TEST_F(PackDirectoryTest, IsCutToAnOlderPack) {
  overwrite(file_, three_.pack);
  expect_good(3);
  EXPECT_EQ(bytes_of(directory_), three_.directory);
  {
    // What comes now has the sizes of what is gone, so that the old entries would fit.
    const auto pack = MUST(EmbeddingPack::open_writer(file_));
    MUST(pack->append(key_of(60), payload_of(60, 10)));
    MUST(pack->append(key_of(61), payload_of(61, 20)));
  }
  const auto pack = MUST(EmbeddingPack::open_reader(file_));
  EXPECT_FALSE(pack->find(key_of(3)));
  EXPECT_TRUE(holds(*pack, 60, 10) && holds(*pack, 61, 20));
}

TEST_F(PackDirectoryTest, OfAnotherPackIsNotRead) {
  std::filesystem::remove(file_);
  {
    const auto pack = MUST(EmbeddingPack::open_writer(file_));
    MUST(pack->append(key_of(70), payload_of(70, 100)));  // No sync: the directory is not written.
  }
  for (const std::string& foreign : {three_.directory, five_.directory}) {
    overwrite(directory_, foreign);
    const auto pack = MUST(EmbeddingPack::open_reader(file_));
    EXPECT_EQ(pack->size(), 1U);
    EXPECT_TRUE(holds(*pack, 70, 100));
  }
}

TEST_F(PackDirectoryTest, OfADivergedCopyIsNotRead) {
  // The same pack went on in two places, with records of the same sizes.
  overwrite(file_, three_.pack);
  overwrite(directory_, three_.directory);
  {
    const auto pack = MUST(EmbeddingPack::open_writer(file_));
    MUST(pack->append(key_of(80), payload_of(80, 10)));
    MUST(pack->append(key_of(81), payload_of(81, 20)));
    MUST(pack->sync());
  }
  overwrite(directory_, five_.directory);
  const auto pack = MUST(EmbeddingPack::open_reader(file_));
  EXPECT_FALSE(pack->find(key_of(3)) || pack->find(key_of(4)));
  EXPECT_TRUE(holds(*pack, 80, 10) && holds(*pack, 81, 20));
}

TEST(PackIndex, AgreesWithAMapEvenWhenHashesCollide) {
  PackIndex index;
  std::map<Sha256, std::uint64_t> model;
  std::mt19937 random(3);
  EXPECT_EQ(index.find(key_of(1)), nullptr);
  for (unsigned i = 0; i < 5'000; ++i) {
    Sha256 key;  // All begin with the same eight bytes or nearly.
    key.bytes[0] = static_cast<std::uint8_t>(random() % 3);
    key.bytes[30] = static_cast<std::uint8_t>(random() % 16);
    key.bytes[31] = static_cast<std::uint8_t>(random() % 32);
    index.put(key, {i * 64ULL, i});
    model[key] = i * 64ULL;
  }
  EXPECT_EQ(index.entries().size(), model.size());
  for (const auto& [key, offset] : model) {
    ASSERT_NE(index.find(key), nullptr);
    EXPECT_EQ(index.find(key)->offset, offset);
  }
  EXPECT_EQ(index.find(key_of(1)), nullptr);
}

}  // namespace
}  // namespace beleg
