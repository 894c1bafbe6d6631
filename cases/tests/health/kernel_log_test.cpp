#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/health/log/log_support.hpp"
#include "cases/tests/run_case.hpp"

// health.xid and health.kernel_log: which event counts, against whom, and from when on.
namespace gpucheck::cases::test_of_kernel_log {
namespace {

using in_health::Findings;
using in_health::shortened;
using telemetry::KernelEvent;
using telemetry::Machine;
using telemetry::Reading;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Kind = telemetry::KernelEventKind;

const std::string own = "0000:01:00.0";
const std::string neighbour = "0000:02:00.0";

KernelEvent xid(std::int64_t number, const std::string& address = own, std::int64_t time_s = 1000) {
  return {.pci_address = address, .xid = number, .text = "NVRM: Xid", .first_time_s = time_s, .last_time_s = time_s};
}
KernelEvent event(Kind kind, const std::string& address = own, const std::string& text = "NVRM: text") {
  return {.kind = kind, .pci_address = address, .text = text, .first_time_s = 1000, .last_time_s = 1000};
}
KernelEvent action(const std::string& words) {
  KernelEvent asked = xid(154);
  asked.text = "NVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed from 0x0 (None) to " + words;
  return asked;
}

Machine logged(std::size_t gpus, const std::vector<KernelEvent>& events) {
  Machine machine = healthy_gpus(gpus);
  machine.host.kernel_events = events;
  machine.host.kernel_log_begin_s = 7;
  machine.host.kernel_log_read_s = 100'000;
  return machine;
}

Seen xids(std::size_t gpus, const std::vector<KernelEvent>& events, const harness::ParameterValues& parameters = {}) {
  return run_case(case_named("health.xid"), logged(gpus, events), nullptr, parameters);
}

const std::vector<std::string> lists{"lost",   "needs_reset", "needs_reboot", "needs_drain",
                                     "fabric", "xids",        "to_watch"};

/// The one list that has anything.
std::string list_of(const Seen& seen) {
  std::string found;
  for (const std::string& list : lists) {
    if (!seen.texts(list).empty()) found += found.empty() ? list : ", " + list;
  }
  return found;
}

TEST(Xids, StandEachInTheListOfTheirKind) {
  EXPECT_EQ(list_of(xids(1, {})), "");
  EXPECT_EQ(list_of(xids(1, {xid(79)})), "lost");
  EXPECT_EQ(list_of(xids(1, {event(Kind::off_the_bus)})), "lost");
  EXPECT_EQ(list_of(xids(1, {xid(48)})), "needs_reset");
  EXPECT_EQ(list_of(xids(1, {event(Kind::reset_required)})), "needs_reset");
  EXPECT_EQ(list_of(xids(1, {action("0x2 (Node Reboot Required)")})), "needs_reboot");
  EXPECT_EQ(list_of(xids(1, {action("0x3 (Drain P2P)")})), "needs_drain");
  EXPECT_EQ(list_of(xids(1, {action("0x5 (Recover IMEX)")})), "fabric");
  EXPECT_EQ(list_of(xids(1, {xid(999)})), "xids");
  EXPECT_EQ(list_of(xids(1, {event(Kind::init_failed)})), "xids");
  EXPECT_EQ(list_of(xids(1, {xid(94)})), "to_watch");
  EXPECT_EQ(list_of(xids(1, {xid(13), xid(31), xid(63)})), "") << "no alarm";
  EXPECT_EQ(xids(1, {xid(79), xid(79)}).texts("lost").size(), 2U);
}

TEST(Xids, CountAgainstTheGpuThatTheyName) {
  EXPECT_EQ(list_of(xids(2, {xid(79, neighbour)})), "");
  EXPECT_EQ(list_of(xids(2, {xid(79, own)})), "lost");
  EXPECT_EQ(list_of(xids(2, {xid(79, "")})), "") << "of several any may be meant";
  EXPECT_EQ(list_of(xids(1, {xid(79, "")})), "lost") << "of one it is that one";
  EXPECT_EQ(list_of(xids(1, {event(Kind::switch_error, own, "SXid 20034, Fatal")})), "") << "a switch's are others'";
}

TEST(Xids, WithoutALibraryTheBusSaysHowManyGpusThereAre) {
  Machine machine = logged(2, {xid(79, "")});
  machine.gpus.clear();
  EXPECT_EQ(list_of(run_case(case_named("health.xid"), machine)), "");
  machine.host.pci_gpus.pop_back();
  EXPECT_EQ(list_of(run_case(case_named("health.xid"), machine)), "lost");
}

TEST(Xids, BeforeAResetAreEarlier) {
  const std::vector<KernelEvent> events{xid(79), xid(13), event(Kind::gpu_reset), xid(48)};
  const Seen seen = xids(1, events);
  EXPECT_EQ(list_of(seen), "needs_reset");
  EXPECT_THAT(seen.texts("earlier"), ElementsAre(StartsWith("XID 79 "))) << "what was no alarm is none";
  EXPECT_EQ(list_of(xids(1, events, {{"since", std::string("boot")}})), "lost, needs_reset");
  EXPECT_EQ(seen.text("log_begins"), "1970-01-01T00:00:07Z");
}

TEST(Xids, TheLastActionAskedForCounts) {
  const harness::ParameterValues all{{"since", std::string("boot")}};
  const KernelEvent reset = action("0x1 (GPU Reset Required)");
  const KernelEvent reboot = action("0x2 (Node Reboot Required)");
  const KernelEvent none = action("0x0 (None)");
  EXPECT_EQ(list_of(xids(1, {reset, reboot}, all)), "needs_reboot");
  EXPECT_EQ(list_of(xids(1, {reboot, reset}, all)), "needs_reset");
  EXPECT_EQ(list_of(xids(1, {reboot, none}, all)), "");
  EXPECT_EQ(list_of(xids(1, {none, reboot}, all)), "needs_reboot");
  EXPECT_EQ(xids(1, {reboot, xid(79)}, all).texts("needs_reboot").size(), 1U) << "another error changes nothing of it";
}

/// The log was read at second 100000; its events ended at these.
std::size_t counted_since(const std::string& since, const std::vector<std::int64_t>& times) {
  std::vector<KernelEvent> events;
  for (const std::int64_t time : times) events.push_back(xid(79, own, time));
  const Seen seen = xids(1, events, {{"since", since}});
  EXPECT_EQ(seen.texts("lost").size() + seen.texts("earlier").size(), times.size());
  return seen.texts("lost").size();
}

TEST(Since, IsADurationBeforeTheLogWasRead) {
  for (const char* hour : {"3600s", "60m", "60min", "1h"}) {
    EXPECT_EQ(counted_since(hour, {96'400}), 1U) << hour;
    EXPECT_EQ(counted_since(hour, {96'399}), 0U) << hour;
  }
  EXPECT_EQ(counted_since("1d", {13'600, 13'599}), 1U);
  EXPECT_EQ(counted_since("0s", {100'000, 99'999}), 1U);
  EXPECT_EQ(counted_since("1000000000s", {0}), 1U);
}

TEST(Since, IsATimeOrTheBoot) {
  EXPECT_EQ(counted_since("1970-01-02", {86'400, 86'399}), 1U);
  EXPECT_EQ(counted_since("1970-01-01T00:01:00Z", {59, 60, 61}), 2U);
  EXPECT_EQ(counted_since("boot", {0, 1}), 2U);
  KernelEvent timeless = xid(79);
  timeless.last_time_s.reset();
  EXPECT_EQ(list_of(xids(1, {timeless}, {{"since", std::string("1h")}})), "lost") << "a time that is not known";
}

TEST(Since, ThatSaysNoTimeIsAnError) {
  for (const char* wrong : {"", "h", "1", "1w", "-1h", "1.5h", "1000000001s", "yesterday", "24H"}) {
    const Seen seen = xids(1, {}, {{"since", std::string(wrong)}});
    EXPECT_EQ(seen.execution.status, harness::Execution::Status::error) << wrong;
    EXPECT_THAT(seen.execution.reason, HasSubstr("expected reset, boot")) << wrong;
  }
}

TEST(Since, ADurationCountsAllOfALogOfNoTime) {
  Machine machine = logged(1, {xid(79, own, 1)});
  machine.host.kernel_log_read_s.reset();
  const harness::ParameterValues hour{{"since", std::string("1h")}};
  EXPECT_EQ(list_of(run_case(case_named("health.xid"), machine, nullptr, hour)), "lost");
  machine.host.kernel_log_begin_s.reset();
  EXPECT_EQ(run_case(case_named("health.xid"), machine, nullptr, hour).text("log_begins"), "unknown");
}

TEST(Xids, ALogThatCannotBeReadIsSkipped) {
  for (const char* name : {"health.xid", "health.kernel_log"}) {
    Machine machine = logged(1, {});
    machine.host.kernel_log_problem = "Permission denied";
    EXPECT_TRUE(run_case(case_named(name), machine).is_skipped()) << name;
  }
}

// -- places -------------------------------------------------------------------------------------------

KernelEvent program_error(const std::string& place, std::int64_t times, std::int64_t number = 13) {
  KernelEvent error = xid(number);
  error.text = "Graphics SM Warp Exception on (" + place + "): Out Of Range Address";
  error.count = times;
  return error;
}
std::vector<std::string> suspected(const std::vector<KernelEvent>& events, std::int64_t repeats = 5) {
  return xids(1, events, {{"suspect_repeats", repeats}}).texts("from_one_place");
}
const std::string one_place = "GPC 2, TPC 1, SM 0";
const std::string beside_it = "GPC 2, TPC 3, SM 1";
const std::string elsewhere = "GPC 4, TPC 0, SM 0";

TEST(Places, OfMostErrorsAreSuspectAgainAndAgain) {
  EXPECT_THAT(suspected({program_error(one_place, 4)}), IsEmpty());
  EXPECT_THAT(suspected({program_error(one_place, 5)}), ElementsAre("XID 13: 5 of 5 from GPC 2, TPC 1, SM 0"));
  EXPECT_THAT(suspected({program_error(one_place, 3), program_error(one_place, 2)}),
              ElementsAre("XID 13: 5 of 5 from GPC 2, TPC 1, SM 0"));
  EXPECT_THAT(suspected({program_error(one_place, 5), program_error(elsewhere, 5)}), IsEmpty()) << "half of them";
  EXPECT_THAT(suspected({program_error(one_place, 6), program_error(elsewhere, 5)}),
              ElementsAre("XID 13: 6 of 11 from GPC 2, TPC 1, SM 0"));
  EXPECT_THAT(suspected({program_error(one_place, 2)}, 2), ElementsAre("XID 13: 2 of 2 from GPC 2, TPC 1, SM 0"));
}

TEST(Places, OfOneClusterAreTakenTogether) {
  EXPECT_THAT(suspected({program_error(one_place, 3), program_error(beside_it, 3)}),
              ElementsAre("XID 13: 6 of 6 from GPC 2"));
  EXPECT_THAT(suspected({program_error(one_place, 3), program_error(elsewhere, 3)}), IsEmpty());
  EXPECT_THAT(suspected({program_error(one_place, 9), program_error(beside_it, 1)}),
              ElementsAre("XID 13: 9 of 10 from GPC 2, TPC 1, SM 0"))
      << "the multiprocessor alone where it is one";
}

TEST(Places, AreOfEachNumberAlone) {
  EXPECT_THAT(suspected({program_error(one_place, 3), program_error(one_place, 3, 31)}), IsEmpty());
  EXPECT_THAT(suspected({program_error(one_place, 5), program_error(one_place, 6, 31)}), SizeIs(2));
  const Seen seen = xids(1, {program_error(one_place, 3), program_error(one_place, 4, 31), xid(13), xid(43), xid(48)});
  EXPECT_EQ(seen.number("xids_caused_by_programs"), 3 + 4 + 1 + 1);
}

// -- the machine --------------------------------------------------------------------------------------

Seen log_of(const Machine& machine, const harness::ParameterValues& parameters = {}) {
  return run_case(case_named("health.kernel_log"), machine, nullptr, parameters);
}
std::string list_of_machine(const Machine& machine) {
  const Seen seen = log_of(machine);
  std::string found;
  for (const char* list : {"switch_errors", "unlisted_gpus", "lost", "needs_reset", "without_address", "to_watch"}) {
    for (const std::string& text : seen.texts(list)) {
      EXPECT_FALSE(text.empty());
      found += found.empty() ? list : std::string(", ") + list;
    }
  }
  return found;
}

TEST(KernelLog, SwitchesAreJudgedByTheirText) {
  const KernelEvent fatal = event(Kind::switch_error, "0000:c1:00.0", "SXid 20034, Fatal, Link 30");
  const KernelEvent other = event(Kind::switch_error, "0000:c2:00.0", "SXid 20035, Fatal, Link 31");
  const KernelEvent harmless = event(Kind::switch_error, "0000:c1:00.0", "SXid 12028, Non-fatal, Link 32");
  EXPECT_EQ(list_of_machine(logged(1, {fatal})), "switch_errors");
  EXPECT_EQ(list_of_machine(logged(1, {fatal, other, harmless})), "switch_errors, switch_errors, to_watch");
  const Seen ended = log_of(logged(1, {fatal, event(Kind::driver_load, "")}));
  EXPECT_THAT(ended.texts("switch_errors"), IsEmpty());
  EXPECT_THAT(ended.texts("earlier"), SizeIs(1));
}

TEST(KernelLog, OfListedGpusNothingIsSaid) {
  EXPECT_EQ(list_of_machine(logged(2, {xid(79), xid(48, neighbour), xid(94, neighbour)})), "");
  Machine without_library = logged(2, {xid(79), xid(48, neighbour)});
  without_library.gpus.clear();
  EXPECT_EQ(list_of_machine(without_library), "") << "those that the driver is bound to";
  without_library.host.pci_gpus[1].driver.clear();
  EXPECT_EQ(list_of_machine(without_library), "unlisted_gpus");
}

TEST(KernelLog, OfAGpuThatIsNotListedTheErrorCounts) {
  const std::vector<KernelEvent> events{xid(79, "0000:ee:00.0")};
  EXPECT_EQ(list_of_machine(logged(1, events)), "unlisted_gpus") << "nor on the bus";
  const auto on_bus = [&events](const char* driver) {
    Machine machine = logged(1, events);
    machine.host.pci_gpus.push_back({"00000000:EE:00.0", driver});
    return machine;
  };
  EXPECT_EQ(list_of_machine(on_bus("")), "unlisted_gpus");
  EXPECT_EQ(list_of_machine(on_bus("vfio-pci")), "to_watch") << "a virtual machine's";
  EXPECT_EQ(list_of_machine(on_bus("nvidia")), "to_watch") << "there is a file of each GPU that is reached";
  Machine lost = on_bus("nvidia");
  lost.host.device_files.push_back({"/dev/nvidia1", ""});
  EXPECT_EQ(list_of_machine(lost), "unlisted_gpus") << "one that has a file and is not reached";
  lost.host.device_files.back().problem = "Operation not permitted";
  EXPECT_EQ(list_of_machine(lost), "to_watch") << "another container's";
  EXPECT_EQ(list_of_machine(logged(1, {xid(94, "0000:ee:00.0")})), "to_watch");
}

TEST(KernelLog, ALoadOfTheDriverDoesNotBringAGpuBack) {
  const std::vector<KernelEvent> events{xid(79, "0000:ee:00.0"), event(Kind::driver_load, "")};
  EXPECT_EQ(list_of_machine(logged(1, events)), "unlisted_gpus");
  const Seen later = log_of(logged(1, events), {{"since", std::string("1970-01-02")}});
  EXPECT_THAT(later.texts("unlisted_gpus"), IsEmpty());
  EXPECT_THAT(later.texts("earlier"), SizeIs(1));
}

TEST(KernelLog, WhatNamesNoGpuCountsWhereSeveralMayBeMeant) {
  EXPECT_EQ(list_of_machine(logged(1, {event(Kind::off_the_bus, "")})), "") << "of one GPU it is that one's";
  EXPECT_EQ(list_of_machine(logged(2, {event(Kind::off_the_bus, "")})), "lost");
  EXPECT_EQ(list_of_machine(logged(2, {event(Kind::reset_required, "")})), "needs_reset");
  EXPECT_EQ(list_of_machine(logged(2, {event(Kind::init_failed, "")})), "without_address");
  EXPECT_EQ(list_of_machine(logged(2, {xid(94, "")})), "to_watch");
  KernelEvent reboot = action("0x2 (Node Reboot Required)");
  reboot.pci_address.clear();
  EXPECT_EQ(list_of_machine(logged(2, {reboot})), "without_address");
  const Seen ended = log_of(logged(2, {event(Kind::off_the_bus, ""), event(Kind::boot, "")}));
  EXPECT_THAT(ended.texts("lost"), IsEmpty());
  EXPECT_THAT(ended.texts("earlier"), SizeIs(1));
}

TEST(KernelLog, AnErrorThatNamesItsGpuSaysItAlready) {
  const KernelEvent unnamed = event(Kind::off_the_bus, "");
  EXPECT_EQ(list_of_machine(logged(2, {unnamed, xid(79)})), "");
  EXPECT_EQ(list_of_machine(logged(2, {xid(79), unnamed})), "");
  EXPECT_EQ(list_of_machine(logged(2, {unnamed, xid(94)})), "lost") << "a warning says nothing of it";
  EXPECT_EQ(list_of_machine(logged(2, {unnamed, xid(13)})), "lost");
  EXPECT_EQ(list_of_machine(logged(2, {unnamed, event(Kind::switch_error, "0000:c1:00.0", "Fatal")})),
            "switch_errors, lost");
  EXPECT_EQ(list_of_machine(logged(2, {xid(79), event(Kind::gpu_reset), unnamed})), "lost")
      << "what a reset has ended counts no more";
}

// -- texts --------------------------------------------------------------------------------------------

TEST(Shortened, KeepsTheLastFifty) {
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) texts.push_back(std::to_string(i));
  EXPECT_EQ(shortened(texts), texts);
  texts.emplace_back("50");
  const std::vector<std::string> one_less = shortened(texts);
  ASSERT_EQ(one_less.size(), 51U);
  EXPECT_EQ(one_less.front(), "1");
  EXPECT_EQ(one_less[49], "50");
  EXPECT_EQ(one_less.back(), "and 1 before these");
  EXPECT_THAT(shortened({}), IsEmpty());
}

TEST(FindingsOfAKind, AreInTheirOrder) {
  Findings findings;
  findings.add("a", std::string("first"));
  findings.add("b", std::string("other"));
  findings.add("a", std::string("second"));
  EXPECT_THAT(findings.of("a"), ElementsAre("first", "second"));
  EXPECT_THAT(findings.of("b"), ElementsAre("other"));
  EXPECT_THAT(findings.of("c"), IsEmpty());
}

}  // namespace
}  // namespace gpucheck::cases::test_of_kernel_log
