#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/telemetry/gpu_telemetry.hpp"

/// What of a GPU's telemetry only failing hardware does.
namespace gpucheck::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "ecc_volatile_uncorrected +1: uncorrectable_memory_error", for each.
std::vector<std::string> errors_in(const GpuTelemetry& telemetry) {
  std::vector<std::string> texts;
  for (const HardwareError& error : new_hardware_errors(telemetry)) {
    texts.push_back(error.text + ": " + std::string(error.failure));
  }
  return texts;
}

TEST(HardwareErrors, AreCountersThatGrewAndFlagsThatWereRaised) {
  for (const auto& [counter, failure] : {std::pair("ecc_volatile_uncorrected", "uncorrectable_memory_error"),
                                         {"remapped_rows_uncorrected", "uncorrectable_memory_error"},
                                         {"remap_pending", "row_remap_pending"},
                                         {"remap_failed", "row_remap_failed"},
                                         {"retired_pages_pending", "row_remap_pending"}}) {
    const std::string name = counter;
    EXPECT_THAT(errors_in({.changes = {{name, 1}}}), ElementsAre(name + " +1: " + failure));
    EXPECT_THAT(errors_in({.changes = {{name, 12}}}), ElementsAre(name + " +12: " + failure));
    EXPECT_THAT(errors_in({.changes = {{name, -1}}}), IsEmpty()) << name << " was reset";
    EXPECT_THAT(errors_in({.changes = {{name, 0}}}), IsEmpty()) << name;
  }
  for (const char* other : {"ecc_volatile_corrected", "pcie_replays", "remapped_rows_corrected"}) {
    EXPECT_THAT(errors_in({.changes = {{other, 5}}}), IsEmpty()) << other;
  }
}

TEST(HardwareErrors, AreAllToldWhereThereAreSeveral) {
  EXPECT_THAT(
      errors_in({.changes = {{"pcie_replays", 1}, {"remap_pending", 1}, {"ecc_volatile_uncorrected", 2}},
                 .xids = {31, 79, 48},
                 .problem = "ecc_enabled: GPU is lost"}),
      ElementsAre("remap_pending +1: row_remap_pending", "ecc_volatile_uncorrected +2: uncorrectable_memory_error",
                  "XID 79: gpu_lost", "XID 48: gpu_reset_required", "ecc_enabled: GPU is lost: gpu_lost"));
}

TEST(HardwareErrors, ARecoveryCountsWhereItIsAskedForNow) {
  const auto after = [](std::int64_t change, std::optional<std::int64_t> action) {
    return errors_in({.changes = {{"recovery_action", change}, {"remap_failed", 1}}, .recovery_action = action});
  };
  EXPECT_THAT(after(2, 2), ElementsAre("recovery_action 2: reboot_required", "remap_failed +1: row_remap_failed"));
  EXPECT_THAT(after(-1, 1), ElementsAre("recovery_action 1: gpu_reset_required", "remap_failed +1: row_remap_failed"))
      << "a smaller number is another wish";
  EXPECT_THAT(after(-2, 0), ElementsAre("remap_failed +1: row_remap_failed")) << "it asks for nothing any more";
  EXPECT_THAT(after(2, std::nullopt), ElementsAre("remap_failed +1: row_remap_failed"));
  EXPECT_THAT(errors_in({.recovery_action = 2}), IsEmpty()) << "it was so before the case";
}

TEST(HardwareErrors, AnXidThatTheLogCallsHarmlessIsNone) {
  EXPECT_THAT(errors_in({.xids = {145, 146, 145}, .harmless_xids = {145}}), ElementsAre("XID 146: gpu_reset_required"));
}

TEST(HardwareErrors, AProblemIsOneWhereTheGpuIsLostOrRequiresAReset) {
  EXPECT_THAT(errors_in({.problem = "GPU requires reset"}), ElementsAre("GPU requires reset: gpu_reset_required"));
  EXPECT_THAT(errors_in({.problem = "it has fallen off the bus"}), ElementsAre("it has fallen off the bus: gpu_lost"));
  EXPECT_THAT(errors_in({.problem = "Unknown Error"}), IsEmpty());
}

TEST(RecoveryAskedFor, IsNoneWhereTheDriverDoesNotSay) {
  EXPECT_EQ(recovery_asked_for({}), "");
  EXPECT_EQ(recovery_asked_for({.recovery_action = 0}), "");
  EXPECT_EQ(recovery_asked_for({.recovery_action = 1}), "gpu_reset_required");
}

}  // namespace
}  // namespace gpucheck::harness
