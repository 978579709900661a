#include "ingest/file_report.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

TEST(FileProgress, SurvivesTheRecordOfTheJob) {
  FileProgress progress;
  progress.report.documents = 3;
  progress.report.passages = 7;
  progress.report.encoding = "UTF-8";
  progress.added = 2;
  progress.changed = 1;
  progress.unchanged = 4;
  progress.replacements = 9;
  progress.conflict = true;
  progress.note_warnings({"eins", "zwei"});
  progress.note_failure(5, "id", Error{ErrorCode::kConflict, "doppelt \xFF", "anders nennen"});
  progress.conclude();
  const auto back = MUST(progress_from_json(progress_to_json(progress)));
  EXPECT_EQ(back.report.outcome, FileOutcome::kPartial);
  EXPECT_EQ(back.report.documents, 3U);
  EXPECT_EQ(back.report.passages, 7U);
  EXPECT_EQ(back.report.warnings, progress.report.warnings);
  EXPECT_EQ(back.added, 2U);
  EXPECT_EQ(back.changed, 1U);
  EXPECT_EQ(back.unchanged, 4U);
  EXPECT_EQ(back.replacements, 9U);
  EXPECT_TRUE(back.conflict);
  EXPECT_TRUE(back.incomplete);
  ASSERT_EQ(back.failures.size(), 1U);
  EXPECT_EQ(back.failures[0].record, 5U);
  EXPECT_EQ(back.failures[0].code, "conflict");
  EXPECT_EQ(back.failures[0].reason, "doppelt \xEF\xBF\xBD");
  EXPECT_EQ(progress_from_json("{").error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(progress_from_json("{\"outcome\":3}").error().code, ErrorCode::kCorrupt);
}

TEST(FileProgress, ListsAreBoundedAndSayWhatIsLeftOut) {
  FileProgress progress;
  progress.report.documents = 1;
  for (std::size_t i = 0; i < kListedFailures + 5; ++i) {
    progress.note_failure(i + 1, "", Error{ErrorCode::kCorrupt, "kaputt", ""});
    progress.note_warnings({"Warnung"});
  }
  progress.conclude();
  EXPECT_EQ(progress.failures.size(), kListedFailures);
  EXPECT_EQ(progress.failed_records, kListedFailures + 5);
  EXPECT_EQ(progress.report.warnings.size(), kListedWarnings + 1);
  EXPECT_EQ(progress.report.warnings.back(), "and 905 more warnings");
  EXPECT_EQ(progress.report.reason, "1005 records could not be read; the first: kaputt");
}

TEST(FileProgress, OutcomesInTheirOrder) {
  FileProgress nothing;
  nothing.conclude();
  EXPECT_EQ(nothing.report.outcome, FileOutcome::kFailed);
  FileProgress both;
  both.report.documents = 2;
  both.added = both.changed = 1;
  both.conclude();
  EXPECT_EQ(both.report.outcome, FileOutcome::kChanged);
}

}  // namespace
}  // namespace beleg
