#include "telemetry/machine_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "json_schema.hpp"

namespace gpucheck::telemetry {
namespace {

using ::testing::HasSubstr;

/// A machine of which no two values are alike.
Machine every_value() {
  Machine machine{.driver_version = "580.1", .nvml_version = "13.580", .cuda_version = "13.0", .gpus = {}};
  Gpu gpu;
  for (std::size_t i = 0; i < reading_count; ++i) gpu.values[i] = static_cast<std::int64_t>(i) - 3;
  gpu[Reading::name] = "Fake \"\xC3\xA9\"";
  gpu[Reading::ecc_enabled] = true;
  gpu[Reading::mig_enabled] = false;
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
  machine.gpus[1].processes_problem = "not supported";
  machine.gpus[0].xids = {79, 48};
  machine.gpus[1].xids_problem = "not offered";
  machine.host = {.pci_gpus = {{"0000:3b:00.0", "nvidia"}, {"0000:3c:00.0", ""}},
                  .pci_gpus_problem = "",
                  .device_files = {},
                  .device_files_problem = "no such folder",
                  .libraries = {{"libcuda.so.1", ""}, {"libnvidia-ml.so.1", "not found"}},
                  .libraries_problem = "",
                  .kernel_module_version = "580.2",
                  .kernel_xids = {{"0000:3b:00.0", 79, "NVRM: Xid"}},
                  .kernel_log_problem = ""};
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

TEST(MachineFile, WhatItLeavesOutIsUnavailable) {
  const Machine machine =
      parse_machine(R"({"schema": "gpucheck.telemetry/1", "gpus": [{"readings": {"name": "X"}}]})", "state.json");
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_EQ(*text(machine.gpus[0][Reading::name]), "X");
  EXPECT_EQ(machine.gpus[0][Reading::uuid], Value(Unavailable{"not in the recording"}));
  EXPECT_EQ(machine.gpus[0].processes_problem, "not in the recording");
  EXPECT_EQ(machine.gpus[0].xids_problem, "not in the recording");
  EXPECT_TRUE(machine.gpus[0].links.empty());
  EXPECT_EQ(machine.host.pci_gpus_problem, "not in the recording");
  EXPECT_EQ(machine.host.kernel_log_problem, "not in the recording");
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
  EXPECT_THAT(error_of(with(R"({"xids": ["79"]})")), HasSubstr("gpus[1].xids[0]: expected an integer"));
  EXPECT_THAT(error_of(with(R"({"processes": [{}]})")), HasSubstr("gpus[1].processes[0].pid: expected"));
}

}  // namespace
}  // namespace gpucheck::telemetry
