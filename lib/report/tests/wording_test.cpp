#include "report/wording.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "base/text/utc.hpp"

namespace gpucheck::report {
namespace {

TEST(HumaneDuration, ChoosesTheUnitPeopleWould) {
  EXPECT_EQ(format_duration(0.42), "0.4 ms");
  EXPECT_EQ(format_duration(9.949), "9.9 ms");
  EXPECT_EQ(format_duration(9.95), "10 ms");
  EXPECT_EQ(format_duration(340), "340 ms");
  EXPECT_EQ(format_duration(999.4), "999 ms");
  EXPECT_EQ(format_duration(999.6), "1.0 s");
  EXPECT_EQ(format_duration(1234), "1.2 s");
  EXPECT_EQ(format_duration(59940), "59.9 s");
  EXPECT_EQ(format_duration(59949), "59.9 s");
  EXPECT_EQ(format_duration(59950), "1 min 00 s");
  EXPECT_EQ(format_duration(59980), "1 min 00 s") << "never 60.0 s";
  EXPECT_EQ(format_duration(59960), "1 min 00 s");
  EXPECT_EQ(format_duration(125400), "2 min 05 s");
  EXPECT_EQ(format_duration(7199999), "120 min 00 s");
}

TEST(HumaneDuration, SurvivesNumbersThatAreNoDurations) {
  EXPECT_EQ(format_duration(-1), "0.0 ms");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::quiet_NaN()), "0.0 ms");
}

TEST(CountsText, LeavesOutWhatThereIsNoneOf) {
  EXPECT_EQ(counts_text({.pass = 12}), "12 passed");
  EXPECT_EQ(counts_text({.pass = 2, .error = 2, .flaky = 1}), "2 passed (1 flaky), 2 errors");
  EXPECT_EQ(counts_text({.fail = 1, .error = 1, .crash = 1, .hang = 1, .skip = 1, .not_run = 1}),
            "1 failed, 1 error, 1 crashed, 1 hung, 1 skipped, 1 not run");
  EXPECT_EQ(counts_text({}), "no case run");
}

TEST(RerunText, IsWholeOrNotThere) {
  harness::CaseResult result;
  EXPECT_EQ(rerun_text(result), "");
  result.rerun_command = "gpucheck run a.b --parameter 'text=a  b" + std::string(5000, 'x') + "'";
  EXPECT_EQ(rerun_text(result), "rerun: " + result.rerun_command);
  EXPECT_EQ(shown_rerun_command(result), result.rerun_command);
  for (const char* command : {"gpucheck run a.b; rm -r x", "rm -r x", "gpucheck run $(id)", "gpucheck run a\nid",
                              "gpucheck run 'a\x1b[201~'", "gpucheck run 'a"}) {
    result.rerun_command = command;
    EXPECT_EQ(rerun_text(result), "rerun: the command on file is not one that gpucheck writes, so it is left out");
    EXPECT_EQ(shown_rerun_command(result), "") << command;
  }
}

TEST(BoundOf, IsTheBusiestDeviceAndWhatItDidMostOf) {
  const harness::DeviceTime idle{.device = 0, .running_ms = 10, .starting_ms = 0, .idle_ms = 90};
  const harness::DeviceTime busy{.device = 1, .running_ms = 40, .starting_ms = 41, .idle_ms = 19};
  ASSERT_TRUE(bound_of({idle, busy}));
  EXPECT_EQ(bound_of({idle, busy})->time.device, 1);
  EXPECT_EQ(bound_of({idle, busy})->by, "starting");
  EXPECT_EQ(bound_of({busy, idle})->time.device, 1);
  EXPECT_EQ(bound_of({idle})->by, "idle");
  EXPECT_FALSE(bound_of({}));
}

TEST(Cause, IsTheReasonElseTheFirstMismatch) {
  harness::CaseResult result;
  result.outcome = harness::Outcome::fail;
  result.mismatches = {{"key", "1", "2", "math"}, {"other", "1", "2", "math"}};
  EXPECT_EQ(cause(result), "key: expected 1, seen 2 (and 1 more)");
  result.mismatches.pop_back();
  EXPECT_EQ(cause(result), "key: expected 1, seen 2");
  result.reason = "because\nof this";
  EXPECT_EQ(cause(result), "because of this");
}

TEST(DisplayName, TellsRepetitionsAndFaultsApart) {
  harness::CaseResult result;
  result.name = "a.b";
  EXPECT_EQ(display_name(result), "a.b");
  result.repetition = 1;
  EXPECT_EQ(display_name(result), "a.b#2");
  result.fault = "drop";
  EXPECT_EQ(display_name(result), "a.b#2[drop]");
}

TEST(Utc, IsIso8601) {
  using namespace std::chrono;
  const system_clock::time_point time = sys_days{2024y / February / 29} + 1h + 2min + 3s + 45ms + 678us;
  EXPECT_EQ(utc_seconds(time), "2024-02-29T01:02:03");
  EXPECT_EQ(utc_milliseconds(time), "2024-02-29T01:02:03.045Z");
}

}  // namespace
}  // namespace gpucheck::report
