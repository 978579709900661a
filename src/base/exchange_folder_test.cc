#include "base/exchange_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "base/file.h"

namespace beleg {
namespace {

class ExchangeFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "beleg-swap-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    fill(folder_ / "made", "new");
    fill(folder_ / "target", "old");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static void fill(const std::filesystem::path& folder, std::string_view content) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "file") << content;
  }
  [[nodiscard]] std::string content_of(const char* name) const {
    return read_file(folder_ / name / "file", 100).value_or("nothing");
  }

  std::filesystem::path folder_;
};

TEST_F(ExchangeFolderTest, TwoFullFoldersChangePlaces) {
  ASSERT_TRUE(exchange_folders(folder_ / "made", folder_ / "target"));
  EXPECT_EQ(content_of("target"), "new");
  EXPECT_EQ(content_of("made"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);
}

TEST_F(ExchangeFolderTest, FoldersOfDifferentParentsChangePlaces) {
  fill(folder_ / "other" / "made", "third");
  ASSERT_TRUE(exchange_folders(folder_ / "other" / "made", folder_ / "target"));
  EXPECT_EQ(content_of("target"), "third");
  EXPECT_EQ(content_of("other/made"), "old");
}

TEST_F(ExchangeFolderTest, AMissingFolderIsNamedAndNothingMoves) {
  const auto exchanged = exchange_folders(folder_ / "absent", folder_ / "target");
  ASSERT_FALSE(exchanged);
  EXPECT_EQ(exchanged.error().code, ErrorCode::kIo);
  EXPECT_NE(exchanged.error().message.find((folder_ / "target").string()), std::string::npos);
  EXPECT_FALSE(exchanged.error().remedy.empty());
  EXPECT_EQ(content_of("target"), "old");
}

}  // namespace
}  // namespace beleg
