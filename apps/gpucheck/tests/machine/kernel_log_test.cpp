#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/machine_run.hpp"
#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* own_address = "0000:00:06.0";  // of the GPU in the recording

json xid(int number, const std::string& text, const std::string& address = own_address) {
  return {{"pci_address", address}, {"xid", number}, {"text", "NVRM: Xid (PCI:0000:00:06): " + text}};
}

json with_log(const json& events) {
  json machine = recorded_machine("simulated_gpu");
  machine["host"]["kernel_xids"] = events;
  return machine;
}

MachineRun run_with_log(const std::vector<json>& events, const std::vector<std::string>& more = {}) {
  return {with_log(events), {"health.xid", "health.kernel_log", "health.row_remap"}, "sim", more};
}

TEST(KernelLog, AMigInstancesErrorIsTheGpus) {
  const MachineRun run = run_with_log({xid(95, "95, Uncontained", std::string("0000:00:06 GPU-I:05.0"))});
  EXPECT_EQ(run.result.exit_code, 1);
  EXPECT_THAT(run.keys("health.xid", "mismatches"), ElementsAre("needs_reset"));
  EXPECT_EQ(run.report["device_verdicts"][0]["verdict"], "failed");
  EXPECT_EQ(run.report["machine_verdict"]["verdict"], "passed");
  EXPECT_THAT(run.result.output, HasSubstr("XID 95 UNCONTAINED_ERROR"));
}

TEST(KernelLog, ANonfatalLinkErrorWarnsAndAFatalOneFails) {
  const MachineRun nonfatal = run_with_log({xid(145, "145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x04000001)")});
  EXPECT_EQ(nonfatal.result.exit_code, 0) << nonfatal.result.output;
  EXPECT_THAT(nonfatal.keys("health.xid", "warnings"), ElementsAre("to_watch"));
  const MachineRun fatal = run_with_log({xid(149, "149, NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x02000001)")});
  EXPECT_EQ(fatal.result.exit_code, 1);
  EXPECT_THAT(fatal.keys("health.xid", "mismatches"), ElementsAre("needs_reset"));
}

TEST(KernelLog, TheLastActionThatTheDriverAskedForCounts) {
  const json fault = xid(31, "31, pid=1, name=a, MMU Fault");
  const json reset = xid(154, "154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)");
  const json reboot = xid(154, "154, GPU recovery action changed from 0x1 (GPU Reset Required) to 0x2 (Node Reboot)");
  const json none = xid(154, "154, GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)");
  EXPECT_THAT(run_with_log({fault, reset}).keys("health.xid", "mismatches"), ElementsAre("needs_reset"));
  EXPECT_THAT(run_with_log({fault, reset, reboot}).keys("health.xid", "mismatches"), ElementsAre("needs_reboot"));
  EXPECT_EQ(run_with_log({fault, reset, none}).result.exit_code, 0);
  EXPECT_EQ(run_with_log({xid(48, "48, DBE"), reset, none}).result.exit_code, 0);
  EXPECT_EQ(run_with_log({xid(48, "48, DBE"), reset, none}, {"-p", "since=boot"}).result.exit_code, 1);
}

TEST(KernelLog, ARowThatWasReplacedSinceIsTold) {
  const MachineRun run =
      run_with_log({xid(63, "63, Row Remapper: New row marked for remapping"), xid(94, "94, Contained")});
  EXPECT_EQ(run.result.exit_code, 0) << run.result.output;
  EXPECT_EQ(run.of("health.row_remap")["observations"]["in_log"].size(), 1U);
  EXPECT_THAT(run.keys("health.xid", "warnings"), ElementsAre("to_watch"));
  EXPECT_THAT(run_with_log({xid(64, "64, Row Remapper: Error recording")}).keys("health.row_remap", "mismatches"),
              ElementsAre("not_recorded"));
}

TEST(KernelLog, ProgramsErrorsFromOnePlaceAreASuspect) {
  const auto at = [](int sm, int count) {
    json event = xid(13, fmt::format("13, Graphics SM Warp Exception on (GPC 2, TPC 1, SM {}): Out Of Range", sm));
    event["count"] = count;
    return event;
  };
  const MachineRun one_place = run_with_log({at(0, 50), at(1, 3)});
  EXPECT_EQ(one_place.result.exit_code, 0);
  EXPECT_THAT(one_place.keys("health.xid", "warnings"), ElementsAre("from_one_place"));
  EXPECT_THAT(one_place.result.output, HasSubstr("50 of 53 from GPC 2, TPC 1, SM 0"));
  EXPECT_THAT(run_with_log({at(0, 4)}).keys("health.xid", "warnings"), IsEmpty());
}

TEST(KernelLog, OldErrorsAreToldWithTheirTimeAndDoNotCount) {
  json old = xid(48, "48, DBE");
  old["last_time"] = old["first_time"] = "2026-11-20T08:00:00Z";
  const json load = {{"kind", "driver_load"}, {"pci_address", ""}, {"xid", 0}, {"text", "NVRM: loading NVIDIA UNIX"}};
  json machine = with_log({old, load});
  machine["host"]["kernel_log_read"] = "2026-11-25T10:00:00Z";
  const auto exit_code = [&machine](const std::string& since) {
    return MachineRun(machine, {"health.xid"}, "sim", {"-p", "since=" + since}).result.exit_code;
  };
  const MachineRun run(machine, {"health.xid"});
  EXPECT_EQ(run.result.exit_code, 0);
  EXPECT_THAT(run.of("health.xid")["observations"]["earlier"][0].get<std::string>(),
              AllOf(HasSubstr("XID 48"), HasSubstr("2026-11-20T08:00:00Z")));
  EXPECT_EQ(exit_code("boot"), 1);
  EXPECT_EQ(exit_code("7d"), 1);
  EXPECT_EQ(exit_code("24h"), 0);
  EXPECT_EQ(exit_code("2026-11-20"), 1);
  EXPECT_EQ(exit_code("2026-11-21"), 0);
  EXPECT_EQ(exit_code("soon"), 3) << "no time: nothing is judged";
}

TEST(KernelLog, ALongLogMakesNoLongReport) {
  std::vector<json> events;
  for (int i = 0; i < 20'000; ++i) {
    const int number = 1 + i % 172;
    events.push_back(xid(number, fmt::format("{}, pid={}, name=a, {}", number, i, std::string(300, 'x'))));
  }
  const MachineRun run = run_with_log(events);
  EXPECT_EQ(run.result.exit_code, 1);
  EXPECT_LT(run.report.dump().size(), 100'000U);
  EXPECT_THAT(run.result.output, HasSubstr("XID 79 GPU_HAS_FALLEN_OFF_THE_BUS, 116 times"));
}

TEST(KernelLog, SwitchesAndGpusThatAreGoneFailTheMachine) {
  const json fatal = {{"kind", "switch_error"},
                      {"pci_address", "0000:c1:00.0"},
                      {"xid", 20034},
                      {"text", "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up"}};
  for (const auto& [event, key] :
       {std::pair(fatal, "switch_errors"), {xid(79, "79, a", "0000:3c:00.0"), "unlisted_gpus"}}) {
    const MachineRun run = run_with_log({event});
    EXPECT_EQ(run.result.exit_code, 1);
    EXPECT_THAT(run.keys("health.kernel_log", "mismatches"), ElementsAre(key));
    EXPECT_EQ(run.report["device_verdicts"][0]["verdict"], "passed");
    EXPECT_EQ(run.report["machine_verdict"]["verdict"], "failed");
    EXPECT_THAT(run.result.output, HasSubstr("machine: FAILED"));
  }
}

TEST(KernelLog, InAContainerTheOtherGpusAreSomebodyElses) {
  json machine = with_log(json::array({xid(79, "79, a", "0000:3c:00.0")}));
  const auto keys = [&machine](const char* list) {
    return MachineRun(machine, {"health.kernel_log"}).keys("health.kernel_log", list);
  };
  EXPECT_THAT(keys("mismatches"), ElementsAre("unlisted_gpus")) << "it is gone";
  machine["host"]["pci_gpus"].push_back({{"address", "0000:3c:00.0"}, {"driver", "nvidia"}});
  EXPECT_THAT(keys("warnings"), ElementsAre("to_watch")) << "it has no file here";
  machine["host"]["device_files"].push_back({{"name", "/dev/nvidia1"}, {"problem", ""}});
  EXPECT_THAT(keys("mismatches"), ElementsAre("unlisted_gpus")) << "it has a file, and is not listed";
  machine["host"]["device_files"][3]["problem"] = "Operation not permitted";
  EXPECT_THAT(keys("warnings"), ElementsAre("to_watch")) << "its file is not for this container";
  machine["host"]["device_files"].erase(3);
  machine["host"]["pci_gpus"][1]["driver"] = "vfio-pci";
  EXPECT_THAT(keys("warnings"), ElementsAre("to_watch")) << "a virtual machine has it";
}

TEST(KernelLog, OneThatCannotBeReadIsNoPass) {
  const MachineRun run(with_log({{"unavailable", "/dev/kmsg: Operation not permitted"}}),
                       {"health.xid", "health.kernel_log"});
  EXPECT_EQ(run.result.exit_code, 3);
  EXPECT_EQ(run.of("health.xid")["outcome"], "skip");
  EXPECT_EQ(run.of("health.kernel_log")["outcome"], "skip");
}

TEST(KernelLog, CanBeAFile) {
  const TemporaryFolder folder;
  write_file(folder / "kern.log",
             "Nov 25 10:32:31 node7 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n");
  const std::vector<std::string> from_file{"-p", "kernel_log=" + (folder / "kern.log")};
  const MachineRun run(with_log(json::array()), {"health.xid", "health.kernel_log"}, "sim", from_file);
  EXPECT_THAT(run.result.output, HasSubstr("XID 79 GPU_HAS_FALLEN_OFF_THE_BUS"));
  EXPECT_EQ(run.of("health.xid")["outcome"], "fail") << "the simulated GPU stands for the one that the file names";
  EXPECT_EQ(run.of("health.kernel_log")["outcome"], "pass");
  for (const char* wrong : {"kernel_log=/no/such.log", "kernel_log=/dev/zero", "kernel_log=/"}) {
    const std::vector<std::string> words{"-p", wrong};
    EXPECT_EQ(MachineRun(with_log(json::array()), {"health.kernel_log"}, "sim", words).result.exit_code, 3) << wrong;
  }
}

TEST(KernelLog, AnXidCanBeWaivedAndNotAllOfThem) {
  const TemporaryFolder folder;
  write_file(folder / "waivers.json",
             R"({"waivers": [{"case": "health.xid", "device": "any", "xid": 48, "reason": "known", "owner": "me",
                              "expires": "2099-12-31"}]})");
  const auto exit_code = [&folder](const std::vector<json>& events) {
    return run_with_log(events, {"--waivers", folder / "waivers.json"}).result.exit_code;
  };
  EXPECT_EQ(exit_code({xid(48, "48, DBE")}), 0);
  EXPECT_EQ(exit_code({xid(79, "79, off")}), 1);
  EXPECT_EQ(exit_code({xid(48, "48, DBE"), xid(79, "79, off")}), 1);
}

}  // namespace
}  // namespace gpucheck::application
