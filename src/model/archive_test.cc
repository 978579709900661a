#include "model/archive.h"

#include <gtest/gtest.h>
#include <zip.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "model/model_test_support.h"

namespace beleg {
namespace {

struct Entry {
  std::string name;
  std::string bytes;
};

std::filesystem::path write_zip(const std::filesystem::path& path,
                                const std::vector<Entry>& entries) {
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  EXPECT_NE(archive, nullptr);
  for (const Entry& entry : entries) {
    zip_source_t* source = zip_source_buffer(archive, entry.bytes.data(), entry.bytes.size(), 0);
    EXPECT_GE(zip_file_add(archive, entry.name.c_str(), source, ZIP_FL_ENC_UTF_8), 0);
  }
  EXPECT_EQ(zip_close(archive), 0);
  return path;
}

TEST(Archive, UnpacksAMember) {
  const TemporaryFolder folder;
  const std::string big(1'000'000, 'x');
  const auto zip = write_zip(folder.path() / "a.zip", {{"a/one.txt", "hello"}, {"big", big}});
  const auto members = MUST(list_archive(zip));
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[1].path, "big");
  EXPECT_EQ(members[1].bytes, big.size());
  const auto target = folder.path() / "out";
  const ModelFile file = MUST(unpack_member(zip, "a/one.txt", target, 5));
  EXPECT_EQ(file.bytes, 5U);
  EXPECT_EQ(file.member, "a/one.txt");
  // sha256sum of "hello"
  EXPECT_EQ(file.sha256, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
  EXPECT_EQ(MUST(read_file(target, 100)), "hello");
  EXPECT_EQ(MUST(unpack_member(zip, "big", target, big.size())).bytes, big.size());
}

TEST(Archive, StopsAtTheLimit) {
  const TemporaryFolder folder;
  // A million equal bytes pack into about a thousand.
  const auto zip = write_zip(folder.path() / "a.zip", {{"bomb", std::string(1'000'000, '\0')}});
  const auto target = folder.path() / "out";
  const auto file = unpack_member(zip, "bomb", target, 999'999);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::kLimit);
  EXPECT_LE(std::filesystem::file_size(target), 999'999U);
}

TEST(Archive, NamesWhatIsWrong) {
  const TemporaryFolder folder;
  const auto zip = write_zip(folder.path() / "a.zip", {{"one", std::string(5000, 'a') + "b"}});
  const auto target = folder.path() / "out";
  EXPECT_EQ(unpack_member(zip, "two", target, 10).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(unpack_member(folder.path() / "no.zip", "two", target, 10).error().code,
            ErrorCode::kNotFound);
  EXPECT_EQ(list_archive(folder.write("text.zip", "no archive at all")).error().code,
            ErrorCode::kCorrupt);
  EXPECT_EQ(list_archive(folder.write("empty.zip", "")).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(unpack_member(zip, "one", folder.path() / "no" / "such", 9999).error().code,
            ErrorCode::kIo);

  const std::string bytes = MUST(read_file(zip, 100'000));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = folder.write("cut.zip", std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(unpack_member(cut, "one", target, 9999).has_value()) << size;
  }
  // Whatever byte is changed: it is told, or the content is right.
  const std::string right = MUST(unpack_member(zip, "one", target, 9999)).sha256;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
    const auto file = unpack_member(folder.write("bad.zip", damaged), "one", target, 9999);
    if (file) {
      EXPECT_EQ(file->sha256, right) << i;
    }
  }
}

}  // namespace
}  // namespace beleg
