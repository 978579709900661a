#include "ingest/failed_inputs.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

DeadLetter letter(std::int64_t id, std::string source, std::string path) {
  return {.id = id, .source = std::move(source), .path = std::move(path)};
}

TEST(GoneLetters, OnlyWhatWasLookedForAndIsNotThere) {
  IngestRoot folder{.path = "/q", .source = "/q", .is_folder = true};
  folder.listing.files.push_back({.path = "/q/da.md"});
  folder.listing.problems.emplace_back("/q/zu", Error{});
  const IngestRoot file{.path = "/r/eins.md", .source = "/r", .is_folder = false};
  const std::vector<DeadLetter> letters = {
      letter(1, "/q", "/q/da.md"),      letter(2, "/q", "/q/fort.md"),
      letter(3, "/q", "/q/zu/tief.md"), letter(4, "/q", "/q/zu"),
      letter(5, "/r", "/r/zwei.md"),    letter(6, "/r", "/r/eins.md"),
      letter(7, "/q/zu2", "/q/zu2/a"),  letter(8, "/q", "/q/zu.md")};
  EXPECT_EQ(gone_letters(letters, {folder, file}), (std::vector<std::int64_t>{2, 6, 8}));
}

TEST(FailedInputs, ARootThatIsNotThereIsReported) {
  std::vector<FileReport> not_there;
  const auto roots =
      list_failed_inputs({{.root = "/no/such/folder", .path = "/no/such/folder/a.md"}}, not_there);
  EXPECT_TRUE(roots.empty());
  ASSERT_EQ(not_there.size(), 1U);
  EXPECT_EQ(not_there[0].outcome, FileOutcome::kFailed);
  EXPECT_NE(not_there[0].reason.find("/no/such/folder"), std::string::npos);
}

}  // namespace
}  // namespace beleg
