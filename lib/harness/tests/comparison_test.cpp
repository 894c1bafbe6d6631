#include "harness/rules/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/run/device_verdicts.hpp"
#include "harness/run/exit_codes.hpp"

namespace gpucheck::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Comparison odd_one(int odd, const std::string& verdict = "fail") {
  Comparison comparison;
  comparison.case_name = "gemm.bf16";
  comparison.key = "digest";
  comparison.verdict = verdict;
  if (verdict == "fail") comparison.failure = find_failure_kind("odd_digest")->code;
  for (int device = 0; device < 3; ++device) {
    comparison.values.push_back({.device = device, .value = "aa", .verdict = device == odd ? verdict : "pass"});
  }
  return comparison;
}

std::vector<DeviceVerdict> verdicts(const std::vector<Comparison>& comparisons) {
  DeviceVerdicts all;
  std::vector<DeviceIdentity> devices(3);
  for (int device = 0; device < 3; ++device) {
    devices[static_cast<std::size_t>(device)].index = device;
    CaseResult result;
    result.name = "gemm.bf16";
    result.devices = {device};
    result.outcome = Outcome::pass;
    all.add(result);
  }
  RunFinished end;
  end.comparisons = comparisons;
  return all.of(devices, end);
}

TEST(Comparison, FailsTheDeviceThatItNames) {
  const std::vector<DeviceVerdict> all = verdicts({odd_one(1)});
  EXPECT_EQ(all[0].verdict, Verdict::passed);
  EXPECT_EQ(all[1].verdict, Verdict::failed);
  EXPECT_EQ(all[2].verdict, Verdict::passed);
  EXPECT_THAT(all[1].failed_comparisons, ElementsAre("gemm.bf16.digest"));
  EXPECT_THAT(all[1].failures, ElementsAre(find_failure_kind("odd_digest")));
  EXPECT_THAT(all[1].failed, IsEmpty());
  EXPECT_THAT(all[0].failed_comparisons, IsEmpty());
}

TEST(Comparison, ThatWarnsOrIsWaivedFailsNone) {
  Comparison waived = odd_one(1);
  waived.values[1].waiver = Waiver{};
  for (const Comparison& one : {odd_one(1, "warn"), odd_one(1, "pass"), waived}) {
    EXPECT_FALSE(is_failure(one));
    EXPECT_EQ(verdicts({one})[1].verdict, Verdict::passed);
    EXPECT_EQ(with_comparisons(ExitCode::passed, {one}), ExitCode::passed);
    EXPECT_EQ(with_comparisons(ExitCode::not_judged, {one}), ExitCode::not_judged);
  }
}

TEST(Comparison, OutweighsWhatIsNotJudged) {
  EXPECT_EQ(with_comparisons(ExitCode::passed, {odd_one(0)}), ExitCode::failed);
  EXPECT_EQ(with_comparisons(ExitCode::not_judged, {odd_one(0)}), ExitCode::failed);
  EXPECT_EQ(with_comparisons(ExitCode::passed, {}), ExitCode::passed);
}

}  // namespace
}  // namespace gpucheck::harness
