#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/peers.hpp"

namespace gpucheck::fleet {

inline harness::RunStarted run_of(int devices, const std::string& host = "node1") {
  harness::RunStarted start;
  start.version = "1";
  start.host_name = host;
  for (int i = 0; i < devices; ++i) {
    harness::DeviceIdentity& device = start.devices.emplace_back();
    device.index = device.ordinal = i;
    device.kind = "cuda";
    device.name = "NVIDIA H100";
    device.uuid = host + "-" + std::to_string(i);
    device.multiprocessor_count = 132;
  }
  return start;
}

inline harness::CaseResult result_on(int device, const std::string& name, harness::Outcome outcome) {
  harness::CaseResult result;
  result.name = name;
  result.devices = {device};
  result.outcome = outcome;
  return result;
}

inline harness::CaseResult measured_on(int device, double value, const std::string& name = "bandwidth.device_read",
                                       std::optional<double> best = {}) {
  harness::CaseResult result = result_on(device, name, harness::Outcome::pass);
  result.observations = {{"read_gbps", value}};
  result.measurements = {
      {.key = "read_gbps", .value = value, .verdict = "pass", .fail_below = 1, .best = best, .source = "s"}};
  return result;
}

inline harness::CaseResult digested(int device, const std::string& digest) {
  harness::CaseResult result = result_on(device, "gemm.bf16", harness::Outcome::pass);
  result.observations = {{"library", std::string("cuBLASLt 13.1")},
                         {"algorithm", std::string("tile 20")},
                         {"size", std::int64_t{8192}},
                         {"digest", digest}};
  result.parameters = {{"size", std::int64_t{0}}};
  return result;
}

inline std::vector<std::string> verdicts_of(const harness::Comparison& comparison) {
  std::vector<std::string> verdicts;
  for (const harness::ComparedValue& one : comparison.values) verdicts.push_back(one.verdict);
  return verdicts;
}

}  // namespace gpucheck::fleet
