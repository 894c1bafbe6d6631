#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cases/tests/health/network_machine.hpp"
#include "cases/tests/run_case.hpp"

// health.network_errors, health.network_flaps and health.network_gpudirect: what counters mean, and what reaches GPUs.
namespace gpucheck::cases::test_of_network {
namespace {

using telemetry::Machine;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Parameters = harness::ParameterValues;

// -- counters ----------------------------------------------------------------------------------------

/// With one file that holds two texts, one after the other.
Seen between(const char* name, const std::string& path, const std::string& first, const std::string& second,
             const Parameters& parameters = {}) {
  const Script script = [=](Machine& answer, Ask ask, std::size_t n) {
    if (ask == Ask::network) set(answer.network, path, n == 0 ? first : second);
  };
  return run_case(case_named(name), recorded(), script, parameters);
}

Seen errors(const std::string& counter, const std::string& first, const std::string& second,
            const Parameters& parameters = {}) {
  return between("health.network_errors", port_of("mlx5_0") + counter, first, second, parameters);
}

TEST(NetworkErrors, AreThoseThatCameWhileThePortsWereLookedAt) {
  const Seen grown = errors("counters/symbol_error", "3", "5");
  EXPECT_THAT(grown.texts("link_errors"), ElementsAre("mlx5_0/1: symbol_error grew by 2"));
  EXPECT_THAT(grown.texts("lost_packets"), IsEmpty());
  const Seen old = errors("counters/symbol_error", "5", "5");
  EXPECT_THAT(old.texts("link_errors"), IsEmpty());
  EXPECT_THAT(old.texts("totals"), ::testing::Contains("mlx5_0/1: symbol_error 5"));
  EXPECT_THAT(errors("counters/symbol_error", "3", "5", {{"max_new_errors", std::int64_t{2}}}).texts("link_errors"),
              IsEmpty());
  EXPECT_THAT(errors("counters/symbol_error", "3", "6", {{"max_new_errors", std::int64_t{2}}}).texts("link_errors"),
              ElementsAre("mlx5_0/1: symbol_error grew by 3"));
}

TEST(NetworkErrors, LostPacketsAreAnotherMatter) {
  const Seen lost = errors("hw_counters/out_of_sequence", "3", "5");
  EXPECT_THAT(lost.texts("lost_packets"), ElementsAre("mlx5_0/1: out_of_sequence grew by 2"));
  EXPECT_THAT(lost.texts("link_errors"), IsEmpty());
  const Seen congestion = errors("hw_counters/np_cnp_sent", "3", "5");
  EXPECT_THAT(congestion.texts("lost_packets"), IsEmpty());
  EXPECT_THAT(congestion.texts("link_errors"), IsEmpty());
}

TEST(NetworkErrors, ACounterAtItsLimitHidesWhatComes) {
  const auto doubt = [](const char* counter, const char* first, const char* second) {
    return errors(counter, first, second).texts("unknown_growth");
  };
  EXPECT_THAT(doubt("counters/symbol_error", "65535", "65535"),
              ElementsAre("mlx5_0/1: symbol_error is at its limit, 65535"));
  EXPECT_THAT(doubt("counters/symbol_error", "65534", "65534"), IsEmpty());
  EXPECT_THAT(doubt("counters/local_link_integrity_errors", "15", "15"), ElementsAre(HasSubstr("at its limit, 15")));
  EXPECT_THAT(doubt("hw_counters/packet_seq_err", "4294967295", "4294967295"),
              ElementsAre(HasSubstr("at its limit, 4294967295")));
  EXPECT_THAT(doubt("hw_counters/packet_seq_err", "4294967294", "4294967294"), IsEmpty());
  const Seen reached = errors("counters/symbol_error", "65530", "65535");
  EXPECT_THAT(reached.texts("link_errors"), ElementsAre("mlx5_0/1: symbol_error grew by 5"));
  EXPECT_THAT(reached.texts("unknown_growth"), ElementsAre(HasSubstr("at its limit")));
}

TEST(NetworkErrors, ACounterThatIsSetBackHasCountedSince) {
  const Seen back = errors("counters/symbol_error", "7", "2");
  EXPECT_THAT(back.texts("link_errors"), ElementsAre("mlx5_0/1: symbol_error grew by 2"));
  EXPECT_THAT(back.texts("unknown_growth"), ElementsAre("mlx5_0/1: symbol_error was set back from 7 to 2"));
  const Seen to_zero = errors("counters/symbol_error", "7", "0");
  EXPECT_THAT(to_zero.texts("link_errors"), IsEmpty());
  EXPECT_THAT(to_zero.texts("unknown_growth"), ElementsAre("mlx5_0/1: symbol_error was set back from 7 to 0"));
}

TEST(NetworkErrors, ACounterThatCannotBeReadIsSaid) {
  for (const auto& [first, second] : {std::pair("1x", "1"), std::pair("1", "1x"), std::pair("1x", "1x")}) {
    EXPECT_THAT(errors("counters/symbol_error", first, second).texts("unreadable"),
                ElementsAre(HasSubstr("symbol_error: not a count: \"1x\"")));
  }
  Machine machine = recorded();
  const std::string path = port_of("mlx5_0") + "counters/symbol_error";
  const Script gone = [&](Machine& answer, Ask ask, std::size_t n) {
    if (ask == Ask::network && n == 1) answer.network.files.erase(path);
  };
  EXPECT_THAT(run_case(case_named("health.network_errors"), machine, gone).texts("unreadable"),
              ElementsAre("mlx5_0/1: symbol_error is gone"));
}

TEST(NetworkErrors, APortThatIsGoneIsSaid) {
  const Script gone = [](Machine& answer, Ask ask, std::size_t n) {
    if (ask != Ask::network || n == 0) return;
    std::erase_if(answer.network.files, [](const auto& file) { return file.first.starts_with(adapters + "mlx5_1"); });
  };
  for (const char* const name : {"health.network_errors", "health.network_flaps"})
    EXPECT_THAT(run_case(case_named(name), recorded(), gone).texts("unreadable"), ElementsAre("mlx5_1/1: it is gone"));
}

TEST(NetworkErrors, PortsWithoutCountersAreNotGood) {
  Machine machine = recorded();
  std::erase_if(machine.network.files, [](const auto& file) {
    return file.first.find("counters/") != file.first.npos || file.first.find("/statistics/") != file.first.npos;
  });
  const Seen none = run_case(case_named("health.network_errors"), machine);
  EXPECT_TRUE(none.is_skipped());
  EXPECT_THAT(none.execution.reason, HasSubstr("mlx5_0/1, mlx5_1/1, mlx5_2/1"));
  Machine some = recorded();
  std::erase_if(some.network.files,
                [](const auto& file) { return file.first.starts_with(port_of("mlx5_0") + "counters"); });
  EXPECT_THAT(run_case(case_named("health.network_errors"), some).texts("not_counted"), ElementsAre("mlx5_0/1"));
}

// -- flaps -------------------------------------------------------------------------------------------

Seen flaps(const std::string& path, const std::string& first, const std::string& second,
           const Parameters& parameters = {}) {
  return between("health.network_flaps", path, first, second, parameters);
}

const std::string link_downed = port_of("mlx5_0") + "counters/link_downed";

TEST(NetworkFlaps, AreLinksThatGoDown) {
  EXPECT_THAT(flaps(link_downed, "1", "1").texts("new_flaps"), IsEmpty());
  EXPECT_THAT(flaps(link_downed, "1", "2").texts("new_flaps"), ElementsAre("mlx5_0/1: 1"));
  EXPECT_THAT(flaps("/sys/class/net/eth2/carrier_down_count", "2", "4").texts("new_flaps"), ElementsAre("mlx5_2/1: 2"));
  EXPECT_THAT(flaps(link_downed, "255", "255").texts("unknown_growth"), ElementsAre(HasSubstr("at its limit, 255")));
  EXPECT_THAT(flaps(link_downed, "2", "1").texts("unknown_growth"), ElementsAre(HasSubstr("set back from 2 to 1")));
}

/// What is said of a link that went down so often since the machine was started.
std::vector<std::string> too_many(const char* count, const char* uptime, const Parameters& parameters = {}) {
  Machine machine = recorded();
  set(machine.network, "/proc/uptime", uptime);
  set(machine.network, "/sys/class/net/eth2/carrier_down_count", "0");
  set(machine.network, link_downed, count);
  return run_case(case_named("health.network_flaps"), machine, nullptr, parameters).texts("too_many");
}

TEST(NetworkFlaps, AreTooManyFromThreeInHalfADayOn) {
  EXPECT_THAT(too_many("2", "60.00 1.00"), IsEmpty());
  EXPECT_THAT(too_many("3", "60.00 1.00"), ElementsAre("mlx5_0/1: 3 in 0.0 h")) << "half a day at least";
  EXPECT_THAT(too_many("5", "86400.00 1.00"), IsEmpty());
  EXPECT_THAT(too_many("6", "86400.00 1.00"), ElementsAre("mlx5_0/1: 6 in 24.0 h"));
  EXPECT_THAT(too_many("59", "864000.00 1.00"), IsEmpty());
  EXPECT_THAT(too_many("60", "864000.00 1.00"), ElementsAre("mlx5_0/1: 60 in 240.0 h"));
  EXPECT_THAT(too_many("2", "86400.00 1.00", {{"max_flaps_per_day", 2.0}}), ElementsAre("mlx5_0/1: 2 in 24.0 h"));
  EXPECT_THAT(too_many("0", "86400.00 1.00", {{"max_flaps_per_day", 0.001}}), IsEmpty());
}

TEST(NetworkFlaps, WithoutTheUptimeAreNotCompared) {
  Machine machine = recorded();
  machine.network.files.erase("/proc/uptime");
  EXPECT_EQ(run_case(case_named("health.network_flaps"), machine).text("too_many"), "not available");
  std::erase_if(machine.network.files, [](const auto& file) {
    return file.first.ends_with("/link_downed") || file.first.ends_with("/carrier_down_count");
  });
  EXPECT_TRUE(run_case(case_named("health.network_flaps"), machine).is_skipped());
}

// -- GPUDirect ---------------------------------------------------------------------------------------

TEST(NetworkGpuDirect, NeedsAWayAGpuAndAnAdapter) {
  const auto& test_case = case_named("health.network_gpudirect");
  Machine machine = recorded();
  EXPECT_THAT(run_case(test_case, machine).texts("ways"), ElementsAre("dma-buf"));
  EXPECT_THAT(run_case(test_case, machine).texts("nearest_adapters"),
              ElementsAre("0000:00:06.0: mlx5_0 mlx5_1 mlx5_2, PHB"));
  set(machine.network, "/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.1");
  EXPECT_THAT(run_case(test_case, machine).texts("missing"),
              ElementsAre("nvidia_peermem is not loaded", HasSubstr("open kernel modules")));
  set(machine.network, "/sys/module/nvidia_peermem", "loaded");
  EXPECT_THAT(run_case(test_case, machine).texts("missing"), IsEmpty());
  machine.network.files.erase("/proc/driver/nvidia/version");
  EXPECT_TRUE(run_case(test_case, machine).is_skipped());
  machine.network.files.erase("/sys/bus/pci/devices/0000:00:06.0/class");
  EXPECT_EQ(run_case(test_case, machine).execution.reason, "no GPU of NVIDIA's is on the bus");
  machine.network.files.clear();
  EXPECT_EQ(run_case(test_case, machine).execution.reason, "no InfiniBand or RoCE port");
}

}  // namespace
}  // namespace gpucheck::cases::test_of_network
