#include "telemetry/fault/fault_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "telemetry/machine/stand_in.hpp"
#include "telemetry/tests/simulated_gpus.hpp"

namespace gpucheck::telemetry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Two GPUs, of which the plan is about the second.
std::unique_ptr<Source> faulty(FaultPlan plan) {
  Machine machine = stand_in(healthy_machine(), {{first_gpu(), 1 << 20}, {second_gpu(), 1 << 20}}, 4711);
  return inject(open_recording(std::move(machine)), std::move(plan), second_gpu());
}
Gpu own_gpu(Source& source, Question question = {}) {
  question.gpus = {second_gpu()};
  return source.read(question).gpus.at(0);
}

TEST(FaultSource, SetsAReadingOfTheGpuAlone) {
  const auto source = faulty(always(Reading::pcie_width, std::int64_t{8}));
  const Machine machine = source->read();
  EXPECT_EQ(number(machine.gpus[1][Reading::pcie_width]), 8);
  EXPECT_EQ(number(machine.gpus[0][Reading::pcie_width]), 16);
}

TEST(FaultSource, RisesFromTheSecondAnswerOn) {
  const auto source = faulty(rising(Reading::ecc_volatile_uncorrected, 2));
  for (const std::int64_t expected : {0, 2, 4}) {
    EXPECT_EQ(number(own_gpu(*source)[Reading::ecc_volatile_uncorrected]), expected);
  }
}

TEST(FaultSource, WhatWasNotAskedIsNoAnswer) {
  FaultPlan plan = becoming(Reading::ecc_volatile_uncorrected, std::int64_t{1});
  Machine machine = stand_in(healthy_machine(), {{second_gpu(), 1}}, 1);
  machine.gpus[0][Reading::ecc_volatile_uncorrected] = Unavailable{std::string(not_asked)};
  const auto source = inject(open_recording(machine), plan, second_gpu());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(own_gpu(*source)[Reading::ecc_volatile_uncorrected], Value(Unavailable{std::string(not_asked)}));
  }
}

TEST(FaultSource, ReadingsThatAreNotToldHaveTheirReason) {
  const auto absent = faulty(not_supported(Reading::power_draw));
  EXPECT_EQ(own_gpu(*absent)[Reading::power_draw], Value(Unavailable{"not supported"}));
  const auto failed = faulty(failing(Reading::power_draw));
  EXPECT_TRUE(is_failure(own_gpu(*failed)[Reading::power_draw]));
}

TEST(FaultSource, LinksGpusAndProcesses) {
  EXPECT_EQ(flag(own_gpu(*faulty(always(LinkReading::is_active, false))).links.at(0)[LinkReading::is_active]), false);
  EXPECT_EQ(faulty(always(Aspect::gpu, {}))->read().gpus.size(), 1U);
  const Machine more = faulty(always(Aspect::neighbour, {}) + always(Reading::vbios_version, "1"))->read();
  ASSERT_EQ(more.gpus.size(), 3U);
  EXPECT_NE(more.gpus[2][Reading::uuid], more.gpus[1][Reading::uuid]);
  EXPECT_NE(more.gpus[2][Reading::vbios_version], more.gpus[1][Reading::vbios_version]);
  EXPECT_EQ(own_gpu(*faulty(always(Aspect::process, std::int64_t{12}))).processes.back().pid, 12);
  EXPECT_THAT(own_gpu(*faulty(always(Aspect::xid, std::int64_t{79}))).xids, ElementsAre(79));
}

TEST(FaultSource, TakesEveryLinkDown) {
  const auto source = inject(open_recording(healthy_machine()), always(Aspect::links_down, {}),
                             {.uuid = *text(healthy_machine().gpus[0][Reading::uuid]), .pci_address = ""});
  const Machine machine = source->read();
  ASSERT_EQ(machine.gpus.at(0).links.size(), 18U);
  for (const Link& link : machine.gpus[0].links) EXPECT_EQ(flag(link[LinkReading::is_active]), false);
}

TEST(FaultSource, TheOperatingSystemIsAskedOnlyWhenItIs) {
  const auto source = faulty(always(Aspect::kernel_xid, std::int64_t{79}) + always(Aspect::device_file, "denied") +
                             always(Aspect::library, "gone") + always(Aspect::unbound_gpu, "0000:09:00.0") +
                             always(Aspect::kernel_module_version, "1.2"));
  EXPECT_THAT(source->read({}).host.kernel_events, IsEmpty());
  const Host host = source->read({.with_host = true}).host;
  ASSERT_EQ(host.kernel_events.size(), 1U);
  EXPECT_EQ(host.kernel_events[0].pci_address, "sim:01:00.0");
  EXPECT_EQ(host.device_files.back().problem, "denied");
  EXPECT_EQ(host.libraries.back().problem, "gone");
  EXPECT_EQ(host.pci_gpus.back(), (PciGpu{"0000:09:00.0", ""}));
  EXPECT_EQ(host.kernel_module_version, "1.2");
  const Host lines =
      faulty(always(Aspect::kernel_lines, "NVRM: Xid (PCI:ADDRESS): 48, a\nNVRM: Xid (PCI:ADDRESS): 63"))->read().host;
  ASSERT_EQ(lines.kernel_events.size(), 2U);
  EXPECT_EQ(lines.kernel_events[1].pci_address, "sim:01:00.0");
  EXPECT_EQ(faulty(always(Aspect::kernel_log, "no"))->read().host.kernel_log_problem, "no");
  EXPECT_EQ(faulty(always(Aspect::cuda_version, "11.0"))->read().cuda_version, Value("11.0"));
  EXPECT_TRUE(is_failure(faulty(failing(Aspect::cuda_version))->read().cuda_version));
}

TEST(FaultSource, ChangesFilesOfNetworkAdapters) {
  const std::string state = "/sys/class/infiniband/mlx5_0/ports/1/state";
  const auto source = faulty(always(Aspect::network_file, state + "=1: DOWN") +
                             always(Aspect::network_file, "/sys/x=a=b") + becoming(Aspect::network_file, state));
  const Question question{.with_network = true, .with_gpus = false};
  EXPECT_THAT(source->read().network.files, IsEmpty()) << "not asked";
  const Machine first = source->read(question);
  EXPECT_THAT(first.gpus, IsEmpty());
  EXPECT_EQ(first.network.files.at(state), (FileState{"1: DOWN", ""}));
  EXPECT_EQ(first.network.files.at("/sys/x"), (FileState{"a=b", ""}));
  EXPECT_EQ(source->read(question).network.files.at(state), (FileState{"", "No such device"}));
}

// One that is named stands in place of what was known of it; other texts break the last file.
TEST(FaultSource, BreaksADeviceFileByItsName) {
  Machine machine = healthy_machine();
  machine.host.device_files = {{"/dev/nvidia0", ""}, {"/dev/nvidia-uvm", ""}, {"/dev/nvidiactl", ""}};
  const auto files = [&](const char* what) {
    return inject(open_recording(machine), always(Aspect::device_file, what), second_gpu())
        ->read({.with_host = true})
        .host.device_files;
  };
  EXPECT_THAT(files("/dev/nvidia-uvm: Permission denied"),
              ElementsAre(NamedState{"/dev/nvidia0", ""}, NamedState{"/dev/nvidiactl", ""},
                          NamedState{"/dev/nvidia-uvm", "Permission denied"}));
  EXPECT_THAT(files("denied: no"), ElementsAre(NamedState{"/dev/nvidia0", ""}, NamedState{"/dev/nvidia-uvm", ""},
                                               NamedState{"/dev/nvidiactl", "denied: no"}));
  EXPECT_EQ(files("/dev/x").back(), (NamedState{"/dev/nvidiactl", "/dev/x"}));
  machine.host.device_files.clear();
  EXPECT_THAT(files("denied"), ElementsAre(NamedState{"/dev/nvidia0", "denied"}));
}

// As the driver writes it, with the place but not the function of the GPU; a log that could not be read is one now.
TEST(FaultSource, WritesAnXidAsTheDriverDoes) {
  Machine machine = healthy_machine();
  machine.host.kernel_log_problem = "no log";
  for (const FaultPlan& plan :
       {always(Aspect::kernel_xid, std::int64_t{79}), always(Aspect::kernel_lines, "NVRM: Xid (PCI:ADDRESS): 79")}) {
    const Host host = inject(open_recording(machine), plan, {.uuid = "", .pci_address = "0000:3b:00.0"})
                          ->read({.with_host = true})
                          .host;
    EXPECT_EQ(host.kernel_log_problem, "");
    ASSERT_EQ(host.kernel_events.size(), 1U);
    EXPECT_EQ(host.kernel_events[0].pci_address, "0000:3b:00.0");
    EXPECT_EQ(host.kernel_events[0].xid, 79);
  }
  EXPECT_EQ(inject(open_recording(machine), always(Aspect::kernel_xid, std::int64_t{79}),
                   {.uuid = "", .pci_address = "0000:3b:00.0"})
                ->read({.with_host = true})
                .host.kernel_events.at(0)
                .text,
            "NVRM: Xid (PCI:0000:3b:00): 79");
}

// Each only where the question was about it: counted from the first answer that holds it.
TEST(FaultSource, LinksAndProcessesAreAskedWithEverything) {
  const auto links_failed = [](Source& source, Subset subset) {
    const Machine machine = source.read({.subset = subset, .gpus = {second_gpu()}});
    return machine.gpus.at(0).links_failed;
  };
  FaultPlan plan = failing(Aspect::links_down);
  plan.rules.front().first = 2;
  const auto source = faulty(plan);
  EXPECT_FALSE(links_failed(*source, Subset::gauges));
  EXPECT_FALSE(links_failed(*source, Subset::counters));
  EXPECT_FALSE(links_failed(*source, Subset::everything));
  EXPECT_FALSE(links_failed(*source, Subset::gauges));
  EXPECT_TRUE(links_failed(*source, Subset::everything));
}

TEST(FaultSource, PlansThatMakeNoSenseAreRejected) {
  const auto reject = [](const FaultRule& rule) { EXPECT_THROW(check(FaultPlan{{rule}}), Error); };
  reject({.what = Reading::power_draw, .value = std::int64_t{1}, .first = 0});
  reject({.what = Reading::power_draw, .effect = FaultEffect::rise, .value = true});
  reject({.what = Aspect::xid, .value = "79"});
  reject({.what = Aspect::library, .value = std::int64_t{1}});
  reject({.what = Aspect::library, .effect = FaultEffect::fail, .value = "x"});
  EXPECT_NO_THROW(check(always(Aspect::gpu, {})));
}

}  // namespace
}  // namespace gpucheck::telemetry
