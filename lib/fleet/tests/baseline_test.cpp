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
