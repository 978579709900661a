#include "model/package_client.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>

#include "model/model_test_support.h"

namespace beleg {
namespace {

using std::chrono::seconds;

// For what ends by itself, however long a busy machine takes.
constexpr seconds kNoLimit = std::chrono::hours(24);

TEST(RunProcess, CapturesBothStreamsAndTheExitCode) {
  const TemporaryFolder folder;
  const auto outcome = MUST(run_process(
      {"sh", "-c", "pwd; echo problem >&2; test ! -t 0 && cat; exit 7"}, folder.path(), kNoLimit));
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_EQ(outcome.output, folder.path().string() + "\nproblem\n");
}

TEST(RunProcess, ArgumentsAreNotReadByAShell) {
  const TemporaryFolder folder;
  const auto outcome = MUST(
      run_process({"printf", "%s|", "a b", "$(id)", "; rm -rf x", "*"}, folder.path(), kNoLimit));
  EXPECT_EQ(outcome.output, "a b|$(id)|; rm -rf x|*|");
}

TEST(RunProcess, KeepsTheEndOfLongOutput) {
  const TemporaryFolder folder;
  const auto outcome = MUST(run_process({"sh", "-c", "yes | head -c 1000000; echo; echo the end"},
                                        folder.path(), kNoLimit));
  EXPECT_LE(outcome.output.size(), 20'000U);
  EXPECT_TRUE(outcome.output.ends_with("the end\n"));
}

TEST(RunProcess, NamesAProgramThatIsMissing) {
  const TemporaryFolder folder;
  const auto outcome = run_process({"no-such-program-here"}, folder.path(), kNoLimit);
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(outcome.error().to_line().find("no-such-program-here"), std::string::npos);
}

TEST(RunProcess, EndsWhatTakesTooLong) {
  const TemporaryFolder folder;
  // It never ends by itself: whoever waited for it would not come back.
  const auto outcome = run_process({"sleep", "infinity"}, folder.path(), seconds(1));
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, ErrorCode::kLimit);
  // It was ended and its end was taken note of: there is no child any more, running or dead.
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(RunProcess, ASignalIsAnExitCode) {
  const TemporaryFolder folder;
  EXPECT_EQ(MUST(run_process({"sh", "-c", "kill -9 $$"}, folder.path(), kNoLimit)).exit_code, 137);
}

TEST(RedactCredentials, TakesThemOutOfUrls) {
  EXPECT_EQ(redact_credentials("via http://me:pa%20ss@proxy:80/ and https://a@b/c, x@y"),
            "via http://***@proxy:80/ and https://***@b/c, x@y");
  EXPECT_EQ(redact_credentials("http://h/a@b http://c:1"), "http://h/a@b http://c:1");
  EXPECT_EQ(redact_credentials("http://u:p@ss@h/"), "http://***@h/");
  EXPECT_EQ(redact_credentials("://"), "://");
  EXPECT_EQ(redact_credentials(""), "");
}

TEST(RedactCredentials, KnowsThoseOfTheProxySettings) {
  ::setenv("BELEG_TEST_PROXY", "http://somebody:correct-horse@proxy.example:3128", 1);
  EXPECT_EQ(redact_credentials("login somebody:correct-horse failed; password 'correct-horse'"),
            "login *** failed; password '***'");
  ::unsetenv("BELEG_TEST_PROXY");
}

}  // namespace
}  // namespace beleg
