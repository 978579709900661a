#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/clock.h"

namespace beleg {
namespace {

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "beleg-file-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(FileTest, AtomicWriteReplacesTheWholeContentAndLeavesNoTemporaryFile) {
  const auto path = folder_ / "settings.toml";
  ASSERT_TRUE(write_file_atomically(path, "a much longer first content"));
  ASSERT_TRUE(write_file_atomically(path, "second"));
  EXPECT_EQ(read_file(path, 100).value(), "second");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(FileTest, ReadingSaysWhatIsWrong) {
  EXPECT_EQ(read_file(folder_ / "absent", 100).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_file(folder_, 100).error().code, ErrorCode::kUnsupported);
  std::ofstream(folder_ / "big") << std::string(101, 'x');
  EXPECT_EQ(read_file(folder_ / "big", 100).error().code, ErrorCode::kLimit);
  std::filesystem::create_symlink("loop", folder_ / "loop");
  EXPECT_EQ(read_file(folder_ / "loop", 100).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(FileTest, ANamedPipeIsRefusedAtOnceInsteadOfWaitedFor) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file(folder_ / "pipe", 100).error().code, ErrorCode::kUnsupported);
}

TEST_F(FileTest, FoldersAreMadeWithAllThatAreMissingAboveThem) {
  ASSERT_TRUE(create_directories_durably(folder_ / "a" / "b" / "c"));
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "a" / "b" / "c"));
  EXPECT_TRUE(create_directories_durably(folder_ / "a" / "b"));
  ASSERT_TRUE(create_directories_durably(folder_ / "d" / "e" / ""));
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "d" / "e"));
}

TEST_F(FileTest, AFileWhereAFolderShouldBeIsNamed) {
  std::ofstream(folder_ / "file").flush();
  for (const char* below : {"file", "file/a", "file/a/b"}) {
    const auto made = create_directories_durably(folder_ / below);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find((folder_ / "file").string()), std::string::npos);
  }
}

TEST_F(FileTest, ALockHasOneHolderAndIsFreeAfterwards) {
  {
    auto held = FileLock::try_acquire(folder_ / "lock");
    ASSERT_TRUE(held);
    EXPECT_EQ(FileLock::try_acquire(folder_ / "lock").error().code, ErrorCode::kConflict);
  }
  const auto again = FileLock::try_acquire(folder_ / "lock");
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->is_of(folder_ / "lock"));
  std::filesystem::remove(folder_ / "lock");
  EXPECT_FALSE(again->is_of(folder_ / "lock"));
  EXPECT_TRUE(FileLock::try_acquire(folder_ / "lock"));
  EXPECT_FALSE(again->is_of(folder_ / "lock"));
}

TEST_F(FileTest, AMapShowsTheBytesAndAnEmptyFileIsAnEmptyMap) {
  std::ofstream(folder_ / "bytes") << "Beleg";
  auto mapped = MappedFile::open(folder_ / "bytes");
  ASSERT_TRUE(mapped);
  ASSERT_EQ(mapped->size(), 5U);
  EXPECT_EQ(static_cast<char>(mapped->bytes()[4]), 'g');
  std::ofstream(folder_ / "empty").flush();
  EXPECT_EQ(MappedFile::open(folder_ / "empty")->size(), 0U);
}

TEST(PrintablePath, EscapesWhatATerminalCouldActOn) {
  EXPECT_EQ(printable_path("Bär/ü.md"), "Bär/ü.md");
  EXPECT_EQ(printable_path(std::string("a\nb\x1b[2J")), "a\\x0ab\\x1b[2J");
  EXPECT_EQ(printable_path(std::string("\xff\xc3")), "\\xff\\xc3");
  EXPECT_EQ(printable_path(std::string("\xc2\x9b")), "\\xc2\\x9b");
}

TEST(FormatUtc, IsRightBeforeAndAfterTheEpoch) {
  EXPECT_EQ(format_utc(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_utc(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(format_utc(1709210096), "2024-02-29T12:34:56Z");
}

}  // namespace
}  // namespace beleg
