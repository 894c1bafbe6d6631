#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/files/input_file.hpp"
#include "json_schema.hpp"
#include "telemetry/machine/machine_file.hpp"
#include "telemetry/machine/stand_in.hpp"
#include "telemetry/source.hpp"
#include "telemetry/tests/simulated_gpus.hpp"

namespace gpucheck::telemetry {
namespace {

TEST(RecordedMachines, KeepToTheSchemaAndAreReadWhole) {
  const testing_support::JsonSchema schema(GPUCHECK_TELEMETRY_SCHEMA);
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(GPUCHECK_RECORDED_MACHINES)) {
    if (entry.path().extension() != ".json") continue;
    ++count;
    const std::string path = entry.path();
    EXPECT_EQ(schema.complaints(nlohmann::json::parse(read_input_file(path, "recording"))), "") << path;
    const Machine machine = read_machine(path);
    EXPECT_FALSE(machine.gpus.empty()) << path;
    for (const Gpu& gpu : machine.gpus) {
      const auto missing = [](const Value& value) {
        return problem(value) != nullptr && *problem(value) == "not in the recording";
      };
      EXPECT_TRUE(std::ranges::none_of(gpu.values, missing)) << path << ": a reading is not there";
    }
  }
  EXPECT_GT(count, 10);
}

/// As NVML's does: NvmlSourceTest.ASubsetIsWhatItsListSays.
TEST(RecordedMachines, ASubsetIsWhatItsListSays) {
  const auto source = open_recording(healthy_machine());
  const auto is_asked = [](const Gpu& gpu, Reading which) {
    const std::string* const reason = problem(gpu[which]);
    return reason == nullptr || *reason != not_asked;
  };
  for (const Subset subset : {Subset::gauges, Subset::counters}) {
    const Machine machine = source->read({.subset = subset});
    const Gpu& gpu = machine.gpus.at(0);
    for (const Reading gauge : sampled_gauges) EXPECT_TRUE(is_asked(gpu, gauge)) << info_of(gauge).key;
    for (const Reading counter : watched_counters) {
      EXPECT_EQ(is_asked(gpu, counter), subset == Subset::counters) << info_of(counter).key;
    }
    EXPECT_FALSE(is_asked(gpu, Reading::remap_banks_max));
    EXPECT_EQ(gpu.processes_problem, not_asked);
    EXPECT_TRUE(is_asked(gpu, Reading::uuid)) << "which one it is, is always said";
    EXPECT_EQ(machine.host, Host{}) << "nobody asked the operating system";
    EXPECT_EQ(machine.network, NetworkFiles{});
  }
  EXPECT_EQ(source->read({.with_host = true, .with_network = true}), healthy_machine());
  const Machine network = source->read({.with_network = true, .with_gpus = false});
  EXPECT_TRUE(network.gpus.empty());
  EXPECT_EQ(network.network, healthy_machine().network);
  EXPECT_FALSE(network.network.files.empty());
}

TEST(StandIn, OneGpuStandsForEachDevice) {
  const Machine machine = stand_in(healthy_machine(), {{first_gpu(), 1000}, {second_gpu(), 2000}}, 4711);
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_TRUE(is_gpu(machine.gpus[0], first_gpu()));
  EXPECT_TRUE(is_gpu(machine.gpus[1], second_gpu()));
  EXPECT_EQ(machine.gpus[1][Reading::name], machine.gpus[0][Reading::name]) << "of one model";
  EXPECT_EQ(number(machine.gpus[1][Reading::memory_total]), 2000);
  EXPECT_EQ(machine.gpus[1].processes, (std::vector<Process>{{4711, 0}})) << "a simulated device holds no memory";
  EXPECT_EQ(machine.host.pci_gpus, (std::vector<PciGpu>{{"sim:00:00.0", "nvidia"}, {"sim:01:00.0", "nvidia"}}));
  EXPECT_EQ(machine.host.device_files.back().name, "/dev/nvidia1");
}

TEST(StandIn, MemoryThatIsInUseStaysInUse) {
  Machine recorded = healthy_machine();
  recorded.gpus.at(0)[Reading::memory_used] = std::int64_t{600};
  const Machine machine = stand_in(recorded, {{first_gpu(), 1000}, {second_gpu(), 500}}, 4711);
  EXPECT_EQ(number(machine.gpus[0][Reading::memory_used]), 600);
  EXPECT_EQ(number(machine.gpus[0][Reading::memory_free]), 400);
  EXPECT_EQ(number(machine.gpus[1][Reading::memory_used]), 600) << "as in the recording";
  EXPECT_EQ(number(machine.gpus[1][Reading::memory_free]), 0);
}

TEST(StandIn, WhatTheLogSaysOfAGpuFollowsIt) {
  const std::string path = GPUCHECK_RECORDED_MACHINES "/sick/kernel_xid.json";
  const Machine machine = stand_in(read_machine(path), {{first_gpu(), 1000}}, 4711);
  ASSERT_EQ(machine.host.kernel_events.size(), 1U);
  EXPECT_EQ(machine.host.kernel_events[0].pci_address, "sim:00:00.0");
}

std::vector<std::string> stood_in(const std::vector<std::string>& addresses, const Machine& machine) {
  std::vector<KernelEvent> log;
  for (const std::string& address : addresses) {
    log.push_back({.pci_address = address, .xid = 79, .text = "an error"});
  }
  log.push_back({KernelEventKind::switch_error, "0000:00:01.0", 11001, "an error"});
  stand_in(log, machine);
  EXPECT_EQ(log.back().pci_address, "0000:00:01.0") << "a switch is not a GPU";
  std::vector<std::string> renamed;
  for (const KernelEvent& event : log) renamed.push_back(event.pci_address);
  renamed.pop_back();
  return renamed;
}

TEST(StandIn, ForTheGpusOfALogInTheOrderOfTheirAddresses) {
  using Addresses = std::vector<std::string>;
  const Machine simulated = stand_in(healthy_machine(), {{first_gpu(), 1000}, {second_gpu(), 1000}}, 1);
  EXPECT_EQ(stood_in({"0000:5d:00.0", "0000:3b:00.0", "", "0000:5d:00.0", "0000:9a:00.0"}, simulated),
            (Addresses{"sim:01:00.0", "sim:00:00.0", "", "sim:01:00.0", "0000:9a:00.0"}));
  EXPECT_EQ(stood_in({"sim:01:00.0"}, simulated), Addresses{"sim:01:00.0"});
  EXPECT_EQ(stood_in({"0000:3b:00.0"}, healthy_machine()), Addresses{"0000:3b:00.0"}) << "not simulated";
}

TEST(StandIn, GpusBeyondTheDevicesKeepTheirIdentity) {
  const std::string path = GPUCHECK_RECORDED_MACHINES "/sick/mixed_vbios.json";
  const Machine machine = stand_in(read_machine(path), {{first_gpu(), 1000}}, 4711);
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_EQ(*text(machine.gpus[1][Reading::uuid]), "GPU-11111111-1111-1111-1111-111111111111");
  EXPECT_TRUE(machine.gpus[1].processes.empty());
}

}  // namespace
}  // namespace gpucheck::telemetry
