#include "ingest/ingest_request.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

TEST(IngestRequest, SaysWhatDiffers) {
  const std::string old =
      R"({"mode":"paths","paths":["/a"],"settings":"s","encoder":"e","reading":1})";
  EXPECT_EQ(request_difference(old, old), "");
  const auto with = [&old](std::string_view from, std::string_view to) {
    std::string other = old;
    other.replace(other.find(from), from.size(), to);
    return request_difference(old, other);
  };
  EXPECT_EQ(with("\"/a\"", "\"/a\",\"/b\""), "it was of other paths");
  EXPECT_EQ(with("\"s\"", "\"t\""), "its settings were others");
  EXPECT_EQ(with("\"e\"", "\"f\""), "its encoder was another");
  EXPECT_EQ(with("\"paths\",", "\"retry\","), "it was a run of another kind");
  EXPECT_EQ(with("1}", "2}"), "it was begun by another version of Beleg");
  EXPECT_EQ(request_difference("kaputt", old), "its record is damaged");
}

}  // namespace
}  // namespace beleg
