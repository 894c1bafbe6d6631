#include "report/case_text.hpp"

#include <gtest/gtest.h>

#include "report/mismatch_table.hpp"

namespace gpucheck::report {
namespace {

using Lines = std::vector<std::string>;

TEST(MismatchTable, AlignsExpectedAndSeen) {
  EXPECT_EQ(mismatch_table({{"count", "1 to 3", "4", "math"}, {"a_longer_key", "true", "false", ""}}, 80),
            (Lines{"key           expected  seen   basis", "count         1 to 3    4      math",
                   "a_longer_key  true      false"}));
}

TEST(MismatchTable, AlignsByCharactersNotBytes) {
  EXPECT_EQ(mismatch_table(
                {{"k", "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", "x", "math"}}, 80),
            (Lines{"key  expected   seen  basis",
                   "k    \xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9  x     math"}));
}

TEST(MismatchTable, StacksWhatIsTooWide) {
  // As a table: 3 + 2 + 8 + 2 + 4 + 2 + 5 columns.
  EXPECT_EQ(mismatch_table({{"key", "1", "2", "math"}}, 26).size(), 2U);
  EXPECT_EQ(mismatch_table({{"key", "1", "2", "math"}}, 25),
            (Lines{"key (basis: math)", "  expected  1", "  seen      2"}));
  EXPECT_EQ(mismatch_table({{"key", "1", "2", ""}}, 0).front(), "key");
}

TEST(MismatchTable, SaysHowManyItLeavesOut) {
  const std::vector<harness::Mismatch> many(60, {"k", "e", "s", "b"});
  const Lines lines = mismatch_table(many, 80);
  EXPECT_EQ(lines.size(), 52U);  // heading, 50 rows, the rest in words
  EXPECT_EQ(lines.back(), "and 10 more");
  EXPECT_TRUE(mismatch_table({}, 80).empty());
}

TEST(MismatchTable, SaysNothingOfMoreWhereAllAreShown) {
  for (const std::size_t count : {49U, 50U}) {
    const Lines lines = mismatch_table(std::vector<harness::Mismatch>(count, {"k", "e", "s", "b"}), 80);
    EXPECT_EQ(lines.size(), count + 1);
    EXPECT_EQ(lines.back(), lines[1]);
  }
  const Lines lines = mismatch_table(std::vector<harness::Mismatch>(51, {"k", "e", "s", "b"}), 80);
  EXPECT_EQ(lines.size(), 52U);
  EXPECT_EQ(lines.back(), "and 1 more");
}

TEST(CaseText, CutsALongOutputToItsLastLines) {
  harness::CaseResult result;
  result.name = "a.b";
  result.outcome = harness::Outcome::hang;
  for (int i = 0; i < 200'000; ++i) result.error_tail += "line\n";
  result.error_tail += "last";
  const std::string text = case_text(result, {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 10 + 1);  // head, cause, ten lines, next step
  EXPECT_NE(text.find("stderr | last\n"), std::string::npos);
}

TEST(CaseText, APassWithAWarningShowsItAndWhatToDo) {
  harness::CaseResult result;
  result.name = "health.mode";
  result.outcome = harness::Outcome::pass;
  result.warnings = {{"persistence_mode", "true", "false", "vendor", "GC1003"}};
  const std::string text = case_text(result, {});
  EXPECT_TRUE(text.starts_with("WARN ")) << text;
  EXPECT_NE(text.find("passed with a warning: persistence_mode\n"), std::string::npos) << text;
  EXPECT_NE(text.find("persistence_mode  true      false"), std::string::npos) << text;
  EXPECT_NE(text.find("warning: GC1003 wrong_mode"), std::string::npos) << text;
}

TEST(CaseText, AFailureShowsItsWarningsToo) {
  harness::CaseResult result;
  result.name = "health.mode";
  result.outcome = harness::Outcome::fail;
  result.mismatches = {{"compute_mode", "0", "2", "vendor", "GC1003"}};
  result.warnings = {{"persistence_mode", "true", "false", "vendor", "GC1005"}};
  const std::string text = case_text(result, {});
  EXPECT_TRUE(text.starts_with("FAIL ")) << text;
  EXPECT_NE(text.find("warning: GC1005"), std::string::npos) << text;
  EXPECT_NE(text.find("compute_mode"), std::string::npos) << text;
}

TEST(CaseText, OfACrashWithoutAReasonSaysHowTheProcessEnded) {
  harness::CaseResult result;
  result.name = "a.b";
  result.outcome = harness::Outcome::crash;
  result.signal = 6;
  EXPECT_NE(case_text(result, {}).find("killed by signal 6 (SIGABRT)"), std::string::npos);
  result.signal.reset();
  result.exit_code = 9;
  EXPECT_NE(case_text(result, {}).find("exited with code 9"), std::string::npos);
}

}  // namespace
}  // namespace gpucheck::report
