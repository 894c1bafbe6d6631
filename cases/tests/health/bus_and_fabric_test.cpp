#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/tests/run_case.hpp"

// health.pcie_link, health.pcie_replay and health.fabric, bit by bit and lane by lane.
namespace gpucheck::cases::test_of_bus_and_fabric {
namespace {

using telemetry::Gpu;
using telemetry::Machine;
using telemetry::Reading;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A link of generation 5 with 16 lanes at most.
Seen pcie(std::int64_t generation, std::int64_t width, harness::ParameterValues parameters = {},
          const std::string& model = "NVIDIA H100 80GB HBM3") {
  Machine machine = healthy_gpus(1);
  machine.gpus[0][Reading::pcie_generation] = generation;
  machine.gpus[0][Reading::pcie_width] = width;
  machine.gpus[0][Reading::name] = model;
  parameters.emplace("window_ms", std::int64_t{1});
  return run_case(case_named("health.pcie_link"), machine, nullptr, parameters);
}

TEST(PcieLink, WhatIsMissingIsCounted) {
  const Seen slow = pcie(3, 16);
  EXPECT_EQ(slow.number("generations_missing"), 2);
  EXPECT_EQ(slow.number("lanes_missing"), 0);
  EXPECT_EQ(slow.number("generation"), 3);
  EXPECT_EQ(slow.number("generation_expected"), 5);
  const Seen narrow = pcie(5, 4);
  EXPECT_EQ(narrow.number("generations_missing"), 0);
  EXPECT_EQ(narrow.number("lanes_missing"), 12);
  EXPECT_EQ(narrow.number("width_lanes"), 4);
  EXPECT_EQ(narrow.number("width_expected_lanes"), 16);
}

TEST(PcieLink, AParameterGoesBeforeWhatIsPossible) {
  const auto given = [](const char* name, std::int64_t value) { return pcie(4, 8, {{name, value}}); };
  EXPECT_EQ(given("expected_generation", 4).number("generations_missing"), 0);
  EXPECT_EQ(given("expected_generation", 6).number("generations_missing"), 2);
  EXPECT_EQ(given("expected_generation", 0).number("generations_missing"), 0);
  EXPECT_EQ(given("expected_width", 8).number("lanes_missing"), 0);
  EXPECT_EQ(given("expected_width", 32).number("lanes_missing"), 24);
  EXPECT_EQ(given("expected_width", 0).number("lanes_missing"), 0);
}

TEST(PcieLink, TheLeastThatItSettlesAtCounts) {
  const Script script = [](Machine& answer, Ask ask, std::size_t n) {
    constexpr std::array<std::int64_t, 3> widths{16, 8, 16};
    constexpr std::array<std::int64_t, 3> generations{5, 5, 4};
    if (ask != Ask::gauges) return;
    answer.gpus[0][Reading::pcie_width] = widths.at(n % 3);
    answer.gpus[0][Reading::pcie_generation] = generations.at(n % 3);
  };
  const Seen seen =
      run_case(case_named("health.pcie_link"), healthy_gpus(1), script, {{"window_ms", std::int64_t{30}}});
  EXPECT_EQ(seen.number("lanes_missing"), 8);
  EXPECT_EQ(seen.number("generations_missing"), 1);
}

TEST(PcieLink, WhatALinkSleepsAtDoesNotCount) {
  const Script script = [](Machine& answer, Ask ask, std::size_t n) {
    if (ask == Ask::gauges && n < 2) answer.gpus[0][Reading::pcie_generation] = std::int64_t{1};
  };
  const Seen seen =
      run_case(case_named("health.pcie_link"), healthy_gpus(1), script, {{"window_ms", std::int64_t{30}}});
  EXPECT_EQ(seen.number("generations_missing"), 0);
}

TEST(PcieLink, OfAGpuOnOnePackageWithItsProcessorIsNone) {
  for (const char* model :
       {"NVIDIA GB10", "NVIDIA GH200 480GB", "NVIDIA GB200", "NVIDIA GB300", "NVIDIA Thor", "Orin"}) {
    EXPECT_TRUE(pcie(1, 16, {}, model).is_skipped()) << model;
    EXPECT_TRUE(pcie(5, 1, {}, model).is_skipped()) << model;
    EXPECT_TRUE(pcie(5, 16, {}, model).is_completed()) << model << " with a link that is as it should be";
    EXPECT_EQ(pcie(1, 1, {{"expected_width", std::int64_t{4}}}, model).number("lanes_missing"), 3) << model;
    EXPECT_EQ(pcie(1, 1, {{"expected_generation", std::int64_t{2}}}, model).number("generations_missing"), 1) << model;
  }
  Machine machine = healthy_gpus(1);
  machine.gpus[0][Reading::pcie_width] = std::int64_t{1};
  machine.gpus[0][Reading::memory_total] = not_offered();
  EXPECT_TRUE(
      run_case(case_named("health.pcie_link"), machine, nullptr, {{"window_ms", std::int64_t{1}}}).is_skipped());
  machine.gpus[0][Reading::memory_total] = not_answered();
  EXPECT_EQ(run_case(case_named("health.pcie_link"), machine, nullptr, {{"window_ms", std::int64_t{1}}})
                .number("lanes_missing"),
            15);
}

TEST(PcieReplay, WhatIsNewCountsBeyondItsLimit) {
  const auto replays = [](std::int64_t before, std::int64_t after, std::int64_t accepted = 80) {
    const Script script = [=](Machine& answer, Ask ask, std::size_t n) {
      if (ask == Ask::counters) answer.gpus[0][Reading::pcie_replays] = n < 2 ? before : after;
    };
    return run_case(case_named("health.pcie_replay"), healthy_gpus(1), script,
                    {{"window_ms", std::int64_t{1}}, {"max_new_replays", accepted}});
  };
  EXPECT_EQ(replays(1000, 1080).number("new_replays_over_limit"), 0);
  EXPECT_EQ(replays(1000, 1081).number("new_replays_over_limit"), 1);
  EXPECT_EQ(replays(1000, 1081).number("new_replays"), 81);
  EXPECT_EQ(replays(1000, 1081).number("replays"), 1081);
  EXPECT_EQ(replays(0, 3, 0).number("new_replays_over_limit"), 3);
  EXPECT_EQ(replays(5'000'000'000, 5'000'000'100).number("new_replays_over_limit"), 20) << "beyond 32 bits";
}

// -- fabric -------------------------------------------------------------------------------------------

Seen fabric(const telemetry::Value& mask, const telemetry::Value& summary) {
  Machine machine = healthy_gpus(1);
  machine.gpus[0][Reading::fabric_health_mask] = mask;
  machine.gpus[0][Reading::fabric_health_summary] = summary;
  return run_case(case_named("health.fabric"), machine);
}
std::vector<std::string> problems(std::int64_t mask, std::int64_t summary = 1) {
  return fabric(mask, summary).texts("problems");
}

/// NVML's mask has two bits for each condition (1: it is so, 2: it is not), then four for the configuration (1: right).
TEST(Fabric, EachConditionIsNamedWhereItIsSo) {
  EXPECT_THAT(problems(0x1aa), IsEmpty());
  EXPECT_THAT(problems(0x000), IsEmpty()) << "nothing is known";
  EXPECT_THAT(problems(0x1ff), IsEmpty()) << "3 is not defined";
  EXPECT_THAT(problems(0x1a9), ElementsAre("degraded bandwidth"));
  EXPECT_THAT(problems(0x1a6), ElementsAre("route recovery in progress"));
  EXPECT_THAT(problems(0x19a), ElementsAre("unhealthy route"));
  EXPECT_THAT(problems(0x16a), ElementsAre("access timeout recovery"));
  EXPECT_EQ(problems(0x155).size(), 4U);
}

TEST(Fabric, EachWrongConfigurationIsNamed) {
  EXPECT_THAT(problems(0x0aa), IsEmpty());
  EXPECT_THAT(problems(0x2aa), ElementsAre("incorrect configuration: incorrect system GUID"));
  EXPECT_THAT(problems(0x3aa), ElementsAre("incorrect configuration: incorrect chassis serial number"));
  EXPECT_THAT(problems(0x4aa), ElementsAre("incorrect configuration: no partition"));
  EXPECT_THAT(problems(0x5aa), ElementsAre("incorrect configuration: insufficient NVLinks"));
  EXPECT_THAT(problems(0x6aa), ElementsAre("incorrect configuration: incompatible GPU firmware"));
  EXPECT_THAT(problems(0x7aa), ElementsAre("incorrect configuration: invalid location"));
  EXPECT_THAT(problems(0x8aa), ElementsAre("incorrect configuration 8"));
  EXPECT_THAT(problems(0xfaa), ElementsAre("incorrect configuration 15"));
  EXPECT_THAT(problems(0x11aa), IsEmpty()) << "what lies above is of something else";
}

TEST(Fabric, TheSummaryCountsBesideTheMask) {
  EXPECT_THAT(problems(0x1aa, 0), IsEmpty());
  EXPECT_THAT(problems(0x1aa, 2), ElementsAre("unhealthy"));
  EXPECT_THAT(problems(0x1aa, 3), ElementsAre("limited capacity"));
  EXPECT_THAT(problems(0x1aa, 4), ElementsAre("health summary 4"));
  EXPECT_THAT(problems(0x1a9, 2), ElementsAre("degraded bandwidth", "unhealthy"));
  EXPECT_THAT(fabric(not_offered(), 2L).texts("problems"), ElementsAre("unhealthy"));
  EXPECT_THAT(fabric(0x1a9L, not_offered()).texts("problems"), ElementsAre("degraded bandwidth"));
  EXPECT_EQ(fabric(not_offered(), not_offered()).text("problems"), "not available");
}

/// Two GPUs, after a change of the second; what the first says of it.
template <typename Change>
Seen beside(const Change& change) {
  Machine machine = healthy_gpus(2);
  change(machine.gpus[1]);
  return run_case(case_named("health.fabric"), machine);
}

TEST(Fabric, GpusOfAnotherCliqueOrClusterAreNamed) {
  const auto others = [](const auto& change) { return beside(change).texts("gpus_of_another_clique"); };
  EXPECT_THAT(others([](Gpu&) {}), IsEmpty());
  EXPECT_THAT(others([](Gpu& gpu) { gpu[Reading::fabric_clique] = std::int64_t{77}; }), ElementsAre("0000:02:00.0"));
  EXPECT_THAT(others([](Gpu& gpu) { gpu[Reading::fabric_cluster] = std::string("other"); }),
              ElementsAre("0000:02:00.0"));
  EXPECT_THAT(others([](Gpu& gpu) {
                gpu[Reading::fabric_clique] = std::int64_t{77};
                gpu[Reading::pci_address] = not_offered();
              }),
              ElementsAre("?"));
  EXPECT_THAT(others([](Gpu& gpu) {
                gpu[Reading::fabric_clique] = std::int64_t{77};
                gpu[Reading::name] = std::string("NVIDIA T4");
              }),
              IsEmpty())
      << "another model may";
}

TEST(Fabric, WithoutACliqueThereIsNoAnswer) {
  for (const Reading missing : {Reading::fabric_clique, Reading::fabric_cluster}) {
    EXPECT_EQ(beside([missing](Gpu& gpu) { gpu[missing] = not_offered(); }).text("gpus_of_another_clique"),
              "not available")
        << telemetry::info_of(missing).key << " of the other";
  }
  for (const Reading missing : {Reading::fabric_clique, Reading::fabric_cluster, Reading::name}) {
    Machine machine = healthy_gpus(2);
    machine.gpus[0][missing] = not_offered();
    EXPECT_EQ(run_case(case_named("health.fabric"), machine).text("gpus_of_another_clique"), "not available")
        << telemetry::info_of(missing).key << " of its own";
  }
  EXPECT_THAT(beside([](Gpu& gpu) {
                gpu[Reading::name] = std::string("NVIDIA T4");
                gpu[Reading::fabric_clique] = not_offered();
              }).texts("gpus_of_another_clique"),
              IsEmpty())
      << "of another model nothing is asked";
}

TEST(Fabric, ADifferenceIsSaidThoughAThirdSaysNothing) {
  Machine machine = healthy_gpus(3);
  machine.gpus[1][Reading::fabric_clique] = not_offered();
  machine.gpus[2][Reading::fabric_clique] = std::int64_t{77};
  EXPECT_THAT(run_case(case_named("health.fabric"), machine).texts("gpus_of_another_clique"),
              ElementsAre("0000:03:00.0"));
}

}  // namespace
}  // namespace gpucheck::cases::test_of_bus_and_fabric
