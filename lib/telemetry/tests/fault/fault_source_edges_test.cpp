#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "telemetry/fault/fault_source.hpp"
#include "telemetry/machine/stand_in.hpp"
#include "telemetry/tests/simulated_gpus.hpp"

// What a fault of telemetry leaves as it is, and what it makes of a machine that has nothing of the kind.
namespace gpucheck::telemetry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Machine two_gpus() { return stand_in(healthy_machine(), {{first_gpu(), 1 << 20}, {second_gpu(), 1 << 20}}, 4711); }

/// What a source says of a machine when the plan is about its second GPU.
Machine told(Machine machine, const FaultPlan& plan, const Question& question = {.with_host = true}) {
  return inject(open_recording(std::move(machine)), plan, second_gpu())->read(question);
}

TEST(FaultSourceEdges, RefusesAPlanAtOnce) {
  EXPECT_THROW(static_cast<void>(told(two_gpus(), {{{.what = Reading::power_draw, .first = 0}}})), Error);
}

TEST(FaultSourceEdges, SaysWhatMakesNoSense) {
  const auto refusal = [](const FaultRule& rule) -> std::string {
    try {
      check(FaultPlan{{rule}});
    } catch (const Error& error) {
      return error.what();
    }
    return "fine";
  };
  const std::string start = "this fault of telemetry makes no sense: ";
  EXPECT_EQ(refusal({.what = Reading::power_draw, .first = 0}), start + "the first answer is number 1, not 0");
  EXPECT_EQ(refusal({.what = Reading::power_draw, .effect = FaultEffect::rise, .value = "x"}),
            start + "what rises does so by a number");
  for (const Aspect aspect : {Aspect::gpu, Aspect::neighbour, Aspect::links_down, Aspect::library, Aspect::xid}) {
    EXPECT_EQ(refusal({.what = aspect, .effect = FaultEffect::hang, .value = "x"}),
              start + "what is not a reading can only be set");
  }
  for (const Aspect aspect : {Aspect::process, Aspect::xid, Aspect::kernel_xid}) {
    EXPECT_EQ(refusal({.what = aspect, .value = "x"}), start + "a number is needed");
    EXPECT_EQ(refusal({.what = aspect, .value = std::int64_t{1}}), "fine");
  }
  for (const Aspect aspect : {Aspect::kernel_lines, Aspect::kernel_log, Aspect::unbound_gpu, Aspect::device_file,
                              Aspect::library, Aspect::kernel_module_version, Aspect::cuda_version}) {
    EXPECT_EQ(refusal({.what = aspect, .value = std::int64_t{1}}), start + "a text is needed");
    EXPECT_EQ(refusal({.what = aspect, .value = "x"}), "fine");
  }
  for (const Aspect aspect : {Aspect::gpu, Aspect::neighbour, Aspect::links_down}) {
    EXPECT_EQ(refusal({.what = aspect}), "fine");
  }
  for (const Aspect aspect : {Aspect::links_down, Aspect::cuda_version}) {
    EXPECT_EQ(refusal({.what = aspect, .effect = FaultEffect::fail}), "fine");
  }
  for (const Aspect aspect : {Aspect::gpu, Aspect::neighbour, Aspect::library, Aspect::xid}) {
    EXPECT_NE(refusal({.what = aspect, .effect = FaultEffect::fail, .value = "x"}), "fine");
  }
}

TEST(FaultSourceEdges, ANeighbourIsThereWhereAllGpusAreAskedFor) {
  const FaultPlan plan = always(Aspect::neighbour, {});
  const Machine all = told(two_gpus(), plan);
  ASSERT_EQ(all.gpus.size(), 3U);
  EXPECT_EQ(*text(all.gpus[2][Reading::uuid]), "GPU-ffffffff-ffff-ffff-ffff-ffffffffffff");
  EXPECT_EQ(*text(all.gpus[2][Reading::pci_address]), "0000:ff:00.0");
  EXPECT_EQ(told(two_gpus(), plan, {.gpus = {second_gpu()}}).gpus.size(), 1U);
  EXPECT_EQ(told(two_gpus(), plan, {.gpus = {first_gpu()}}).gpus.size(), 1U);
}

TEST(FaultSourceEdges, WhatCannotBeReadRisesFromNothing) {
  Machine machine = two_gpus();
  machine.gpus[1][Reading::power_draw] = Unavailable{.reason = "not supported"};
  const auto source = inject(open_recording(machine), rising(Reading::power_draw, 7), second_gpu());
  static_cast<void>(source->read({}));
  EXPECT_EQ(source->read({}).gpus[1][Reading::power_draw], Value(std::int64_t{7}));
  EXPECT_EQ(source->read({}).gpus[1][Reading::power_draw], Value(std::int64_t{14}));
}

TEST(FaultSourceEdges, ReadingsFailInTheDriversWords) {
  const Machine failed = told(two_gpus(), failing(Reading::power_draw));
  EXPECT_EQ(failed.gpus[1][Reading::power_draw], Value(Unavailable{.reason = "GPU is lost", .is_failure = true}));
  EXPECT_FALSE(is_failure(failed.gpus[0][Reading::power_draw]));
}

TEST(FaultSourceEdges, LinksThatCannotBeListedAreNone) {
  const Machine machine = told(two_gpus(), failing(Aspect::links_down));
  EXPECT_THAT(machine.gpus[1].links, IsEmpty());
  EXPECT_EQ(machine.gpus[1].links_problem, "Unknown Error");
  EXPECT_TRUE(machine.gpus[1].links_failed);
  EXPECT_FALSE(machine.gpus[0].links_failed);
  EXPECT_EQ(machine.gpus[0].links.size(), 18U);
}

TEST(FaultSourceEdges, WhatIsAddedToAListEndsTheReasonThatThereWasNone) {
  Machine machine = two_gpus();
  machine.gpus[1].processes.clear();
  machine.gpus[1].processes_problem = "no permission";
  machine.gpus[1].xids_problem = "no events";
  machine.host = {};
  machine.host.pci_gpus_problem = "no bus";
  machine.host.libraries_problem = "no libraries";
  machine.host.device_files_problem = "no files";
  machine.host.kernel_log_problem = "no log";
  const Machine broken =
      told(machine, always(Aspect::process, std::int64_t{12}) + always(Aspect::xid, std::int64_t{79}) +
                        always(Aspect::unbound_gpu, "0000:09:00.0") + always(Aspect::library, "gone") +
                        always(Aspect::device_file, "denied"));
  EXPECT_EQ(broken.gpus[1].processes_problem, "");
  EXPECT_EQ(broken.gpus[1].processes.size(), 1U);
  EXPECT_EQ(broken.gpus[1].xids_problem, "");
  EXPECT_EQ(broken.host.pci_gpus_problem, "");
  EXPECT_EQ(broken.host.libraries_problem, "");
  EXPECT_THAT(broken.host.libraries, ElementsAre(NamedState{"libcuda.so.1", "gone"}));
  EXPECT_EQ(broken.host.device_files_problem, "");
  EXPECT_THAT(broken.host.device_files, ElementsAre(NamedState{"/dev/nvidia0", "denied"}));
  EXPECT_EQ(broken.host.kernel_log_problem, "no log") << "nothing was added to it";
  machine.host.device_files_problem = "no files";
  EXPECT_EQ(told(machine, always(Aspect::device_file, "/dev/nvidiactl: denied")).host.device_files_problem, "");
}

TEST(FaultSourceEdges, ALogThatCannotBeReadSaysNothing) {
  Machine machine = two_gpus();
  machine.host.kernel_events = {{.kind = KernelEventKind::xid, .pci_address = "0000:3b:00.0", .xid = 79, .text = "a"}};
  const Machine broken = told(machine, always(Aspect::kernel_log, "no permission"));
  EXPECT_THAT(broken.host.kernel_events, IsEmpty());
  EXPECT_EQ(broken.host.kernel_log_problem, "no permission");
}

TEST(FaultSourceEdges, LinesOfOtherGpusKeepTheirAddress) {
  const Machine machine = told(
      two_gpus(), always(Aspect::kernel_lines, "NVRM: Xid (PCI:0000:99:00): 48, a\nNVRM: Xid (PCI:ADDRESS): 63, b"));
  ASSERT_EQ(machine.host.kernel_events.size(), 2U);
  EXPECT_EQ(machine.host.kernel_events[0].pci_address, "0000:99:00.0");
  EXPECT_EQ(machine.host.kernel_events[1].pci_address, "sim:01:00.0");
}

/// What a recording answers to a question about its gauges alone.
TEST(RecordingEdges, TakesAwayWhatWasNotAsked) {
  Machine machine = two_gpus();
  for (Gpu& gpu : machine.gpus) gpu.links_failed = gpu.processes_failed = true;
  for (const Subset subset : {Subset::gauges, Subset::counters}) {
    for (const Gpu& gpu : open_recording(machine)->read({.subset = subset}).gpus) {
      EXPECT_THAT(gpu.links, IsEmpty());
      EXPECT_EQ(gpu.links_problem, not_asked);
      EXPECT_FALSE(gpu.links_failed);
      EXPECT_THAT(gpu.processes, IsEmpty());
      EXPECT_EQ(gpu.processes_problem, not_asked);
      EXPECT_FALSE(gpu.processes_failed);
    }
  }
  const Machine whole = open_recording(machine)->read({});
  EXPECT_EQ(whole.gpus[0].links.size(), 18U);
  EXPECT_TRUE(whole.gpus[0].links_failed);
  EXPECT_TRUE(whole.gpus[0].processes_failed);
}

TEST(StandInEdges, EachGpuIsKnownAsItsDevice) {
  const Machine machine = two_gpus();
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_EQ(*text(machine.gpus[0][Reading::uuid]), "sim-0");
  EXPECT_EQ(*text(machine.gpus[0][Reading::pci_address]), "sim:00:00.0");
  EXPECT_EQ(*text(machine.gpus[1][Reading::uuid]), "sim-1");
  EXPECT_EQ(*text(machine.gpus[1][Reading::pci_address]), "sim:01:00.0");
  EXPECT_EQ(number(machine.gpus[1][Reading::memory_total]), 1 << 20);
}

}  // namespace
}  // namespace gpucheck::telemetry
