#include "sample_run.hpp"

#include <csignal>
#include <gtest/gtest.h>

#include "report/sinks.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

using harness::Attempt;
using harness::CaseResult;
using harness::Outcome;

CaseResult result(const char* name, Outcome outcome, double duration_ms) {
  CaseResult result;
  result.name = name;
  result.devices = {0};
  result.outcome = outcome;
  result.duration_ms = duration_ms;
  result.seed = 11;
  result.rerun_command = std::string("gpucheck run ") + name + " --device sim --seed 7";
  return result;
}

CaseResult passed() {
  CaseResult fuzz = result("alloc.fuzz", Outcome::pass, 1234.5678);
  fuzz.observations = {{"blocks_verified", std::int64_t{10000}},
                       {"clean", true},
                       {"copy_gbps", 2600.0},
                       {"ratio", 0.25},
                       {"sizes_bytes", std::vector<std::int64_t>{512, 1024}}};
  fuzz.parameters = {{"iterations", std::int64_t{10000}}, {"label", std::string("quick")}, {"verify", true}};
  fuzz.measurements = {{.key = "copy_gbps",
                        .value = 2600,
                        .verdict = "warn",
                        .fail_below = 2400,
                        .warn_below = 2700,
                        .best = 3000,
                        .source = "data sheet"}};
  fuzz.output_tail = "not shown for a pass\n";
  fuzz.telemetry = {{.device = 0,
                     .before = harness::IdleReport{.is_idle = false,
                                                   .waited_ms = 5000.5,
                                                   .utilization_percent = 40,
                                                   .temperature_celsius = 61,
                                                   .clock_sm_mhz = 1980,
                                                   .other_processes = std::nullopt,
                                                   .reason = "utilization is 40 %"},
                     .samples = 13,
                     .gauges = {{.gauge = "power_draw_mw", .min = 81550, .mean = 90125.5, .max = 131000}},
                     .changes = {{.counter = "ecc_volatile_corrected", .change = 2}},
                     .xids = {31},
                     .recovery_action = 0}};
  return fuzz;
}

CaseResult passed_again() {
  CaseResult fuzz = result("alloc.fuzz", Outcome::pass, 999.96);
  fuzz.seed = 12;
  fuzz.repetition = 1;
  fuzz.observations = {{"clean", true}};
  return fuzz;
}

CaseResult flaky() {
  CaseResult lazy = result("host.lazy_init", Outcome::pass, 12.3);
  lazy.flaky = true;
  lazy.observations = {{"driver_calls", std::int64_t{0}}};
  lazy.earlier_attempts = {Attempt{Outcome::fail, "driver_calls: expected 0, seen 1", 11.25},
                           Attempt{Outcome::hang, "not finished within its deadline of 100 ms", 100}};
  return lazy;
}

CaseResult failed() {
  CaseResult retry = result("alloc.oom_retry", Outcome::fail, 340);
  retry.reason = "num_alloc_retries: expected 1, seen 0 (and 1 more)";
  retry.observations = {{"num_alloc_retries", std::int64_t{0}}, {"message", std::string("no memory")}};
  retry.mismatches = {{"num_alloc_retries", "1", "0", "seed", "GC6001"},
                      {"message", "matches /out of memory/", "\"no memory\"", "torch", "GC2006"}};
  retry.earlier_attempts = {Attempt{Outcome::error, "cannot read statistics", 3}};
  retry.error_tail = "\x1b[31mfirst\x1b[0m\nsecond\n";
  return retry;
}

CaseResult failed_with_long_texts() {
  CaseResult message = result("alloc.oom_message", Outcome::fail, 0.04);
  message.reason = "message: expected matches /GiB/, seen \"...\"";
  const std::string text =
      "\"CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 79.19 GiB\"";
  message.observations = {{"message", text}};
  message.mismatches = {{"message", "matches /of which [0-9.]+ GiB is free/", text, "torch", "GC6001"}};
  return message;
}

CaseResult not_judged() {
  CaseResult check = result("device.check_error", Outcome::error, 5);
  check.reason = "CUDA driver call failed:\nunknown error <&>";
  return check;
}

CaseResult crashed() {
  CaseResult assertion = result("assert.assert_async", Outcome::crash, 250);
  assertion.reason = "killed by signal 11 (SIGSEGV)";
  assertion.signal = SIGSEGV;
  assertion.output_tail = "starting\n";
  assertion.error_tail = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\nbroken \xff byte\n";
  assertion.observations = {{"reached", std::string("half way")}};
  return assertion;
}

CaseResult hung() {
  CaseResult capture = result("graph.capture_simple", Outcome::hang, 125400);
  capture.reason = "not finished within its deadline of 125000 ms";
  return capture;
}

CaseResult skipped() {
  CaseResult pool = result("graph.two_devices", Outcome::skip, 0);
  pool.reason = "needs 2 devices, found 1";
  return pool;
}

}  // namespace

harness::RunStarted sample_start() {
  using namespace std::chrono;
  harness::RunStarted start;
  start.version = "0.1.0";
  start.command_line = {"gpucheck", "run", "--seed", "7"};
  start.start_time = sys_days{2026y / August / 22} + 10h + 11min + 12s + 345ms;
  start.host_name = "node1";
  start.devices = {{.kind = "sim",
                    .ordinal = 0,
                    .name = "Simulated H100",
                    .uuid = "GPU-00000000-0000-0000-0000-000000000001",
                    .pci_bus_id = "0000:01:00.0",
                    .total_memory_bytes = std::uint64_t{80} << 30,
                    .multiprocessor_count = 132,
                    .driver_version = "",
                    .cuda_driver_version = "13.0",
                    .cuda_runtime_version = "13.0",
                    .note = "no CUDA device (no driver): using the simulator",
                    .problem = ""}};
  start.settings.seed = 7;
  start.jobs = 2;
  start.golden_digest = "00ff00ff00ff00ff";
  for (const char* name : {"alloc.fuzz", "alloc.oom_message", "alloc.oom_retry", "assert.assert_async",
                           "device.check_error", "graph.capture_simple", "graph.two_devices", "host.lazy_init"}) {
    start.selected.push_back({.name = name, .devices = {0}});
  }
  start.selected.push_back({.name = "alloc.fuzz", .devices = {0}, .repetition = 1});
  start.selected.push_back({.name = "graph.empty_graph_warning", .devices = {0}});
  start.total = start.selected.size();
  return start;
}

harness::RunFinished sample_end() {
  harness::RunFinished end;
  end.counts = {.pass = 3, .fail = 2, .error = 1, .crash = 1, .hang = 1, .skip = 1, .flaky = 1, .not_run = 1};
  end.duration_ms = 126000.4;
  end.not_run = {{.name = "graph.empty_graph_warning", .devices = {0}}};
  end.device_times = {
      {.running_ms = 125000.4, .starting_ms = 900, .idle_ms = 100, .processes = 3, .own_process_ms = 250}};
  end.interrupted_by_signal = SIGINT;
  end.exit_code = 130;
  return end;
}

void play_sample_run(harness::EventSink& sink) {
  const harness::RunStarted start = sample_start();
  sink.on(start);
  // As two workers would end them, not in the order selected.
  const std::vector<CaseResult> results = {failed(),     passed(),  failed_with_long_texts(),
                                           not_judged(), crashed(), passed_again(),
                                           skipped(),    flaky(),   hung()};
  const std::size_t total = start.total;
  std::size_t finished = 0;
  for (const CaseResult& result : results) {
    sink.on(harness::CaseStarted{result.name, result.repetition, 1, finished, total, result.devices});
    ++finished;
    sink.on(harness::CaseFinished{result, finished, total});
  }
  sink.on(sample_end());
}

std::string sample_journal() {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.journal");
  play_sample_run(*make_journal(path, [](const std::string& what) { FAIL() << what; }));
  return read_file(path);
}

}  // namespace gpucheck::report
