#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "cases/tests/health/network_machine.hpp"
#include "cases/tests/run_case.hpp"

// health.network_ports: which ports should be up, and at which rate.
namespace gpucheck::cases::test_of_network {
namespace {

using telemetry::FileState;
using telemetry::Machine;
using telemetry::NetworkFiles;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Parameters = harness::ParameterValues;

/// A machine with so many adapters of one kind, all of them active.
Machine with_adapters(int count) {
  Machine machine = recorded();
  const auto all = machine.network.files;
  machine.network.files.clear();
  const std::string model = adapters + "mlx5_0";
  for (const auto& [path, state] : all) {
    if (!path.starts_with(model + "/")) continue;
    for (int i = 0; i < count; ++i)
      machine.network.files[fmt::format("{}mlx5_{}{}", adapters, i, path.substr(model.size()))] = state;
  }
  for (int i = 0; i < count; ++i)
    machine.network.files[fmt::format("{}mlx5_{}/device", adapters, i)].text =
        fmt::format("pci0000:00/0000:{:02x}:00.0", i);
  return machine;
}

/// Its cable was never in.
void unplug(NetworkFiles& network, const std::string& adapter) {
  set(network, port_of(adapter) + "state", "1: DOWN");
  set(network, port_of(adapter) + "phys_state", "2: Polling");
}

Seen ports(const Machine& machine, const Parameters& parameters = {}) {
  return run_case(case_named("health.network_ports"), machine, nullptr, parameters);
}

TEST(NetworkPorts, OfAHealthyMachineAreAllActive) {
  const Seen seen = ports(recorded());
  EXPECT_EQ(seen.number("active"), 3);
  for (const char* const key : {"unreadable", "down", "slow", "slow_on_bus", "unexplained", "unused"})
    EXPECT_THAT(seen.texts(key), IsEmpty()) << key;
  EXPECT_THAT(seen.texts("ports").at(0), HasSubstr("InfiniBand, ACTIVE, LinkUp, 400 Gb/sec (4X NDR), LID 0x5c"));
}

TEST(NetworkPorts, WithoutAnyThereIsNothingToSay) {
  Machine machine = recorded();
  machine.network.files.clear();
  EXPECT_TRUE(ports(machine).is_skipped());
  EXPECT_EQ(ports(machine).execution.reason, "no InfiniBand or RoCE port");
  EXPECT_TRUE(ports(machine, {{"ports", std::int64_t{0}}}).is_skipped());
  machine.network.problem = "not in the recording";
  EXPECT_TRUE(ports(machine).is_skipped());
  machine.network.failed = true;
  EXPECT_EQ(ports(machine).execution.status, harness::Execution::Status::error);
}

TEST(NetworkPorts, ThatAreDemandedMustBeThere) {
  Machine none = recorded();
  none.network.files.clear();
  EXPECT_THAT(ports(none, {{"ports", std::int64_t{1}}}).texts("down"),
              ElementsAre("0 ports are active, where 1 are expected"));
  EXPECT_THAT(ports(recorded(), {{"ports", std::int64_t{3}}}).texts("down"), IsEmpty());
  EXPECT_THAT(ports(recorded(), {{"ports", std::int64_t{2}}}).texts("down"), IsEmpty());
  EXPECT_THAT(ports(recorded(), {{"ports", std::int64_t{4}}}).texts("down"),
              ElementsAre("3 ports are active, where 4 are expected"));
}

TEST(NetworkPorts, ThatLostTheirLinkAreDown) {
  Machine machine = recorded();
  unplug(machine.network, "mlx5_0");
  set(machine.network, port_of("mlx5_0") + "counters/link_downed", "2");
  EXPECT_THAT(ports(machine).texts("down"), ElementsAre("mlx5_0/1: DOWN, Polling: it has lost its link"));
  EXPECT_THAT(ports(machine, {{"ports", std::int64_t{2}}}).texts("down"), ElementsAre(StartsWith("mlx5_0/1")))
      << "that it was up says that it is used";
  set(machine.network, port_of("mlx5_0") + "phys_state", "3: Disabled");
  EXPECT_THAT(ports(machine).texts("down"), IsEmpty()) << "somebody has switched it off";
}

TEST(NetworkPorts, OnEthernetTheInterfaceTells) {
  Machine machine = recorded();
  set(machine.network, port_of("mlx5_2") + "state", "1: DOWN");
  set(machine.network, port_of("mlx5_2") + "phys_state", "3: Disabled");
  set(machine.network, "/sys/class/net/eth2/carrier", "0");
  EXPECT_THAT(ports(machine).texts("down"), ElementsAre("mlx5_2/1: DOWN, Disabled: it has lost its link"));
  machine.network.files["/sys/class/net/eth2/carrier"] = FileState{"", "Invalid argument"};
  EXPECT_THAT(ports(machine).texts("down"), IsEmpty()) << "it was switched off";
  EXPECT_THAT(ports(machine).texts("unused"), ElementsAre("mlx5_2/1: DOWN, Disabled"));
  set(machine.network, "/sys/class/net/eth2/carrier", "0");
  set(machine.network, "/sys/class/net/eth2/carrier_up_count", "0");
  EXPECT_THAT(ports(machine).texts("down"), IsEmpty()) << "it never had a cable";
}

TEST(NetworkPorts, WhoseLinkDoesNotBecomeActiveAreDown) {
  for (const auto& [state, physical] :
       {std::pair("2: INIT", "5: LinkUp"), std::pair("3: ARMED", "5: LinkUp"),
        std::pair("1: DOWN", "4: PortConfigurationTraining"), std::pair("1: DOWN", "6: LinkErrorRecovery"),
        std::pair("1: DOWN", "7: Phy Test"), std::pair("1: DOWN", "5: LinkUp"), std::pair("4: ACTIVE", "2: Polling"),
        std::pair("0: NOP", "2: Polling")}) {
    Machine machine = recorded();
    set(machine.network, port_of("mlx5_0") + "state", state);
    set(machine.network, port_of("mlx5_0") + "phys_state", physical);
    EXPECT_THAT(ports(machine).texts("down"), ElementsAre(StartsWith("mlx5_0/1: "))) << state << ", " << physical;
  }
}

TEST(NetworkPorts, WithoutALinkAreDownWhereMostCardsOfTheirKindHaveOne) {
  Machine machine = with_adapters(8);
  for (int missing = 1; missing <= 3; ++missing) {
    unplug(machine.network, fmt::format("mlx5_{}", missing));
    EXPECT_EQ(ports(machine).texts("down").size(), static_cast<std::size_t>(missing));
  }
  EXPECT_THAT(ports(machine).texts("down").at(0),
              "mlx5_1/1: DOWN, Polling, while 5 of 8 cards of its kind have a link");
  unplug(machine.network, "mlx5_4");
  EXPECT_THAT(ports(machine).texts("down"), IsEmpty()) << "half of them are not most";
  EXPECT_EQ(ports(machine).texts("unexplained").size(), 4U);
  EXPECT_THAT(ports(machine, {{"ports", std::int64_t{4}}}).texts("unexplained"), IsEmpty()) << "it was said how many";
  for (int i = 0; i < 8; ++i) unplug(machine.network, fmt::format("mlx5_{}", i));
  EXPECT_EQ(ports(machine).texts("unexplained").size(), 8U) << "nothing says that any is used";
}

TEST(NetworkPorts, OfAKindThatIsNotUsedAreNotMissed) {
  Machine machine = recorded();
  set(machine.network, port_of("mlx5_2") + "state", "1: DOWN");
  set(machine.network, "/sys/class/net/eth2/carrier_up_count", "0");
  set(machine.network, port_of("mlx5_2") + "phys_state", "3: Disabled");
  const Seen seen = ports(machine);
  EXPECT_THAT(seen.texts("down"), IsEmpty());
  EXPECT_THAT(seen.texts("unexplained"), IsEmpty());
  EXPECT_THAT(seen.texts("unused"), ElementsAre("mlx5_2/1: DOWN, Disabled"));
}

// Each port of such a card is a function on the bus, and so an adapter of its own.
TEST(NetworkPorts, OneOfTwoOnACardIsEnough) {
  Machine machine = with_adapters(4);
  for (int i = 0; i < 4; ++i) {
    set(machine.network, fmt::format("{}mlx5_{}/device", adapters, i),
        fmt::format("pci0000:00/0000:{:02x}:00.{}", i / 2, i % 2));
  }
  unplug(machine.network, "mlx5_1");
  unplug(machine.network, "mlx5_3");
  EXPECT_THAT(ports(machine).texts("down"), IsEmpty());
  EXPECT_THAT(ports(machine).texts("unused"), ElementsAre(StartsWith("mlx5_1/1"), StartsWith("mlx5_3/1")));
}

TEST(NetworkPorts, AreSlowBesideOthersOfTheirKind) {
  Machine machine = with_adapters(8);
  const auto slow = [&machine](const Parameters& parameters = {}) { return ports(machine, parameters).texts("slow"); };
  set(machine.network, port_of("mlx5_3") + "rate", "200 Gb/sec (2X NDR)");
  EXPECT_THAT(slow(), ElementsAre("mlx5_3/1: 200 Gb/sec (2X NDR), where 400 Gb/sec are expected"));
  for (const char* const adapter : {"mlx5_0", "mlx5_1", "mlx5_2"})
    set(machine.network, port_of(adapter) + "rate", "200 Gb/sec (2X NDR)");
  EXPECT_EQ(slow().size(), 4U) << "half have the higher rate";
  set(machine.network, port_of("mlx5_4") + "rate", "200 Gb/sec (2X NDR)");
  EXPECT_THAT(slow(), IsEmpty()) << "most have the lower one";
  EXPECT_EQ(slow({{"rate_gbps", 400.0}}).size(), 5U);
  EXPECT_THAT(slow({{"rate_gbps", 200.0}}), IsEmpty());
  // Another kind has a rate of its own.
  for (int i = 0; i < 5; ++i) set(machine.network, fmt::format("{}mlx5_{}/board_id", adapters, i), "MT_0000000359");
  EXPECT_THAT(slow(), IsEmpty());
}

TEST(NetworkPorts, AnAdaptersPcieLinkIsWhatItCanBe) {
  Machine machine = recorded();
  const std::string device = adapters + "mlx5_0/device/";
  set(machine.network, device + "current_link_width", "8");
  EXPECT_THAT(ports(machine).texts("slow_on_bus"),
              ElementsAre("mlx5_0 at 0000:00:08.0: 32 GT/s with 8 lanes, where 32 GT/s with 16 lanes are possible"));
  set(machine.network, device + "../max_link_width", "8");
  EXPECT_THAT(ports(machine).texts("slow_on_bus"), IsEmpty()) << "the slot has no more";
  set(machine.network, device + "current_link_speed", "8.0 GT/s PCIe");
  EXPECT_THAT(ports(machine).texts("slow_on_bus"), ElementsAre(HasSubstr("8 GT/s with 8 lanes")));
  set(machine.network, device + "current_link_speed", "Unknown");
  EXPECT_THAT(ports(machine).texts("slow_on_bus"), IsEmpty()) << "in a virtual machine";
}

TEST(NetworkPorts, ThatCannotBeReadAreNotGood) {
  Machine machine = recorded();
  machine.network.files[port_of("mlx5_0") + "state"] = FileState{"", "it is empty"};
  Seen seen = ports(machine);
  EXPECT_THAT(seen.texts("unreadable"), ElementsAre(port_of("mlx5_0") + "state: it is empty"));
  EXPECT_THAT(seen.texts("down"), IsEmpty());
  machine = recorded();
  machine.network.files[port_of("mlx5_0") + "rate"] = FileState{"", "Input/output error"};
  EXPECT_THAT(ports(machine).texts("unreadable"), ElementsAre(HasSubstr("rate: Input/output error")));
  EXPECT_THAT(ports(machine).texts("slow"), IsEmpty());
  unplug(machine.network, "mlx5_0");
  EXPECT_THAT(ports(machine).texts("unreadable"), IsEmpty()) << "a port that is down may have no rate";
  machine = recorded();
  machine.network.files.clear();
  machine.network.files[adapters + "mlx5_0"].problem = "gone";
  EXPECT_THAT(ports(machine).texts("unreadable"), ElementsAre("mlx5_0: gone"));
}

TEST(NetworkPorts, ThoseOfOtherAdaptersAreNotLookedAt) {
  Machine machine = recorded();
  unplug(machine.network, "mlx5_0");
  set(machine.network, port_of("mlx5_0") + "counters/link_downed", "2");
  EXPECT_EQ(ports(machine, {{"adapters", std::string("mlx5_1,mlx5_2")}}).number("active"), 2);
  EXPECT_THAT(ports(machine, {{"adapters", std::string("ib*,mlx5_1")}}).texts("down"), IsEmpty());
  EXPECT_EQ(ports(machine, {{"adapters", std::string("mlx?_*")}}).texts("down").size(), 1U);
  const Seen none = ports(machine, {{"adapters", std::string("ib0")}});
  EXPECT_EQ(none.execution.status, harness::Execution::Status::error);
  EXPECT_THAT(none.execution.reason, HasSubstr("there are: mlx5_0, mlx5_1, mlx5_2"));
}

TEST(NetworkPorts, OfAVirtualFunctionBesideItsPhysicalOneAreNotJudged) {
  Machine machine = recorded();
  unplug(machine.network, "mlx5_0");
  set(machine.network, adapters + "mlx5_0/device/physfn", "pci0000:00/0000:00:09.0");
  EXPECT_EQ(ports(machine).number("active"), 2);
  EXPECT_THAT(ports(machine).texts("unexplained"), IsEmpty());
}

}  // namespace
}  // namespace gpucheck::cases::test_of_network
