#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "fake_nvml_test.hpp"
#include "telemetry/source.hpp"

namespace gpucheck::telemetry {
namespace {

using ::testing::HasSubstr;

using NvmlSourceTest = FakeNvmlTest;

TEST_F(NvmlSourceTest, TellsOfTheMachine) {
  const Machine machine = open_nvml()->read();
  EXPECT_EQ(machine.driver_version, Value("580.159.04"));
  EXPECT_EQ(machine.nvml_version, Value("13.580.1"));
  EXPECT_EQ(machine.cuda_version, Value("13.1"));
  ASSERT_EQ(machine.gpus.size(), 1U);
}

TEST_F(NvmlSourceTest, EachReadingHasItsOwnAnswer) {
  const Gpu gpu = read_gpu();
  const auto expect_text = [&gpu](Reading which, const std::string& expected) {
    const std::string* const seen = text(gpu[which]);
    ASSERT_NE(seen, nullptr) << info_of(which).key;
    EXPECT_EQ(*seen, expected);
  };
  expect_text(Reading::name, "Fake");
  expect_text(Reading::uuid, "GPU-1");
  expect_text(Reading::serial, "1650");
  expect_text(Reading::pci_address, "00000000:00:06.0");
  expect_text(Reading::vbios_version, "96.00");
  expect_text(Reading::fabric_cluster, "abababababababababababababababab");

  const std::vector<std::pair<Reading, bool>> flags{
      {Reading::handle, true},        {Reading::persistence_mode, true},
      {Reading::mig_enabled, false},  {Reading::mig_pending, true},
      {Reading::ecc_enabled, true},   {Reading::ecc_pending, false},
      {Reading::remap_pending, true}, {Reading::remap_failed, false},
      {Reading::inforom_valid, true}, {Reading::ecc_sram_threshold_exceeded, true}};
  for (const auto& [which, expected] : flags) EXPECT_EQ(flag(gpu[which]), expected) << info_of(which).key;

  const std::vector<std::pair<Reading, std::int64_t>> numbers{
      {Reading::compute_mode, 3},
      {Reading::temperature_gpu, 41},
      {Reading::temperature_memory, 1082},
      {Reading::temperature_gpu_max, 93},
      {Reading::temperature_memory_max, 92},
      {Reading::temperature_slowdown, 91},
      {Reading::temperature_shutdown, 90},
      {Reading::power_draw, 82260},
      {Reading::power_limit, 650000},
      {Reading::power_limit_default, 700000},
      {Reading::power_limit_min, 200000},
      {Reading::power_limit_max, 710000},
      {Reading::clock_graphics, 300},
      {Reading::clock_sm, 301},
      {Reading::clock_memory, 302},
      {Reading::clock_max_graphics, 1900},
      {Reading::clock_max_sm, 1901},
      {Reading::clock_max_memory, 1902},
      {Reading::clock_event_reasons, clock_event::hardware_thermal_slowdown | clock_event::software_power_cap},
      {Reading::clock_event_power_cap, 1074},
      {Reading::clock_event_thermal_software, 1269},
      {Reading::clock_event_thermal_hardware, 1270},
      {Reading::clock_event_power_brake, 1271},
      {Reading::memory_total, 160LL << 30U},
      {Reading::memory_free, 150LL << 30U},
      {Reading::memory_used, 9LL << 30U},
      {Reading::utilization_gpu, 7},
      {Reading::utilization_memory, 8},
      {Reading::ecc_volatile_corrected, 100},
      {Reading::ecc_volatile_uncorrected, 110},
      {Reading::ecc_aggregate_corrected, 101},
      {Reading::ecc_aggregate_uncorrected, 111},
      {Reading::ecc_volatile_dram_corrected, 2000},
      {Reading::ecc_volatile_dram_uncorrected, 2010},
      {Reading::ecc_aggregate_dram_corrected, 2001},
      {Reading::ecc_aggregate_dram_uncorrected, 2011},
      {Reading::ecc_volatile_sram_corrected, 7000},
      {Reading::ecc_volatile_sram_uncorrected, 7010},
      {Reading::ecc_aggregate_sram_corrected, 7001},
      {Reading::ecc_aggregate_sram_uncorrected, 7011},
      {Reading::remapped_rows_corrected, 21},
      {Reading::remapped_rows_uncorrected, 22},
      {Reading::remap_banks_max, 50},
      {Reading::remap_banks_high, 51},
      {Reading::remap_banks_partial, 52},
      {Reading::remap_banks_low, 53},
      {Reading::remap_banks_none, 54},
      {Reading::retired_pages_single_bit, 31},
      {Reading::retired_pages_double_bit, 32},
      {Reading::pcie_generation, 4},
      {Reading::pcie_width, 8},
      {Reading::pcie_generation_max, 5},
      {Reading::pcie_width_max, 16},
      {Reading::pcie_generation_device_max, 6},
      {Reading::pcie_replays, 77},
      {Reading::fabric_state, 3},
      {Reading::fabric_status, 1},
      {Reading::fabric_health_mask, 0x1aa},
      {Reading::fabric_health_summary, 2},
      {Reading::fabric_clique, 32},
      {Reading::recovery_action, 1230},
      {Reading::temperature_margin, -3},
      {Reading::temperature_margin_slowdown, 1194},
      {Reading::memory_graphics, 333}};
  for (const auto& [which, expected] : numbers) EXPECT_EQ(number(gpu[which]), expected) << info_of(which).key;
  // Those above, and the three that the stand-in cannot answer.
  EXPECT_EQ(6 + flags.size() + numbers.size() + 3, reading_count) << "a reading without a test";
}

TEST_F(NvmlSourceTest, WhatIsNotThereHasItsReason) {
  const Gpu gpu = read_gpu();
  EXPECT_EQ(gpu[Reading::clock_event_sync_boost], Value(Unavailable{"not supported"})) << "the field's own answer";
  EXPECT_EQ(gpu[Reading::retired_pages_pending], Value(Unavailable{"not supported"}));
  ASSERT_NE(problem(gpu[Reading::board_part_number]), nullptr) << "this driver has no such function";
  EXPECT_EQ(gpu[Reading::board_part_number],
            Value(Unavailable{"nvmlDeviceGetBoardPartNumber: this driver's library has no such function"}));
}

/// 1 to 29 and 999 are those that nvml.h of CUDA 13 has.
TEST_F(NvmlSourceTest, EveryCodeButNotSupportedAndNoPermissionIsAFailure) {
  for (int code = 1; code <= 1000; code += code < 40 ? 1 : 137) {
    answer("nvmlDeviceGetPowerUsage", code);
    EXPECT_EQ(is_failure(read_gpu()[Reading::power_draw]), code != 3 && code != 4) << code;
    answer("field 82", code);
    EXPECT_EQ(is_failure(read_gpu()[Reading::temperature_memory]), code != 3 && code != 4) << code;
    answer("nvmlDeviceGetComputeRunningProcesses_v3", code);
    EXPECT_EQ(read_gpu().processes_failed, code != 3 && code != 4) << code;
  }
}

TEST_F(NvmlSourceTest, ANumberThatIsTooLargeIsNotACount) {
  answer("all bits of ECC counters", 1);
  const Gpu gpu = read_gpu();
  EXPECT_TRUE(is_failure(gpu[Reading::ecc_volatile_uncorrected]));
}

TEST_F(NvmlSourceTest, ABrokenInforomIsAnAnswer) {
  answer("nvmlDeviceValidateInforom", 14);
  EXPECT_EQ(flag(read_gpu()[Reading::inforom_valid]), false);
  answer("nvmlDeviceValidateInforom", 3);
  EXPECT_EQ(read_gpu()[Reading::inforom_valid], Value(Unavailable{"not supported"}));
  answer("nvmlDeviceValidateInforom", 15);
  EXPECT_TRUE(is_failure(read_gpu()[Reading::inforom_valid]));
}

TEST_F(NvmlSourceTest, TheInforomIsCheckedOnceForItTakesLong) {
  const auto source = open_nvml();
  EXPECT_FALSE(flag(source->read({.subset = Subset::counters}).gpus.at(0)[Reading::inforom_valid]));
  EXPECT_EQ(flag(source->read().gpus.at(0)[Reading::inforom_valid]), true);
  answer("nvmlDeviceValidateInforom", 14);
  EXPECT_EQ(flag(source->read().gpus.at(0)[Reading::inforom_valid]), true);
  EXPECT_EQ(flag(read_gpu()[Reading::inforom_valid]), false) << "of another source";
}

TEST_F(NvmlSourceTest, OlderDriversTellLessOfTheFabric) {
  answer("fabric 3", 25);
  const Gpu without_summary = read_gpu();
  EXPECT_EQ(number(without_summary[Reading::fabric_health_mask]), 0x1aa);
  EXPECT_EQ(without_summary[Reading::fabric_health_summary], Value(Unavailable{"not supported"}));
  answer("nvmlDeviceGetGpuFabricInfoV", 13);
  const Gpu without_mask = read_gpu();
  EXPECT_EQ(number(without_mask[Reading::fabric_state]), 3);
  EXPECT_EQ(number(without_mask[Reading::fabric_status]), 1);
  EXPECT_EQ(without_mask[Reading::fabric_health_mask], Value(Unavailable{"not supported"}));
}

TEST_F(NvmlSourceTest, OldDriversCountTheirOwnMemoryAsUsed) {
  answer("nvmlDeviceGetMemoryInfo_v2", 13);
  EXPECT_EQ(number(read_gpu()[Reading::memory_used]), 10LL << 30U);
}

TEST_F(NvmlSourceTest, GraphicsMemoryThatIsNotKnownIsNotZero) {
  answer("graphics memory unknown", 1);
  EXPECT_NE(problem(read_gpu()[Reading::memory_graphics]), nullptr);
  answer("nvmlDeviceGetGraphicsRunningProcesses_v3", 15);
  EXPECT_TRUE(is_failure(read_gpu()[Reading::memory_graphics]));
}

TEST_F(NvmlSourceTest, OneFailureCostsOneReading) {
  answer("nvmlDeviceGetTemperature", 15);
  answer("nvmlDeviceGetRemappedRows", 3);
  answer("nvmlDeviceGetComputeRunningProcesses_v3", 4);
  const Gpu gpu = read_gpu();
  EXPECT_EQ(gpu[Reading::temperature_gpu],
            Value(Unavailable{.reason = "nvmlDeviceGetTemperature: GPU is lost", .is_failure = true}));
  EXPECT_EQ(gpu[Reading::remap_pending], Value(Unavailable{"not supported"}));
  EXPECT_EQ(number(gpu[Reading::power_draw]), 82260);
  EXPECT_THAT(gpu.processes_problem, HasSubstr("nvmlDeviceGetComputeRunningProcesses_v3"));
  EXPECT_TRUE(gpu.processes.empty());
}

TEST_F(NvmlSourceTest, AGpuThatIsGoneAnswersNothing) {
  answer("nvmlDeviceGetHandleByIndex_v2", 15);
  const Gpu gpu = read_gpu();
  for (const Value& value : gpu.values) {
    EXPECT_EQ(value, Value(Unavailable{.reason = "nvmlDeviceGetHandleByIndex_v2: GPU is lost", .is_failure = true}));
  }
  // That none are listed does not show that there are none.
  for (const std::string* const problem : {&gpu.links_problem, &gpu.processes_problem, &gpu.xids_problem}) {
    EXPECT_EQ(*problem, "nvmlDeviceGetHandleByIndex_v2: GPU is lost");
  }
  EXPECT_TRUE(gpu.links_failed && gpu.processes_failed && gpu.xids_failed);
}

TEST_F(NvmlSourceTest, AGpuThatIsNotThisUsersHasNoFailure) {
  answer("nvmlDeviceGetHandleByIndex_v2", 4);
  const Gpu gpu = read_gpu();
  EXPECT_THAT(gpu.links_problem, HasSubstr("nvmlDeviceGetHandleByIndex_v2: "));
  EXPECT_FALSE(gpu.links_failed || gpu.processes_failed || gpu.xids_failed);
}

TEST_F(NvmlSourceTest, LinksAndProcesses) {
  const Gpu gpu = read_gpu();
  ASSERT_EQ(gpu.links.size(), 6U);
  EXPECT_EQ(flag(gpu.links[1][LinkReading::is_active]), true);
  EXPECT_EQ(flag(gpu.links[2][LinkReading::is_active]), false);
  EXPECT_EQ(number(gpu.links[5][LinkReading::speed]), 51'164);
  EXPECT_EQ(number(gpu.links[5][LinkReading::received_errors]), 51'208);
  EXPECT_EQ(number(gpu.links[5][LinkReading::effective_errors]), 51'219);
  EXPECT_EQ(number(gpu.links[5][LinkReading::symbol_errors]), 51'221);
  EXPECT_EQ(number(gpu.links[5][LinkReading::recovery_events]), 51'215);
  EXPECT_EQ(number(gpu.links[5][LinkReading::replays]), 50);
  EXPECT_EQ(number(gpu.links[5][LinkReading::recoveries]), 51);
  EXPECT_EQ(number(gpu.links[5][LinkReading::crc_flit_errors]), 52);
  EXPECT_EQ(number(gpu.links[5][LinkReading::crc_data_errors]), 53);
  EXPECT_EQ(gpu.processes, (std::vector<Process>{{4711, 5 << 20}, {4712, std::nullopt}}));
}

TEST_F(NvmlSourceTest, OneLinkThatIsNotSupportedDoesNotEndTheList) {
  answer("link 1", 3);
  answer("link 5", 3);
  const Gpu gpu = read_gpu();
  ASSERT_EQ(gpu.links.size(), 5U) << "the last one is not there at all";
  EXPECT_EQ(gpu.links[1][LinkReading::is_active], Value(Unavailable{"not supported"}));
  EXPECT_EQ(flag(gpu.links[4][LinkReading::is_active]), true);
  EXPECT_EQ(gpu.links_problem, "");
}

TEST_F(NvmlSourceTest, ALinkThatFailsIsKeptWithItsReason) {
  answer("link 0", 15);
  answer("link 5", 999);
  const Gpu gpu = read_gpu();
  ASSERT_EQ(gpu.links.size(), 6U);
  EXPECT_TRUE(is_failure(gpu.links[0][LinkReading::is_active]));
  EXPECT_TRUE(is_failure(gpu.links[5][LinkReading::is_active]));
  EXPECT_EQ(flag(gpu.links[3][LinkReading::is_active]), true);
}

TEST_F(NvmlSourceTest, WithoutAnyLinkItIsSaidWhy) {
  answer("nvmlDeviceGetNvLinkState", 3);
  EXPECT_TRUE(read_gpu().links.empty());
  EXPECT_EQ(read_gpu().links_problem, "not supported");
  EXPECT_FALSE(read_gpu().links_failed);
  for (const int code : {2, 15, 17, 999}) {
    answer("nvmlDeviceGetNvLinkState", code);
    EXPECT_TRUE(read_gpu().links.empty()) << code;
    EXPECT_TRUE(read_gpu().links_failed) << code;
    EXPECT_THAT(read_gpu().links_problem, HasSubstr("nvmlDeviceGetNvLinkState: ")) << code;
  }
}

TEST_F(NvmlSourceTest, AsManyLinksAsAnyGpuMayHaveAreAskedFor) {
  for (int link = 6; link < 36; ++link) answer(("link " + std::to_string(link)).c_str(), 0);
  EXPECT_EQ(read_gpu().links.size(), 36U);
}

TEST_F(NvmlSourceTest, NoProcessIsLeftOut) {
  answer("many processes", 1);
  const Gpu gpu = read_gpu();
  EXPECT_EQ(gpu.processes_problem, "");
  ASSERT_EQ(gpu.processes.size(), 100U);
  EXPECT_EQ(gpu.processes.back().pid, 4810);
}

TEST_F(NvmlSourceTest, ASubsetIsWhatItsListSays) {
  const auto source = open_nvml();
  const auto is_asked = [](const Gpu& gpu, Reading which) {
    const std::string* const reason = problem(gpu[which]);
    return reason == nullptr || *reason != not_asked;
  };
  for (const Subset subset : {Subset::gauges, Subset::counters}) {
    const Gpu gpu = source->read({.subset = subset}).gpus.at(0);
    for (const Reading gauge : sampled_gauges) EXPECT_TRUE(is_asked(gpu, gauge)) << info_of(gauge).key;
    for (const Reading counter : watched_counters) {
      EXPECT_EQ(is_asked(gpu, counter), subset == Subset::counters) << info_of(counter).key;
    }
    EXPECT_FALSE(is_asked(gpu, Reading::remap_banks_max));
    EXPECT_EQ(gpu.processes_problem, not_asked);
    EXPECT_EQ(*text(gpu[Reading::uuid]), "GPU-1") << "which one it is, is always said";
  }
}

TEST_F(NvmlSourceTest, ASubsetIsCheap) {
  const auto source = open_nvml();
  static_cast<void>(calls());
  static_cast<void>(source->read({.subset = Subset::gauges}));
  EXPECT_LE(calls(), 10);
  static_cast<void>(source->read({.subset = Subset::counters}));
  EXPECT_LE(calls(), 16);
}

TEST_F(NvmlSourceTest, OnlyTheGpusThatAreMeantAreAsked) {
  const auto source = open_nvml();
  EXPECT_EQ(source->read({.gpus = {{.uuid = "GPU-1", .pci_address = ""}}}).gpus.size(), 1U);
  EXPECT_EQ(source->read({.gpus = {{.uuid = "MIG-7", .pci_address = "0000:00:06.0"}}}).gpus.size(), 1U);
  EXPECT_TRUE(source->read({.gpus = {{.uuid = "GPU-2", .pci_address = "0000:00:07.0"}}}).gpus.empty());
}

TEST_F(NvmlSourceTest, ALibraryThatDoesNotWorkIsSaid) {
  answer("nvmlInit_v2", 9);
  EXPECT_THROW(static_cast<void>(open_nvml()), EnvironmentError);
  answer("nvmlInit_v2", 0);
  answer("nvmlDeviceGetCount_v2", 15);
  EXPECT_THROW(static_cast<void>(open_nvml()->read()), EnvironmentError);
}

}  // namespace
}  // namespace gpucheck::telemetry
