#include "document/folder.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "document/test_files.h"
#include "text/utf8.h"

namespace beleg {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> ids(const FolderListing& listing) {
  std::vector<std::string> ids;
  for (const FoundFile& file : listing.files) ids.push_back(file.default_id);
  return ids;
}

FolderListing list(const fs::path& root) {
  auto listing = list_folder(root);
  EXPECT_TRUE(listing) << listing.error().to_line();
  return listing ? listing.take() : FolderListing{};
}

bool has_problem(const FolderListing& listing, const fs::path& name, ErrorCode code) {
  return std::any_of(listing.problems.begin(), listing.problems.end(), [&](const auto& problem) {
    return problem.first.filename() == name && problem.second.code == code;
  });
}

using Ids = std::vector<std::string>;

TEST(ListFolder, SortedWithRelativeIds) {
  const TestFolder folder;
  folder.write("z.md", "x");
  folder.write("a/b.txt", "x");
  folder.write("a/ä ö.html", "x");
  folder.write("a.jsonl", "x");
  folder.write("a/bild.png", "x");
  folder.write(".versteckt.md", "x");
  folder.write(".git/a.md", "x");
  const FolderListing listing = list(folder.path());
  EXPECT_EQ(ids(listing), (Ids{"a.jsonl", "a/b.txt", "a/ä ö.html", "z.md"}));
  EXPECT_EQ(listing.ignored, 3U);
  EXPECT_TRUE(listing.problems.empty());
  EXPECT_EQ(listing.files[1].path, folder.path() / "a" / "b.txt");
}

TEST(ListFolder, ASingleFile) {
  const TestFolder folder;
  const auto good = list(folder.write("a.md", "x"));
  EXPECT_EQ(ids(good), Ids{"a.md"});
  const auto unknown = list(folder.write("a.pdf", "x"));
  EXPECT_TRUE(unknown.files.empty());
  EXPECT_TRUE(has_problem(unknown, "a.pdf", ErrorCode::kUnsupported));
  const auto missing = list_folder(folder.path() / "fehlt");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

TEST(ListFolder, AFileIsListedOnceUnderItsOwnPathHoweverManyLinksLeadToIt) {
  const TestFolder folder;
  folder.write("b/c.md", "x");
  fs::create_symlink("b/c.md", folder.path() / "a.md");
  fs::create_symlink("b/c.md", folder.path() / "d.md");
  const FolderListing listing = list(folder.path());
  EXPECT_EQ(ids(listing), Ids{"b/c.md"});
  EXPECT_FALSE(listing.files[0].is_link);
  EXPECT_EQ(listing.ignored, 2U);
}

TEST(ListFolder, ALinkNamesAFileThatIsNotListedItself) {
  const TestFolder folder;
  folder.write("b/rohdaten.dat", "x");
  fs::create_symlink("b/rohdaten.dat", folder.path() / "c.txt");
  const FolderListing listing = list(folder.path());
  EXPECT_EQ(ids(listing), Ids{"c.txt"});
  EXPECT_TRUE(listing.files[0].is_link);
}

TEST(ListFolder, LinksOutOfTheRootAreProblems) {
  const TestFolder outside;
  outside.write("geheim.md", "x");
  const TestFolder folder;
  folder.write("a.md", "x");
  fs::create_symlink(outside.path() / "geheim.md", folder.path() / "raus.md");
  fs::create_directory_symlink(outside.path(), folder.path() / "raus");
  fs::create_symlink(outside.path() / "fehlt.md", folder.path() / "kaputt.md");
  // The sibling's name begins with the root's name, but it is not inside.
  const fs::path sibling = folder.path().string() + "-daneben";
  fs::create_directory(sibling);
  fs::create_directory_symlink(sibling, folder.path() / "daneben");
  const FolderListing listing = list(folder.path());
  fs::remove_all(sibling);
  EXPECT_EQ(ids(listing), Ids{"a.md"});
  EXPECT_TRUE(has_problem(listing, "raus.md", ErrorCode::kPermission));
  EXPECT_TRUE(has_problem(listing, "raus", ErrorCode::kPermission));
  EXPECT_TRUE(has_problem(listing, "daneben", ErrorCode::kPermission));
  EXPECT_TRUE(has_problem(listing, "kaputt.md", ErrorCode::kNotFound));
  EXPECT_EQ(listing.problems.size(), 4U);
}

TEST(ListFolder, LoopsOfLinksEnd) {
  const TestFolder folder;
  folder.write("a/b/c.md", "x");
  fs::create_directory_symlink(folder.path(), folder.path() / "a/b/oben");
  fs::create_directory_symlink("..", folder.path() / "a/b/eins-hoch");
  fs::create_symlink("selbst.md", folder.path() / "selbst.md");
  const FolderListing listing = list(folder.path());
  EXPECT_EQ(ids(listing), Ids{"a/b/c.md"});
  EXPECT_TRUE(has_problem(listing, "oben", ErrorCode::kInvalidArgument));
  EXPECT_TRUE(has_problem(listing, "eins-hoch", ErrorCode::kInvalidArgument));
  EXPECT_TRUE(has_problem(listing, "selbst.md", ErrorCode::kInvalidArgument));
}

TEST(ListFolder, LinkedFoldersAreListedOnce) {
  const TestFolder folder;
  folder.write("z/a.md", "x");
  fs::create_directory_symlink("z", folder.path() / "a-link");
  // Links between folders in all directions would be listed in n! ways.
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 12; ++j) {
      const fs::path from = folder.path() / ("n" + std::to_string(i));
      fs::create_directories(from);
      if (i != j)
        fs::create_directory_symlink("../n" + std::to_string(j), from / std::to_string(j));
    }
  }
  const FolderListing listing = list(folder.path());
  EXPECT_EQ(ids(listing), Ids{"z/a.md"});
  EXPECT_TRUE(listing.problems.empty());
}

TEST(ListFolder, LinkToAHiddenFolderInsideIsFollowed) {
  const TestFolder folder;
  folder.write(".inhalt/a.md", "x");
  fs::create_directory_symlink(".inhalt", folder.path() / "inhalt");
  EXPECT_EQ(ids(list(folder.path())), Ids{"inhalt/a.md"});
}

TEST(ListFolder, TheRootMayBeALink) {
  const TestFolder folder;
  folder.write("echt/a.md", "x");
  fs::create_directory_symlink("echt", folder.path() / "link");
  EXPECT_EQ(ids(list(folder.path() / "link")), Ids{"a.md"});
}

TEST(ListFolder, SpecialFilesAreProblemsAndNeverOpened) {
  const TestFolder folder;
  folder.write("a.md", "x");
  ASSERT_EQ(::mkfifo((folder.path() / "rohr.md").c_str(), 0600), 0);
  fs::create_symlink("rohr.md", folder.path() / "zum-rohr.md");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = (folder.path() / "dose.txt").string();
  ASSERT_LT(name.size(), sizeof address.sun_path);
  std::copy(name.begin(), name.end(), address.sun_path);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const FolderListing listing = list(folder.path());
  ::close(socket);
  EXPECT_EQ(ids(listing), Ids{"a.md"});
  EXPECT_TRUE(has_problem(listing, "rohr.md", ErrorCode::kUnsupported));
  EXPECT_TRUE(has_problem(listing, "zum-rohr.md", ErrorCode::kUnsupported));
  EXPECT_TRUE(has_problem(listing, "dose.txt", ErrorCode::kUnsupported));
  EXPECT_EQ(list(folder.path() / "rohr.md").problems.size(), 1U);
}

TEST(ListFolder, UnreadableFilesAndFoldersAreProblems) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser can read everything";
  const TestFolder folder;
  folder.write("a.md", "x");
  fs::permissions(folder.write("zu.md", "x"), fs::perms::none);
  folder.write("zu/b.md", "x");
  fs::permissions(folder.path() / "zu", fs::perms::none);
  const FolderListing listing = list(folder.path());
  fs::permissions(folder.path() / "zu", fs::perms::owner_all);
  EXPECT_EQ(ids(listing), Ids{"a.md"});
  EXPECT_TRUE(has_problem(listing, "zu.md", ErrorCode::kPermission));
  EXPECT_TRUE(has_problem(listing, "zu", ErrorCode::kPermission));
}

TEST(ListFolder, NamesBecomePrintableAndStayUnique) {
  const TestFolder folder;
  folder.write("zeile\numbruch.md", "x");
  folder.write("latin\xE4.md", "x");
  folder.write("latin\\xe4.md", "x");
  folder.write("steuer\x1b[31m.md", "x");
  folder.write("nfd-a\xCC\x88.md", "x");
  const FolderListing listing = list(folder.path());
  const Ids names = ids(listing);
  ASSERT_EQ(names.size(), 5U);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const std::string& name : names) {
    EXPECT_TRUE(is_valid_utf8(name));
    for (const char c : name) EXPECT_GE(static_cast<unsigned char>(c), 0x20U) << name;
  }
  EXPECT_TRUE(std::find(names.begin(), names.end(), "zeile\\x0aumbruch.md") != names.end());
  // The file whose name really has a backslash keeps its name; the other one is marked.
  EXPECT_TRUE(std::find(names.begin(), names.end(), "latin\\xe4.md") != names.end());
  EXPECT_EQ(
      std::count_if(names.begin(), names.end(),
                    [](const std::string& name) { return name.starts_with("latin\\xe4.md~"); }),
      1);
}

TEST(ListFolder, DeepFoldersAreWalkedWithoutRecursion) {
  const TestFolder folder;
  std::string deep = folder.path().string();
  for (int i = 0; i < 200; ++i) {
    deep += "/d";
    ASSERT_EQ(::mkdir(deep.c_str(), 0700), 0);
  }
  std::ofstream(deep + "/a.md") << "x";
  EXPECT_EQ(list(folder.path()).files.size(), 1U);
}

}  // namespace
}  // namespace beleg
