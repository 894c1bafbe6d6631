#include "runner/supervision/device_health.hpp"

#include <gtest/gtest.h>

#include "harness/case/case.hpp"
#include "harness/case/needs.hpp"
#include "telemetry/machine/gpu_loss.hpp"

namespace gpucheck::runner {
namespace {

using Kind = RequestEnd::Kind;
using Devices = std::vector<int>;
using std::chrono::milliseconds;

/// A run on three devices.
class DeviceHealthTest : public ::testing::Test {
 protected:
  DeviceHealthTest() {
    usual_.name = "a.usual";
    reading_.name = "a.reading";
    reading_.needs.libraries = {std::string(harness::management_library)};
    machine_.name = "a.machine";
    machine_.needs.devices = 0;
  }

  [[nodiscard]] std::string why_unusable(const Devices& devices) const { return why_unusable(usual_, devices); }
  [[nodiscard]] std::string why_unusable(const harness::Case& test_case, const Devices& devices) const {
    const PlannedCase planned{.test_case = &test_case};
    return health_.why_unusable(assignment(planned, devices));
  }

  void worker_fails(const Devices& devices, const std::string& reason, Kind kind = Kind::died) {
    RequestEnd end;
    end.kind = kind;
    health_.worker_failed(devices, end, reason);
  }

  /// What the driver answered for each of the case's devices, in the case's order.
  void case_ends(const Devices& devices, const std::vector<std::string>& problems, const std::string& fault = {}) {
    const PlannedCase planned{.test_case = &usual_};
    harness::CaseResult result;
    result.fault = fault;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      result.telemetry.push_back({.device = static_cast<int>(i), .problem = problems[i]});
    }
    health_.note_silence(assignment(planned, devices), result);
  }

  static Assignment assignment(const PlannedCase& planned, const Devices& devices) {
    Assignment assignment;
    assignment.planned = &planned;
    assignment.devices = devices;
    return assignment;
  }

  harness::Case usual_;
  harness::Case reading_;
  harness::Case machine_;
  DeviceHealth health_{std::vector<harness::DeviceIdentity>(3)};
  const std::string silence_ = telemetry::no_answer_text(milliseconds(3000));
};

TEST_F(DeviceHealthTest, ADeviceIsGivenUpAfterTwoFailedStartsInARow) {
  worker_fails({1}, "no context");
  EXPECT_EQ(why_unusable({1}), "");
  worker_fails({1}, "no memory");
  EXPECT_EQ(why_unusable({1}), "device 1 cannot be used: no memory");
  EXPECT_EQ(why_unusable({0}), "");
  EXPECT_EQ(why_unusable({2}), "");
  EXPECT_EQ(why_unusable({0, 1}), "device 1 cannot be used: no memory") << "also as the second of a pair";
  EXPECT_EQ(why_unusable({1, 2}), "device 1 cannot be used: no memory");
  EXPECT_EQ(why_unusable({0, 2}), "");
}

TEST_F(DeviceHealthTest, AStartThatSucceedsForgivesTheFailuresBeforeIt) {
  worker_fails({0}, "first");
  worker_fails({1}, "first");
  health_.worker_started(Devices{0, 1});
  worker_fails({0}, "second");
  worker_fails({1}, "second");
  EXPECT_EQ(why_unusable({0}), "");
  EXPECT_EQ(why_unusable({1}), "") << "both of a pair have started";
  worker_fails({1}, "third");
  EXPECT_EQ(why_unusable({1}), "device 1 cannot be used: third");
}

TEST_F(DeviceHealthTest, ADeviceThatMakesItsWorkerWaitIsGivenUpAtOnce) {
  worker_fails({2}, "not ready within 5 s", Kind::deadline);
  EXPECT_EQ(why_unusable({2}), "device 2 cannot be used: not ready within 5 s");
  EXPECT_EQ(why_unusable({0}), "");
  EXPECT_EQ(why_unusable({1}), "");
}

TEST_F(DeviceHealthTest, NobodyKnowsWhichOfSeveralDevicesItWas) {
  worker_fails({0, 1}, "no peer access", Kind::deadline);
  worker_fails({0, 1}, "no peer access");
  worker_fails({0, 1}, "no peer access");
  EXPECT_EQ(why_unusable({0}), "");
  EXPECT_EQ(why_unusable({1}), "");
  EXPECT_EQ(why_unusable({0, 1}), "");
}

TEST_F(DeviceHealthTest, ADeviceMayBeUnusableFromTheStart) {
  std::vector<harness::DeviceIdentity> devices(3);
  devices[1].problem = "fell off the bus";
  health_ = DeviceHealth(devices);
  EXPECT_EQ(why_unusable({0}), "");
  EXPECT_EQ(why_unusable({1}), "device 1 cannot be used: fell off the bus");
  EXPECT_EQ(why_unusable({2}), "");
}

TEST_F(DeviceHealthTest, ACaseThatOpensNoDeviceMayRunOnAnUnusableOne) {
  worker_fails({1}, "not ready", Kind::deadline);
  EXPECT_EQ(why_unusable(reading_, {1}), "");
  EXPECT_EQ(why_unusable(machine_, {1}), "");
  EXPECT_NE(why_unusable(usual_, {1}), "");
}

TEST_F(DeviceHealthTest, ADriverThatAnswersForNoDeviceIsAskedNoMore) {
  for (const int device : {0, 1, 2}) case_ends({device}, {silence_});
  EXPECT_EQ(why_unusable(reading_, {0}), "") << "once is not enough";
  case_ends({0}, {silence_});
  case_ends({1}, {silence_});
  EXPECT_EQ(why_unusable(reading_, {0}), "") << "the third was silent once";
  case_ends({2}, {silence_});
  const std::string reason = "the driver does not answer for any device: " + silence_;
  for (const int device : {0, 1, 2}) EXPECT_EQ(why_unusable(reading_, {device}), reason);
  EXPECT_EQ(why_unusable(machine_, {0}), reason);
  EXPECT_EQ(why_unusable(usual_, {0}), "") << "a case that opens its device learns by itself";
  case_ends({1}, {""});
  EXPECT_EQ(why_unusable(reading_, {0}), "") << "it answers for one";
  case_ends({1}, {silence_});
  EXPECT_EQ(why_unusable(reading_, {0}), "") << "in a row";
  case_ends({1}, {silence_});
  EXPECT_EQ(why_unusable(reading_, {0}), reason);
}

TEST_F(DeviceHealthTest, CountsTheDevicesThatDoNotAnswerNow) {
  EXPECT_EQ(health_.silent_gpus(), 0U);
  case_ends({2, 0}, {"", "nvml: " + silence_});
  EXPECT_EQ(health_.silent_gpus(), 1U) << "device 0, the second of the case";
  case_ends({0, 1}, {silence_, silence_});
  EXPECT_EQ(health_.silent_gpus(), 2U);
  case_ends({0}, {"ecc_enabled: Not Supported"});
  EXPECT_EQ(health_.silent_gpus(), 1U) << "another problem is an answer";
  case_ends({1}, {""});
  EXPECT_EQ(health_.silent_gpus(), 0U);
}

TEST_F(DeviceHealthTest, WhatAFaultMakesOfTheDriverSaysNothing) {
  for (int i = 0; i < 2; ++i) case_ends({0, 1, 2}, {silence_, silence_, silence_}, "silent_driver");
  EXPECT_EQ(health_.silent_gpus(), 0U);
  EXPECT_EQ(why_unusable(reading_, {0}), "");
  for (int i = 0; i < 2; ++i) case_ends({0, 1, 2}, {silence_, silence_, silence_});
  case_ends({0}, {""}, "healed_driver");
  EXPECT_EQ(health_.silent_gpus(), 3U) << "and takes nothing back";
}

TEST_F(DeviceHealthTest, WithoutADeviceNoneIsSilent) {
  health_ = DeviceHealth();
  EXPECT_EQ(why_unusable(machine_, {}), "");
  EXPECT_EQ(why_unusable(usual_, {}), "");
  EXPECT_EQ(health_.silent_gpus(), 0U);
}

}  // namespace
}  // namespace gpucheck::runner
