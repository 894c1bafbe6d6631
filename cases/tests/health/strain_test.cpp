#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "cases/tests/run_case.hpp"
#include "telemetry/sampler.hpp"

// What is said under load of a GPU that does not report everything, and of a log that lies in a file.
namespace gpucheck::cases::test_of_strain {
namespace {

using telemetry::Machine;
using telemetry::Reading;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

Seen burn(const std::map<Reading, telemetry::Value>& readings, const Script& script = {}) {
  Machine machine = healthy_gpus(1);
  for (const auto& [reading, value] : readings) machine.gpus[0][reading] = value;
  return run_case(case_named("stress.burn"), machine, script);
}

TEST(UnderLoad, WhatIsNotReportedIsUnknown) {
  const Seen no_power = burn({{Reading::power_draw, not_offered()}});
  EXPECT_EQ(no_power.text("peak_power_percent"), "unknown");
  EXPECT_EQ(no_power.real("mean_clock_percent"), 100);
  EXPECT_TRUE(no_power.flag("load_reached"));
  const Seen no_clock = burn({{Reading::clock_sm, not_offered()}, {Reading::power_draw, 350'000L}});
  EXPECT_EQ(no_clock.text("mean_clock_percent"), "unknown");
  EXPECT_EQ(no_clock.real("peak_power_percent"), 50);
  EXPECT_FALSE(no_clock.flag("load_reached"));
  EXPECT_TRUE(burn({{Reading::clock_sm, not_offered()}, {Reading::power_draw, not_offered()}}).is_skipped());
  for (const Reading whole : {Reading::power_limit, Reading::clock_max_sm}) {
    const char* const key = whole == Reading::power_limit ? "peak_power_percent" : "mean_clock_percent";
    EXPECT_EQ(burn({{whole, not_offered()}}).text(key), "unknown");
    EXPECT_EQ(burn({{whole, 0L}}).text(key), "unknown") << "of nothing there is no share";
  }
}

TEST(UnderLoad, TheTemperatureCountsBeyondWhereTheGpuSlowsDown) {
  EXPECT_EQ(burn({{Reading::temperature_gpu, 89L}}).number("temperature_over_limit_celsius"), 0);
  EXPECT_EQ(burn({{Reading::temperature_gpu, 92L}}).number("temperature_over_limit_celsius"), 3);
  EXPECT_EQ(burn({{Reading::temperature_gpu, 92L}, {Reading::temperature_slowdown, not_offered()}})
                .number("temperature_over_limit_celsius"),
            0);
  EXPECT_EQ(burn({{Reading::temperature_gpu, not_offered()}}).number("temperature_over_limit_celsius"), 0);
  EXPECT_EQ(burn({{Reading::temperature_gpu, not_offered()}}).text("peak_temperature_celsius"), "unknown");
}

/// The counter when the load begins is in the answer for everything, that of its end in one for counters.
TEST(UnderLoad, ADurationIsOfTheLoadAlone) {
  const auto thermal = [](std::int64_t before, std::int64_t after) {
    return burn({},
                [=](Machine& answer, Ask ask, std::size_t) {
                  answer.gpus[0][Reading::clock_event_thermal_hardware] = ask == Ask::counters ? after : before;
                })
        .real("hardware_thermal_percent");
  };
  EXPECT_EQ(thermal(5'000'000'000, 5'000'000'000), 0);
  EXPECT_GT(thermal(5'000'000'000, 5'000'001'000), 0);
}

// -- a log in a file ----------------------------------------------------------------------------------

class LogInAFile : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(path_) << "[   10.000000] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\n"
                         << "[   20.000000] NVRM: Xid (PCI:0000:02:00): 48, pid=1, an error\n";
  }
  void TearDown() override { std::filesystem::remove(path_); }
  [[nodiscard]] Seen seen(const char* name, const Script& script = {}) const {
    return run_case(case_named(name), healthy_gpus(1), script, {{"kernel_log", path_.string()}});
  }
  std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) / fmt::format("log_in_a_file_{}", ::getpid());
};

TEST_F(LogInAFile, TakesThePlaceOfTheKernels) {
  EXPECT_THAT(seen("health.xid").texts("lost"), ElementsAre(StartsWith("XID 79 ")));
  EXPECT_THAT(seen("health.xid").texts("needs_reset"), IsEmpty()) << "another GPU's";
  EXPECT_THAT(seen("health.kernel_log").texts("unlisted_gpus"), ElementsAre(StartsWith("XID 48 ")));
  EXPECT_THAT(seen("health.row_remap").texts("in_log"), IsEmpty());
}

TEST_F(LogInAFile, IsReadThoughTheDriverDoesNotWork) {
  const Script broken = [](Machine&, Ask ask, std::size_t) {
    if (ask == Ask::machine) throw EnvironmentError("the library does not work");
  };
  EXPECT_THAT(seen("health.xid", broken).texts("lost"), SizeIs(1));
  const Script hangs = [](Machine&, Ask ask, std::size_t) {
    if (ask == Ask::machine) throw telemetry::NoAnswer("no answer");
  };
  EXPECT_THAT(seen("health.xid", hangs).texts("lost"), SizeIs(1));
}

TEST_F(LogInAFile, ThatIsNotThereIsSkipped) {
  std::filesystem::remove(path_);
  EXPECT_TRUE(seen("health.xid").is_skipped());
  EXPECT_THAT(seen("health.xid").execution.reason, HasSubstr("the kernel's log cannot be read"));
}

// -- the driver's gauges ------------------------------------------------------------------------------

TEST(DriversGauges, AreToldAsTheyAre) {
  const auto gauge = [](const char* name, const char* key, Reading reading) {
    Machine machine = healthy_gpus(1);
    machine.gpus[0][reading] = std::int64_t{77};
    return run_case(case_named(name), machine).number(key);
  };
  EXPECT_EQ(gauge("nvml.clock_rate", "clock_sm_mhz", Reading::clock_sm), 77);
  EXPECT_EQ(gauge("nvml.power_draw", "power_draw_mw", Reading::power_draw), 77);
  EXPECT_EQ(gauge("nvml.temperature", "temperature_celsius", Reading::temperature_gpu), 77);
}

TEST(DriversHandle, IsThatOfTheCasesOwnGpu) {
  Machine machine = healthy_gpus(2);
  EXPECT_FALSE(run_case(case_named("nvml.handle"), machine).flag("handle_is_null"));
  machine.gpus[1][Reading::handle] = not_answered();
  EXPECT_FALSE(run_case(case_named("nvml.handle"), machine).flag("handle_is_null"));
  machine.gpus[0][Reading::handle] = false;
  EXPECT_TRUE(run_case(case_named("nvml.handle"), machine).flag("handle_is_null"));
}

}  // namespace
}  // namespace gpucheck::cases::test_of_strain
