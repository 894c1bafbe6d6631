#include "telemetry/machine/machine_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "json_schema.hpp"

namespace gpucheck::telemetry {
namespace {

using ::testing::HasSubstr;

/// One that no other reading has, but for flags.
Value some_value(Reading reading) {
  const auto number = static_cast<std::int64_t>(reading);
  switch (info_of(reading).type) {
    case ReadingType::flag:
      return number % 2 == 0;
    case ReadingType::text:
      return std::to_string(number);
    case ReadingType::signed_number:
      return -number;
    case ReadingType::number:
      return number;
  }
  return {};
}

/// A machine of which no two values are alike.
Machine every_value() {
  Machine machine{.driver_version = "580.1", .nvml_version = "13.580", .cuda_version = "13.0", .gpus = {}};
  Gpu gpu;
  for (std::size_t i = 0; i < reading_count; ++i) gpu.values[i] = some_value(static_cast<Reading>(i));
  gpu[Reading::name] = "Fake \"\xC3\xA9\"";
  gpu[Reading::serial] = Unavailable{"not supported"};
  gpu[Reading::vbios_version] = Unavailable{.reason = "GPU is lost", .is_failure = true};
  gpu[Reading::memory_total] = INT64_MAX;
  Link link;
  link.values.fill(std::int64_t{9});
  link[LinkReading::is_active] = true;
  gpu.links = {link, link};
  gpu.links[1][LinkReading::crc_flit_errors] = Unavailable{"no permission"};
  gpu.processes = {{12, 34}, {56, std::nullopt}};
  machine.gpus = {gpu, gpu};
  machine.gpus[1].processes.clear();
  machine.gpus[1].processes_problem = "nvmlDeviceGetComputeRunningProcesses_v3: GPU is lost";
  machine.gpus[1].processes_failed = true;
  machine.gpus[1].links.clear();
  machine.gpus[1].links_problem = "not supported";
  machine.gpus[0].xids = {79, 48};
  machine.gpus[1].xids_problem = "not supported";
  machine.network.files = {{"/sys/class/infiniband/mlx5_0/fw_ver", {"28.39.1002", ""}},
                           {"/sys/class/infiniband/mlx5_0/ports/1/state", {"", "it is empty"}}};
  machine.host = {.pci_gpus = {{"0000:3b:00.0", "nvidia"}, {"0000:3c:00.0", ""}},
                  .pci_gpus_problem = "",
                  .device_files = {},
                  .device_files_problem = "no such folder",
                  .libraries = {{"libcuda.so.1", ""}, {"libnvidia-ml.so.1", "not found"}},
                  .libraries_problem = "",
                  .kernel_module_version = "580.2",
                  .kernel_module_problem = "",
                  .kernel_events = {{.kind = KernelEventKind::xid,
                                     .pci_address = "0000:3b:00.0",
                                     .xid = 79,
                                     .text = "NVRM: Xid",
                                     .count = 3,
                                     .first_time_s = 1'795'602'751,
                                     .last_time_s = 1'795'602'752},
                                    {.kind = KernelEventKind::driver_load, .pci_address = {}, .text = "loading"}},
                  .kernel_log_problem = "",
                  .kernel_log_begin_s = 1'795'600'000,
                  .kernel_log_read_s = 1'795'700'000};
  return machine;
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_machine(text, "state.json"));
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "";
}

TEST(MachineFile, IsReadBack) {
  const Machine machine = every_value();
  EXPECT_EQ(parse_machine(machine_text(machine), "state.json"), machine);
}

TEST(MachineFile, KeepsToItsSchema) {
  const testing_support::JsonSchema schema(GPUCHECK_TELEMETRY_SCHEMA);
  EXPECT_EQ(schema.complaints(nlohmann::json::parse(machine_text(every_value()))), "");
  EXPECT_NE(schema.complaints(nlohmann::json::parse(R"({"schema": "gpucheck.telemetry/1", "gpus": [{"x": 1}]})")), "");
}

TEST(MachineFile, EachReadingHasAKeyOfItsOwn) {
  std::set<std::string_view> keys;
  for (std::size_t i = 0; i < reading_count; ++i) {
    const auto which = static_cast<Reading>(i);
    EXPECT_TRUE(keys.insert(info_of(which).key).second) << info_of(which).key;
    EXPECT_EQ(find_reading(info_of(which).key), which);
  }
  EXPECT_EQ(find_reading("no_such"), std::nullopt);
  EXPECT_EQ(find_link_reading("replays"), LinkReading::replays);
}

TEST(MachineFile, VersionsCarryWhyTheyAreNotKnown) {
  Machine machine = every_value();
  machine.driver_version = Unavailable{"not supported"};
  machine.cuda_version = Unavailable{.reason = "nvmlSystem: GPU is lost", .is_failure = true};
  machine.host.kernel_module_version.clear();
  machine.host.kernel_module_problem = "/proc/driver/nvidia/version: Input/output error";
  machine.gpus[1].xids_problem = "nvmlEventSetWait_v2: GPU is lost";
  machine.gpus[1].xids_failed = true;
  const std::string text = machine_text(machine);
  EXPECT_EQ(parse_machine(text, "state.json"), machine);
  const testing_support::JsonSchema schema(GPUCHECK_TELEMETRY_SCHEMA);
  EXPECT_EQ(schema.complaints(nlohmann::json::parse(text)), "");
}

TEST(MachineFile, RecordingsOfBeforeHaveEmptyTextsForVersionsThatAreNotKnown) {
  const Machine machine =
      parse_machine(R"({"schema": "gpucheck.telemetry/1", "cuda_version": "", "gpus": []})", "state.json");
  EXPECT_EQ(machine.cuda_version, Value(Unavailable{"not in the recording"}));
  EXPECT_EQ(machine.driver_version, Value(Unavailable{"not in the recording"}));
}

TEST(MachineFile, NetworkFilesAreThereOrWhyNot) {
  const auto network = [](const char* json) {
    return parse_machine(fmt::format(R"({{"schema": "gpucheck.telemetry/1", "gpus": [], "network": {}}})", json),
                         "state.json")
        .network;
  };
  EXPECT_EQ(network("{}"), NetworkFiles{});
  EXPECT_EQ(network(R"({"unavailable": "not asked"})"), (NetworkFiles{.files = {}, .problem = "not asked"}));
  EXPECT_EQ(network(R"({"failed": "gone"})"), (NetworkFiles{.files = {}, .problem = "gone", .failed = true}));
  EXPECT_EQ(network(R"({"/a": "b", "/c": {"failed": "d"}})").files,
            (std::map<std::string, FileState>{{"/a", {"b", ""}}, {"/c", {"", "d"}}}));
  EXPECT_EQ(parse_machine(R"({"schema": "gpucheck.telemetry/1", "gpus": []})", "state.json").network,
            (NetworkFiles{.files = {}, .problem = "not in the recording"}));
  const auto error = [](const char* json) {
    return error_of(fmt::format(R"({{"schema": "gpucheck.telemetry/1", "gpus": [], "network": {}}})", json));
  };
  EXPECT_THAT(error("[]"), HasSubstr("network: expected an object"));
  EXPECT_THAT(error(R"({"/a": "b", "c": "d"})"), HasSubstr("network.c: expected the path of a file"));
  EXPECT_THAT(error(R"({"a": "b"})"), HasSubstr("network: expected"));
  EXPECT_THAT(error(R"({"/a": 1})"), HasSubstr("network./a: expected a text"));
}

TEST(MachineFile, WhatItLeavesOutIsUnavailable) {
  const Machine machine =
      parse_machine(R"({"schema": "gpucheck.telemetry/1", "gpus": [{"readings": {"name": "X"}}]})", "state.json");
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_EQ(*text(machine.gpus[0][Reading::name]), "X");
  EXPECT_EQ(machine.gpus[0][Reading::uuid], Value(Unavailable{"not in the recording"}));
  EXPECT_EQ(machine.gpus[0].processes_problem, "not in the recording");
  EXPECT_EQ(machine.gpus[0].xids_problem, "not in the recording");
  EXPECT_TRUE(machine.gpus[0].links.empty());
  EXPECT_EQ(machine.gpus[0].links_problem, "not in the recording");
  EXPECT_FALSE(machine.gpus[0].links_failed);
  EXPECT_EQ(machine.host.pci_gpus_problem, "not in the recording");
  EXPECT_EQ(machine.host.kernel_log_problem, "not in the recording");
}

TEST(MachineFile, SaysWhatIsExpectedAtWhichPlace) {
  const auto complaint = [](const std::string& gpus) -> std::string {
    try {
      static_cast<void>(parse_machine(R"({"schema": "gpucheck.telemetry/1", "gpus": )" + gpus + "}", "state.json"));
    } catch (const EnvironmentError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint("[]"), "");
  EXPECT_EQ(complaint("5"), "state.json: gpus: expected a list");
  EXPECT_EQ(complaint(R"([{}, {"links": 5}])"), "state.json: gpus[1].links: expected a list");
}

TEST(MachineFile, MayNotNestWithoutEnd) {
  try {
    static_cast<void>(parse_machine(std::string(1'000'000, '['), "deep.json"));
    ADD_FAILURE();
  } catch (const EnvironmentError& error) {
    EXPECT_EQ(std::string(error.what()), "deep.json: it is nested more than 32 levels deep");
  }
}

/// The reading of a recording whose only GPU has it as this JSON.
Value recorded_replays(const std::string& json) {
  const std::string file =
      R"({"schema": "gpucheck.telemetry/1", "gpus": [{"readings": {"pcie_replays": )" + json + "}}]}";
  return parse_machine(file, "state.json").gpus.at(0)[Reading::pcie_replays];
}

TEST(MachineFile, WhatIsUnavailableForAnyReasonButThatItIsNotOfferedIsAFailure) {
  for (const char* reason :
       {"not supported", "Not Supported", "not asked", "no permission", "nvmlDeviceGetX: Not Supported",
        "nvmlDeviceGetX: Insufficient Permissions", "nvmlDeviceGetX: Function Not Found", "not in the recording",
        "not asked when this was recorded", "nvmlDeviceGetX: this driver's library has no such function"}) {
    EXPECT_FALSE(is_failure(recorded_replays(fmt::format(R"({{"unavailable": "{}"}})", reason)))) << reason;
    EXPECT_TRUE(is_failure(recorded_replays(fmt::format(R"({{"failed": "{}"}})", reason)))) << reason;
  }
  for (const char* reason : {"nvmlDeviceGetRemappedRows: Other error", "GPU is lost", "NVML's error 12345",
                             "nvmlDeviceGetX: Driver/library version mismatch", "frequency not supported", "?"}) {
    EXPECT_TRUE(is_failure(recorded_replays(fmt::format(R"({{"unavailable": "{}"}})", reason)))) << reason;
  }
}

TEST(MachineFile, ListsKeepWhetherTheDriverFailed) {
  const auto gpu = [](const std::string& member) {
    return parse_machine(R"({"schema": "gpucheck.telemetry/1", "gpus": [{)" + member + "}]}", "state.json").gpus.at(0);
  };
  EXPECT_TRUE(gpu(R"("links": {"failed": "GPU is lost"})").links_failed);
  EXPECT_TRUE(gpu(R"("links": {"unavailable": "GPU is lost"})").links_failed);
  EXPECT_EQ(gpu(R"("links": {"failed": "GPU is lost"})").links_problem, "GPU is lost");
  EXPECT_FALSE(gpu(R"("links": {"unavailable": "not supported"})").links_failed);
  EXPECT_TRUE(gpu(R"("processes": {"failed": "GPU is lost"})").processes_failed);
  EXPECT_FALSE(gpu(R"("processes": {"unavailable": "not supported"})").processes_failed);
  EXPECT_EQ(gpu(R"("links": [])").links_problem, "");
}

TEST(MachineFile, AValueOfAnotherTypeIsRejected) {
  const auto reading = [](const std::string& key, const std::string& json) {
    return error_of(R"({"schema": "gpucheck.telemetry/1", "gpus": [{"readings": {")" + key + R"(": )" + json + "}}]}");
  };
  for (const char* json : {"true", "\"0\"", "-1", "null", "1.5", "[1]", "{}", R"({"unavailable": ""})",
                           R"({"unavailable": "a", "failed": "b"})"}) {
    EXPECT_THAT(reading("ecc_volatile_uncorrected", json),
                HasSubstr("state.json: gpus[0].readings.ecc_volatile_uncorrected"))
        << json;
  }
  for (const char* json : {"1", "0", "\"true\"", "null"}) {
    EXPECT_THAT(reading("remap_pending", json), HasSubstr("remap_pending: expected true or false")) << json;
  }
  EXPECT_THAT(reading("uuid", "7"), HasSubstr("uuid: expected a text"));
  EXPECT_THAT(reading("uuid", "true"), HasSubstr("uuid: expected a text"));
  EXPECT_EQ(reading("temperature_gpu_celsius", "-5"), "");
  EXPECT_THAT(error_of(R"({"schema": "gpucheck.telemetry/1", "gpus": [{"links": [{"replays": true}]}]})"),
              HasSubstr("gpus[0].links[0].replays: expected an integer"));
  EXPECT_THAT(error_of(R"({"schema": "gpucheck.telemetry/1", "gpus": [{"links": [{"is_active": 1}]}]})"),
              HasSubstr("gpus[0].links[0].is_active: expected true or false"));
  EXPECT_THAT(error_of(R"({"schema": "gpucheck.telemetry/1", "gpus": [{"xids": [-79]}]})"),
              HasSubstr("gpus[0].xids[0]: expected an integer that is not negative"));
}

TEST(MachineFile, ARefusalNamesThePlace) {
  const auto with = [](const std::string& gpu) {
    return R"({"schema": "gpucheck.telemetry/1", "gpus": [{}, )" + gpu + "]}";
  };
  EXPECT_THAT(error_of("{"), HasSubstr("state.json: "));
  EXPECT_THAT(error_of("[]"), HasSubstr("state.json: the file: expected an object"));
  EXPECT_THAT(error_of(R"({"gpus": []})"), HasSubstr("schema: expected \"gpucheck.telemetry/1\""));
  EXPECT_THAT(error_of(R"({"schema": "gpucheck.telemetry/2", "gpus": []})"), HasSubstr("schema: expected"));
  EXPECT_THAT(error_of(R"({"schema": "gpucheck.telemetry/1"})"), HasSubstr("gpus: expected a list"));
  EXPECT_THAT(error_of(R"({"schema": "gpucheck.telemetry/1", "gpus": [], "x": 1})"), HasSubstr("x: there is no such"));
  EXPECT_THAT(error_of(with("1")), HasSubstr("gpus[1]: expected an object"));
  EXPECT_THAT(error_of(with(R"({"readings": {"power": 1}})")), HasSubstr("gpus[1].readings.power: there is no such"));
  EXPECT_THAT(error_of(with(R"({"readings": {"power_draw_mw": 1.5}})")),
              HasSubstr("gpus[1].readings.power_draw_mw: expected an integer"));
  EXPECT_THAT(error_of(with(R"({"readings": {"power_draw_mw": 9223372036854775808}})")), HasSubstr("64 bits"));
  EXPECT_THAT(error_of(with(R"({"readings": {"uuid": {"reason": "x"}}})")),
              HasSubstr("gpus[1].readings.uuid: expected"));
  EXPECT_THAT(error_of(with(R"({"links": [{}, {"speed": 1}]})")),
              HasSubstr("gpus[1].links[1].speed: there is no such"));
  EXPECT_THAT(error_of(with(R"({"processes": [{"name": "x", "pid": 1}]})")),
              HasSubstr("gpus[1].processes[0].name: there is no such"));
  const auto with_host = [](const std::string& host) {
    return R"({"schema": "gpucheck.telemetry/1", "gpus": [], "host": )" + host + "}";
  };
  EXPECT_THAT(error_of(with_host(R"({"x": 1})")), HasSubstr("host.x: there is no such"));
  EXPECT_THAT(error_of(with_host(R"({"pci_gpus": [{"address": "a", "x": "b"}]})")),
              HasSubstr("host.pci_gpus[0].driver: expected"));
  EXPECT_THAT(error_of(with_host(R"({"libraries": [{"name": "a", "problem": "", "x": 1}]})")),
              HasSubstr("host.libraries[0]: expected 2 fields"));
  EXPECT_THAT(error_of(with_host(R"({"kernel_xids": [{"pci_address": "a", "text": "b", "xid": "c"}]})")),
              HasSubstr("host.kernel_xids[0].xid: expected an integer"));
  EXPECT_THAT(error_of(with_host(R"({"kernel_xids": [{"pci_address": "a", "text": "b"}]})")),
              HasSubstr("host.kernel_xids[0].xid: expected"));
  EXPECT_THAT(error_of(with_host(R"({"kernel_xids": [{"pci_address": "", "text": "", "xid": 1, "count": 0}]})")),
              HasSubstr("host.kernel_xids[0].count: expected"));
  EXPECT_THAT(error_of(with_host(R"({"kernel_xids": [{"pci_address": "", "text": "", "xid": 1, "kind": "x"}]})")),
              HasSubstr("host.kernel_xids[0].kind: expected"));
  EXPECT_THAT(error_of(with_host(R"({"kernel_log_read": "yesterday"})")), HasSubstr("host.kernel_log_read: expected"));
  EXPECT_THAT(error_of(with(R"({"xids": ["79"]})")), HasSubstr("gpus[1].xids[0]: expected an integer"));
  EXPECT_THAT(error_of(with(R"({"processes": [{}]})")), HasSubstr("gpus[1].processes[0].pid: expected"));
}

TEST(MachineFile, AnOldRecordingsAddressOfAMigInstanceIsTheGpus) {
  const Machine machine = parse_machine(
      R"({"schema": "gpucheck.telemetry/1", "gpus": [], "host": {"kernel_xids": [
            {"pci_address": "0000:3B:00 GPU-I:05.0", "xid": 95, "text": "NVRM: Xid"}]}})",
      "a");
  ASSERT_EQ(machine.host.kernel_events.size(), 1U);
  EXPECT_EQ(machine.host.kernel_events[0].pci_address, "0000:3b:00.0");
  EXPECT_EQ(machine.host.kernel_events[0].kind, KernelEventKind::xid);
  EXPECT_EQ(machine.host.kernel_events[0].count, 1);
}

}  // namespace
}  // namespace gpucheck::telemetry
