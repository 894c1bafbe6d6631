#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/comparison_text.hpp"
#include "report/formats/entries.hpp"
#include "report/wording.hpp"

/// What reports say in words: each number at its place, and of one, several and none.
namespace gpucheck::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

harness::Measurement measured_value(const std::string& verdict) {
  return {.key = "gbps", .value = 4650, .verdict = verdict, .source = "sheet"};
}

TEST(MeasurementText, HasTheValueTheBestAndEachLimit) {
  harness::Measurement measurement = measured_value("pass");
  EXPECT_EQ(measurement_text(measurement), "= 4650");
  measurement.fail_below = 3933;
  EXPECT_EQ(measurement_text(measurement), "= 4650; fails below 3933");
  measurement.warn_below = 4425;
  measurement.warn_above = 5000;
  measurement.fail_above = 6000;
  measurement.best = 5000;
  EXPECT_EQ(measurement_text(measurement),
            "= 4650, 93 % of the best 5000; fails below 3933, warns below 4425, warns above 5000, fails above 6000");
  measurement.best = 0;
  measurement.verdict = "warn";
  measurement.fail_below = measurement.warn_below = measurement.warn_above = std::nullopt;
  EXPECT_EQ(measurement_text(measurement), "! 4650; fails above 6000");
  EXPECT_EQ(measurement_text(measured_value("fail")), "! 4650");
  EXPECT_EQ(measurement_text(measured_value("unknown")), "! 4650; no limit: sheet");
}

TEST(WaiverText, SaysWhoAnswersUntilWhenAndWhatFor) {
  const harness::Waiver waiver{"alloc.*", "any", "known", "node team", "2026-12-31"};
  EXPECT_EQ(waiver_text(waiver), "waived by node team until 2026-12-31: known");
  EXPECT_EQ(waiver_complaint({waiver, "used"}), "");
  EXPECT_EQ(
      waiver_complaint({waiver, "expired"}),
      "the waiver for alloc.* on any device (node team, until 2026-12-31) has expired: it waives nothing any more");
  harness::Waiver of_xid = waiver;
  of_xid.device = "GPU-1";
  of_xid.xid = 63;
  EXPECT_EQ(
      waiver_complaint({of_xid, "unused"}),
      "the waiver for alloc.*, XID 63, on GPU-1 (node team, until 2026-12-31) is not needed: what it covers passed; "
      "remove it");
}

TEST(CountsText, SaysHowManyAreWaived) {
  EXPECT_EQ(counts_text({.pass = 1, .fail = 2, .waived = 2}), "1 passed, 2 failed (2 waived)");
}

TEST(SomeOf, NamesTenAndCountsTheRest) {
  std::vector<std::string> names;
  EXPECT_EQ(some_of(names, 7), "7 of later repetitions");
  for (int i = 0; i < 10; ++i) names.push_back("c" + std::to_string(i));
  const std::string ten = "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9";
  EXPECT_EQ(some_of(names, 10), ten);
  EXPECT_EQ(some_of(names, 12), ten + " and 2 more");
  names.push_back("c10");
  EXPECT_EQ(some_of(names, 11), ten + " and 1 more");
  EXPECT_EQ(some_of({"one"}, 1), "one");
}

TEST(ConfigurationText, NamesTheFileTheProfileAndEachSetting) {
  harness::Configuration configuration;
  configuration.path = "/site/gpucheck.toml";
  EXPECT_EQ(configuration_text(configuration), "config /site/gpucheck.toml: it changes nothing");
  configuration.profile = "nightly";
  configuration.settings.emplace_back();
  configuration.settings.back().key = "suite";
  configuration.settings.back().value = "quick";
  configuration.settings.emplace_back();
  configuration.settings.back().key = "max_skips";
  configuration.settings.back().value = "0";
  EXPECT_EQ(configuration_text(configuration),
            "config /site/gpucheck.toml, profile nightly: suite = quick, max_skips = 0");
}

harness::DeviceIdentity named_device(const std::string& name, int ordinal = 0) {
  harness::DeviceIdentity device;
  device.kind = "cuda";
  device.ordinal = ordinal;
  device.name = name;
  return device;
}

TEST(DeviceText, SaysWhatIsKnown) {
  harness::DeviceIdentity device = named_device("NVIDIA H100", 3);
  EXPECT_EQ(device_text(device), "NVIDIA H100 (cuda:3)");
  device.total_memory_bytes = std::uint64_t{80} << 30;
  EXPECT_EQ(device_text(device), "NVIDIA H100 (cuda:3, 80.00 GiB)");
  device.name.clear();
  EXPECT_EQ(device_text(device), "unknown device (cuda:3, 80.00 GiB)");
  device.pci_bus_id = "0000:3b:00.0";
  EXPECT_EQ(device_text(device), "0000:3b:00.0 (cuda:3, 80.00 GiB)");
}

TEST(DeviceText, OfSeveralSaysHowManyAndWhetherTheyAreAlike) {
  using Devices = std::vector<harness::DeviceIdentity>;
  EXPECT_EQ(device_text(Devices{}), "no device");
  EXPECT_EQ(device_text(Devices{named_device("H100")}), "H100 (cuda:0)");
  EXPECT_EQ(device_text(Devices{named_device("H100"), named_device("H100")}), "2 devices (cuda, H100)");
  EXPECT_EQ(device_text(Devices{named_device("H100"), named_device("H100"), named_device("H200")}), "3 devices (cuda)");
  EXPECT_EQ(device_text(Devices{named_device(""), named_device("")}), "2 devices (cuda)");
}

TEST(PlaceText, NamesEachDevice) {
  EXPECT_EQ(place_text({}), "machine");
  EXPECT_EQ(place_text({2}), "device 2");
  EXPECT_EQ(place_text({0, 1, 3}), "devices 0-1-3");
}

TEST(BoundText, SaysWhereTheTimeWent) {
  harness::DeviceTime time{.device = 2, .running_ms = 1000, .starting_ms = 2000, .idle_ms = 3000, .processes = 1};
  EXPECT_EQ(bound_text({.time = time, .by = "starting"}),
            "time bound by starting workers on device 2: 1.0 s running cases, 2.0 s starting workers, 3.0 s idle; 1 "
            "process");
  time.processes = 4;
  time.own_process_ms = 500;
  EXPECT_EQ(bound_text({.time = time, .by = "cases"}),
            "time bound by running cases on device 2: 1.0 s running cases, 2.0 s starting workers, 3.0 s idle; 4 "
            "processes, 500 ms in those of a case's own");
  EXPECT_THAT(bound_text({.time = time, .by = "idle"}), HasSubstr("time bound by waiting on"));
}

TEST(BoundText, TheBusiestIsTheOneThatRanAndStartedLongest) {
  const harness::DeviceTime starts{.device = 0, .running_ms = 10, .starting_ms = 30, .idle_ms = 60};
  const harness::DeviceTime runs{.device = 1, .running_ms = 35, .starting_ms = 0, .idle_ms = 65};
  EXPECT_EQ(bound_of({runs, starts})->time.device, 0);
  EXPECT_EQ(bound_of({runs, starts})->by, "idle");
}

TEST(Cause, OfACrashIsHowTheProcessEnded) {
  harness::CaseResult result;
  result.outcome = harness::Outcome::crash;
  result.signal = 11;
  result.mismatches = {{"key", "1", "2", "math"}};
  EXPECT_EQ(cause(result), "killed by signal 11 (SIGSEGV)");
  result.reason = "said otherwise";
  EXPECT_EQ(cause(result), "said otherwise");
}

// -- comparisons ---------------------------------------------------------------------------------

harness::Comparison compared(const std::vector<std::string>& verdicts) {
  harness::Comparison comparison;
  comparison.case_name = "gemm.bf16";
  comparison.key = "digest";
  comparison.model = "NVIDIA H100";
  comparison.reason = "device 1 has \"bb\"";
  comparison.verdict = "pass";
  for (const std::string& verdict : verdicts) {
    comparison.values.push_back(
        {.device = static_cast<int>(comparison.values.size()), .value = "v", .verdict = verdict});
    if (verdict == "fail" || comparison.verdict == "pass") comparison.verdict = verdict;
  }
  return comparison;
}

TEST(ComparisonText, IsEmptyForAPassAndNamesWhatDiffers) {
  EXPECT_EQ(comparison_title(compared({})), "gemm.bf16.digest of NVIDIA H100");
  EXPECT_EQ(comparison_text(compared({"pass", "pass"}), plain_device_name, {}), "");
  const std::string failed = comparison_text(compared({"pass", "fail"}), plain_device_name, {});
  EXPECT_THAT(failed, HasSubstr("FAIL"));
  EXPECT_THAT(failed, HasSubstr("gemm.bf16.digest of NVIDIA H100"));
  EXPECT_THAT(failed, HasSubstr("device 1 has \"bb\""));
  EXPECT_THAT(comparison_text(compared({"warn", "pass"}), plain_device_name, {}), HasSubstr("WARN"));
}

TEST(ComparisonText, CountsThoseThatFail) {
  EXPECT_EQ(failed_comparisons_text({}), "");
  EXPECT_EQ(failed_comparisons_text({compared({"warn"}), compared({"pass"})}), "");
  EXPECT_EQ(failed_comparisons_text({compared({"fail"}), compared({"pass"})}), ", 1 comparison failed");
  harness::Comparison waived = compared({"fail"});
  waived.values[0].waiver = harness::Waiver{};
  EXPECT_EQ(failed_comparisons_text({compared({"fail"}), waived, compared({"pass", "fail"})}),
            ", 2 comparisons failed");
}

TEST(ComparisonText, TellsSixteenValuesTheWaiversAndWhatToDo) {
  harness::Comparison comparison = compared(std::vector<std::string>(16, "pass"));
  EXPECT_EQ(comparison_details(comparison, plain_device_name).at(0).find("more"), std::string::npos);
  comparison.values.push_back({.device = 16, .value = 12.3456, .verdict = "fail", .waiver = harness::Waiver{}});
  comparison.values[1].value = 12.3456;
  comparison.values[16].waiver->owner = "me";
  comparison.failure = harness::find_failure_kind("odd_digest")->code;
  const std::vector<std::string> lines = comparison_details(comparison, plain_device_name);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], HasSubstr("device 0: \"v\", device 1: 12.35, device 2: \"v\""));
  EXPECT_THAT(lines[0], HasSubstr("device 15: \"v\" and 1 more"));
  EXPECT_THAT(lines[1], HasSubstr("device 16: waived by me until "));
  EXPECT_THAT(lines[2], HasSubstr("odd_digest"));
  comparison.verdict = "fail";
  EXPECT_THAT(comparison_text(comparison, plain_device_name, {}), HasSubstr("WAIVED gemm.bf16.digest"));
}

// -- what a report is made of ----------------------------------------------------------------------

harness::CaseResult result_with(harness::Outcome outcome, const std::string& name = "a.b") {
  harness::CaseResult result;
  result.name = name;
  result.devices = {0, 1};
  result.outcome = outcome;
  result.reason = outcome == harness::Outcome::pass ? "" : "why";
  return result;
}

std::vector<Standing> standings_of(const std::vector<harness::CaseResult>& results,
                                   const std::vector<harness::Comparison>& comparisons = {}) {
  RunSet set;
  set.runs.emplace_back();
  set.runs[0].results = results;
  set.runs[0].end.comparisons = comparisons;
  std::vector<Standing> standings;
  for (const Entry& entry : entries_of(set)) standings.push_back(entry.standing);
  return standings;
}

TEST(Entries, HaveTheStandingOfTheirOutcome) {
  using harness::Outcome;
  harness::CaseResult warned = result_with(Outcome::pass);
  warned.warnings = {{"key", "1", "2", "vendor"}};
  harness::CaseResult beyond = result_with(Outcome::pass);
  beyond.measurements = {measured_value("warn")};
  harness::CaseResult waived = result_with(Outcome::fail);
  waived.waiver = harness::Waiver{};
  EXPECT_THAT(standings_of({result_with(Outcome::pass), warned, beyond, waived, result_with(Outcome::skip),
                            result_with(Outcome::error), result_with(Outcome::fail), result_with(Outcome::crash),
                            result_with(Outcome::hang)}),
              ElementsAre(Standing::passed, Standing::warned, Standing::warned, Standing::waived, Standing::skipped,
                          Standing::unjudged, Standing::failed, Standing::failed, Standing::failed));
  harness::Comparison waived_comparison = compared({"pass", "fail"});
  waived_comparison.values[1].waiver = harness::Waiver{};
  EXPECT_THAT(standings_of({}, {compared({"pass"}), compared({"warn"}), compared({"pass", "fail"}), waived_comparison}),
              ElementsAre(Standing::passed, Standing::warned, Standing::failed, Standing::waived));
  EXPECT_THAT(standings_of({}), IsEmpty());
}

TEST(Entries, SayWhatWarnsAndWhatIsWaived) {
  RunSet set;
  set.runs.emplace_back();
  harness::CaseResult warned = result_with(harness::Outcome::pass);
  warned.warnings = {{"first", "1", "2", "vendor", "GC1003"}, {"second", "3", "4", "vendor", "GC1003"}};
  warned.measurements = {measured_value("warn"), measured_value("pass")};
  harness::CaseResult waived = result_with(harness::Outcome::hang, "c.d");
  waived.waiver = harness::Waiver{"c.*", "any", "known", "me", "2026-12-31"};
  set.runs[0].results = {warned, waived};
  const std::vector<Entry> entries = entries_of(set);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].message, "first, second, gbps");
  EXPECT_EQ(entries[0].place, "devices 0-1");
  EXPECT_THAT(entries[0].details, HasSubstr("gbps ! 4650"));
  EXPECT_THAT(entries[0].details, HasSubstr("GC1003 wrong_mode"));
  EXPECT_EQ(entries[1].message, "waived by me until 2026-12-31: known; hang: why");
  EXPECT_THAT(entries[1].details, HasSubstr("waived by me until 2026-12-31: known\n"));
}

}  // namespace
}  // namespace gpucheck::report
