#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "report/formats/formats.hpp"
#include "report/run_set.hpp"

namespace gpucheck::report {

inline harness::CaseResult reasoned_result(const std::string& name, harness::Outcome outcome,
                                           const std::string& reason = {}) {
  harness::CaseResult result;
  result.name = name;
  result.devices = {0};
  result.outcome = outcome;
  result.reason = reason;
  return result;
}

/// A pass, a failure with its code, and a waived hang, on device 0.
inline fleet::RunRecord small_run() {
  using namespace std::chrono;
  fleet::RunRecord run;
  run.start.version = "1.2.3";
  run.start.host_name = "node1";
  run.start.start_time = sys_days{2026y / August / 22} + 10h;
  run.start.settings.seed = 7;
  harness::DeviceIdentity& device = run.start.devices.emplace_back();
  device.kind = "sim";
  device.name = "H100";
  device.uuid = "GPU-1";
  device.pci_bus_id = "0000:01:00.0";
  harness::CaseResult& good = run.results.emplace_back(reasoned_result("a.good", harness::Outcome::pass));
  good.duration_ms = 1.6;
  good.measurements = {{.key = "copy_gbps", .value = 2600.5, .verdict = "pass", .source = "data sheet"}};
  harness::CaseResult& bad =
      run.results.emplace_back(reasoned_result("a.bad", harness::Outcome::fail, "errors: expected 0, seen 3, or 100%"));
  bad.mismatches = {{"errors", "0", "3", "vendor", "GC2001"}};
  harness::CaseResult& late =
      run.results.emplace_back(reasoned_result("a.late", harness::Outcome::hang, "not finished"));
  late.waiver = harness::Waiver{"a.late", "any", "known", "node team", "2026-12-31"};
  run.end.counts = {.pass = 1, .fail = 1, .hang = 1, .waived = 1};
  run.end.duration_ms = 1500;
  run.end.exit_code = 1;
  return run;
}

inline std::string written(std::string_view format, RunSet set) { return find_format(format)->write(std::move(set)); }

}  // namespace gpucheck::report
