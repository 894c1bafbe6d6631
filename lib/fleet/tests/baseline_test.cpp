#include "fleet/baseline.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "golden/golden.hpp"
#include "golden/limits/limits.hpp"

namespace gpucheck::fleet {
namespace {

using nlohmann::json;

TEST(Summarise, TakesTheMiddle) {
  // Distances from 3: 2, 1, 0, 1, 97.
  EXPECT_EQ(summarise({5, 100, 1, 2, 3}).median, 3);
  EXPECT_EQ(summarise({100, 1, 2, 3, 4}).median_deviation, 1);
  EXPECT_EQ(summarise({4, 1, 3, 2}).median, 2.5);
  EXPECT_EQ(summarise({7}).median_deviation, 0);
  EXPECT_EQ(summarise({}).count, 0U);
}

/// One result file: a device, and what it measured.
json result_file(const std::string& host, double value, const std::string& outcome = "pass") {
  return {
      {"schema", "gpucheck.result/1"},
      {"host_name", host},
      {"devices", {{{"name", "NVIDIA H200"}, {"uuid", "GPU-" + host}}}},
      {"cases",
       {{{"name", "bandwidth.read"},
         {"outcome", outcome},
         {"devices", {0}},
         {"measurements", {{{"key", "read_gbps"}, {"value", value}, {"fail_below", 1.0}, {"fail_above", nullptr}}}}},
        {{"name", "alloc.fuzz"}, {"outcome", "pass"}, {"devices", {0}}, {"measurements", json::array()}}}}};
}

std::vector<MeasuredValue> values_of(const json& document) { return measured_values(document.dump(), "node.json"); }

TEST(MeasuredValues, AreReadFromResults) {
  const std::vector<MeasuredValue> values = values_of(result_file("a", 4664));
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0].device, "NVIDIA H200");
  EXPECT_EQ(values[0].uuid, "GPU-a");
  EXPECT_EQ(values[0].host, "a");
  EXPECT_EQ(values[0].name, "bandwidth.read.read_gbps");
  EXPECT_EQ(values[0].value, 4664);
  EXPECT_TRUE(values[0].is_least);
  EXPECT_FALSE(values[0].is_most);
}

TEST(MeasuredValues, OfWhatFailedDoNotCount) { EXPECT_TRUE(values_of(result_file("a", 100, "fail")).empty()); }

TEST(MeasuredValues, AreReadFromSeveralRunsInOneFile) {
  const json fleet = {{"schema", "gpucheck.fleet/1"}, {"runs", {result_file("a", 1), result_file("b", 2)}}};
  EXPECT_EQ(values_of(fleet).size(), 2U);
}

TEST(MeasuredValues, OtherFilesAreRejectedByNameAndPlace) {
  const auto complaint = [](const std::string& text) {
    try {
      static_cast<void>(measured_values(text, "node.json"));
    } catch (const EnvironmentError& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  EXPECT_NE(complaint("{").find("node.json:1"), std::string::npos);
  EXPECT_NE(complaint("[]").find("gpucheck run --json"), std::string::npos);
  EXPECT_NE(complaint(R"({"schema": "gpucheck.limits/1"})").find("/schema"), std::string::npos);
  json damaged = result_file("a", 1);
  damaged["cases"][0]["devices"] = {3};
  EXPECT_NE(complaint(damaged.dump()).find("/cases/0/devices"), std::string::npos);
  damaged["cases"][0]["devices"] = json::array();
  EXPECT_NE(complaint(damaged.dump()).find("/cases/0/devices"), std::string::npos);
}

/// Two devices, of which the case ran on the second; two values, of which the second must not be too great.
TEST(MeasuredValues, AreOfTheDeviceThatTheCaseRanOnAndOfEachKey) {
  json file = result_file("a", 7);
  file["devices"].push_back({{"name", "NVIDIA L4"}, {"uuid", "GPU-second"}});
  json& test_case = file["cases"][0];
  test_case["devices"] = {1, 0};
  test_case["repetition"] = 3;
  test_case["measurements"].push_back(
      {{"key", "latency_us"}, {"value", 2.5}, {"fail_below", nullptr}, {"fail_above", 9.0}});
  file["start_time"] = "2026-08-22T10:11:12.345Z";
  const std::vector<MeasuredValue> values = values_of(file);
  ASSERT_EQ(values.size(), 2U);
  for (const MeasuredValue& value : values) {
    EXPECT_EQ(value.device, "NVIDIA L4");
    EXPECT_EQ(value.uuid, "GPU-second");
    EXPECT_EQ(value.file, "node.json");
    EXPECT_EQ(value.start_time, "2026-08-22T10:11:12.345Z");
    EXPECT_EQ(value.repetition, 3U);
  }
  EXPECT_EQ(values[1].name, "bandwidth.read.latency_us");
  EXPECT_EQ(values[1].value, 2.5);
  EXPECT_FALSE(values[1].is_least);
  EXPECT_TRUE(values[1].is_most);
  test_case["devices"] = {2};
  EXPECT_THROW(static_cast<void>(values_of(file)), EnvironmentError) << "there are two";
}

TEST(MeasuredValues, ThatFailedOrWereNotJudgedDoNotCount) {
  for (const char* outcome : {"fail", "error", "crash", "hang", "skip"}) {
    EXPECT_TRUE(values_of(result_file("a", 100, outcome)).empty()) << outcome;
  }
}

std::vector<MeasuredValue> measured(const std::vector<double>& values, bool is_least = true) {
  std::vector<MeasuredValue> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.push_back({.device = "NVIDIA H200",
                      .uuid = "GPU-" + std::to_string(i % 4),
                      .host = "node" + std::to_string(i % 2),
                      .name = "bandwidth.read.read_gbps",
                      .value = values[i],
                      .is_least = is_least,
                      .is_most = !is_least});
  }
  return result;
}

json limit_of(const std::vector<MeasuredValue>& values) {
  return json::parse(make_baseline(values, {}).limits)["classes"][0]["limits"]["bandwidth.read.read_gbps"];
}

/// Median 1000, distances 0, 20, 20, 40, 40: their median is 20. 3.5 x 1.4826 x 20 = 103.8, and twice that.
TEST(MakeBaseline, WarnsAndFailsByTheSpread) {
  const json limit = limit_of(measured({1000, 980, 1020, 960, 1040}));
  EXPECT_NEAR(limit["warn_below"], 1000 - 103.8, 0.1);
  EXPECT_NEAR(limit["fail_below"], 1000 - 207.6, 0.1);
  EXPECT_FALSE(limit.contains("fail_above"));
  EXPECT_EQ(limit["source"], "median 1000, median deviation 20, of 5 measurements on 4 devices of 2 hosts");
}

TEST(MakeBaseline, LeavesRoomWhereAllAreAlike) {
  const json limit = limit_of(measured({1000, 1000, 1000, 1000, 1000}));
  EXPECT_EQ(limit["warn_below"], 970);
  EXPECT_EQ(limit["fail_below"], 940);
}

TEST(MakeBaseline, TakesNoNoticeOfAFewThatStray) {
  EXPECT_EQ(limit_of(measured({1000, 1000, 1000, 1000, 10}))["fail_below"], 940);
}

TEST(MakeBaseline, HasAGreatestValueWhereMoreIsWorse) {
  const json limit = limit_of(measured({10, 10, 10, 10, 10}, false));
  EXPECT_EQ(limit["warn_above"], 10.3);
  EXPECT_EQ(limit["fail_above"], 10.6);
  EXPECT_FALSE(limit.contains("fail_below"));
}

TEST(MakeBaseline, NeedsSeveralMeasurements) {
  std::vector<MeasuredValue> values = measured({1000, 1000, 1000, 1000, 1000});
  values.push_back(
      {.device = "NVIDIA L4", .uuid = "u", .host = "h", .name = "a.b.c_gbps", .value = 1, .is_least = true});
  const Baseline baseline = make_baseline(values, {});
  EXPECT_EQ(baseline.left_out, std::vector<std::string>{"a.b.c_gbps on NVIDIA L4: 1 measured, 5 needed"});
  EXPECT_EQ(json::parse(baseline.limits)["classes"].size(), 1U);
  EXPECT_THROW(static_cast<void>(make_baseline({values.back()}, {})), EnvironmentError);
  EXPECT_THROW(static_cast<void>(make_baseline({}, {})), EnvironmentError);
}

TEST(MakeBaseline, NeedsAsManyMeasurementsAsAreAskedFor) {
  const std::vector<MeasuredValue> four = measured({1000, 1000, 1000, 1000});
  EXPECT_THROW(static_cast<void>(make_baseline(four, {})), EnvironmentError) << "5 where nobody says";
  EXPECT_NO_THROW(static_cast<void>(make_baseline(four, {.minimum_count = 4})));
  EXPECT_THROW(static_cast<void>(make_baseline(measured({1000, 1000, 1000, 1000, 1000}), {.minimum_count = 6})),
               EnvironmentError);
}

TEST(MakeBaseline, MayHaveALeastAndAGreatestValue) {
  std::vector<MeasuredValue> values = measured({1000, 1000, 1000, 1000, 1000});
  values[3].is_most = true;
  const json limit = limit_of(values);
  EXPECT_EQ(limit["fail_below"], 940);
  EXPECT_EQ(limit["warn_below"], 970);
  EXPECT_EQ(limit["warn_above"], 1030);
  EXPECT_EQ(limit["fail_above"], 1060);
}

/// Five digits: 1234567 x 0.97 is 1197529.99, and 0.00123456 x 0.97 is 0.0011975232.
TEST(MakeBaseline, SaysNoMoreDigitsThanWereMeasured) {
  EXPECT_NEAR(limit_of(measured(std::vector<double>(5, 1234567)))["warn_below"].get<double>(), 1197500, 1e-6);
  EXPECT_NEAR(limit_of(measured(std::vector<double>(5, 0.00123456)))["warn_below"].get<double>(), 0.0011975, 1e-12);
}

TEST(MakeBaseline, HasAClassForEachModelThatOnlyItMatches) {
  std::vector<MeasuredValue> values = measured({1000, 1000, 1000, 1000, 1000});
  std::vector<MeasuredValue> others = measured({500, 500, 500, 500, 500});
  for (MeasuredValue& value : others) value.device = "NVIDIA A.B (C)+";
  values.insert(values.end(), others.begin(), others.end());
  const std::string text = make_baseline(values, {}).limits;
  const json classes = json::parse(text)["classes"];
  ASSERT_EQ(classes.size(), 2U);
  EXPECT_EQ(classes[0]["name"], "NVIDIA A.B (C)+");
  EXPECT_EQ(classes[0]["limits"]["bandwidth.read.read_gbps"]["fail_below"], 470);
  EXPECT_EQ(classes[1]["name"], "NVIDIA H200");
  const golden::Limits limits = golden::Limits::parse(text, "made");
  harness::DeviceIdentity device;
  const auto verdict_on = [&](const std::string& name) {
    device.name = name;
    return limits.judge("bandwidth.read.read_gbps", "read_gbps", 500, &device).verdict;
  };
  EXPECT_EQ(verdict_on("NVIDIA A.B (C)+"), "pass");
  EXPECT_EQ(verdict_on("NVIDIA AxB (C)+"), "unknown");
  EXPECT_EQ(verdict_on("NVIDIA H200"), "fail");
}

// -- what counts once, and what gives no limit ----------------------------------------------------

std::string why_no_baseline(const std::vector<double>& values, bool is_least = true) {
  try {
    return make_baseline(measured(values, is_least), {}).limits;
  } catch (const EnvironmentError& problem) {
    return problem.what();
  }
}

/// Median 1000, distances 0, 300, 300, 500, 500: 7 x 1.4826 x 300 = 3113 below it.
TEST(MakeBaseline, OfValuesThatSpreadTooFarHasNoLimit) {
  for (const bool is_least : {true, false}) {
    const std::string why = why_no_baseline({1000, 700, 1300, 500, 1500}, is_least);
    EXPECT_NE(why.find("spread too far"), std::string::npos) << why;
    EXPECT_NE(why.find("median 1000"), std::string::npos) << why;
  }
}

/// 7 x 1.4826 deviations are half the median where the median deviation is 48.18 of 1000.
TEST(MakeBaseline, SpreadsTooFarWhereHalfTheMedianWouldPass) {
  EXPECT_EQ(why_no_baseline({1000, 952, 1048, 940, 1060}).find("spread too far"), std::string::npos);
  EXPECT_NE(why_no_baseline({1000, 951, 1049, 940, 1060}).find("spread too far"), std::string::npos);
}

TEST(MakeBaseline, LeavesOutOnlyTheValueThatSpreads) {
  std::vector<MeasuredValue> values = measured({1000, 1000, 1000, 1000, 1000});
  std::vector<MeasuredValue> wide = measured({10, 5, 15, 2, 20});
  for (MeasuredValue& value : wide) value.name = "bandwidth.read.other_gbps";
  values.insert(values.end(), wide.begin(), wide.end());
  const Baseline baseline = make_baseline(values, {});
  ASSERT_EQ(baseline.left_out.size(), 1U);
  EXPECT_NE(baseline.left_out[0].find("bandwidth.read.other_gbps on NVIDIA H200: the values spread too far"),
            std::string::npos)
      << baseline.left_out[0];
  EXPECT_EQ(json::parse(baseline.limits)["classes"][0]["limits"].size(), 1U);
}

TEST(MeasuredValues, ThatAreNotAboveZeroAreRejected) {
  for (const double value : {0.0, -1.0, -4664.0}) {
    EXPECT_THROW(static_cast<void>(values_of(result_file("a", value))), EnvironmentError) << value;
  }
  json infinite = result_file("a", 1);
  infinite["cases"][0]["measurements"][0]["value"] = "nan";
  EXPECT_THROW(static_cast<void>(values_of(infinite)), EnvironmentError);
}

json started_at(const std::string& host, const std::string& time, int repetition = 0) {
  json file = result_file(host, 4664);
  file["start_time"] = time;
  for (json& test_case : file["cases"]) test_case["repetition"] = repetition;
  return file;
}

std::string why_told_twice(const std::vector<json>& files) {
  std::vector<MeasuredValue> values;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::vector<MeasuredValue> more = measured_values(files[i].dump(), "node" + std::to_string(i) + ".json");
    values.insert(values.end(), more.begin(), more.end());
  }
  try {
    check_measured_once(values);
  } catch (const UsageError& problem) {
    return problem.what();
  }
  return {};
}

TEST(MeasuredValues, OfOneRunCountOnce) {
  const json run = started_at("a", "2026-08-22T10:11:12.345Z");
  const json fleet = {{"schema", "gpucheck.fleet/1"}, {"runs", {run, started_at("b", "2026-08-22T10:11:12.345Z")}}};
  for (const std::vector<json>& files : {std::vector{run, run}, {run, fleet}, {fleet, fleet}}) {
    EXPECT_NE(why_told_twice(files).find("node0.json and node1.json hold the same measurement"), std::string::npos)
        << why_told_twice(files);
  }
  EXPECT_EQ(why_told_twice({run, started_at("a", "2026-08-22T10:11:13.345Z")}), "") << "another run";
  EXPECT_EQ(why_told_twice({run, started_at("b", "2026-08-22T10:11:12.345Z")}), "") << "another host";
  EXPECT_EQ(why_told_twice({run, started_at("a", "2026-08-22T10:11:12.345Z", 1)}), "") << "another repetition";
}

/// What is made judges the model it was made from, and no other.
TEST(MakeBaseline, GivesLimitsThatJudge) {
  const golden::Limits limits =
      golden::Limits::parse(make_baseline(measured({1000, 1000, 1000, 1000, 1000}), {}).limits, "made");
  harness::DeviceIdentity device;
  device.name = "NVIDIA H200";
  const auto verdict = [&](double value) {
    return limits.judge("bandwidth.read.read_gbps", "read_gbps", value, &device).verdict;
  };
  EXPECT_EQ(verdict(1000), "pass");
  EXPECT_EQ(verdict(950), "warn");
  EXPECT_EQ(verdict(900), "fail");
  device.name = "NVIDIA H200 NVL";
  EXPECT_EQ(verdict(1000), "unknown");
}

}  // namespace
}  // namespace gpucheck::fleet
