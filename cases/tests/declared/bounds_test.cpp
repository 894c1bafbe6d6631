#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "base/text/units.hpp"
#include "cases/registration.hpp"
#include "harness/case/registry.hpp"

// Between which bounds parameters are, what they are by default, and how long cases may take: what somebody who types a
// value at the command line relies on. What is one beyond a bound is refused: see parameters_test.cpp.
namespace gpucheck::cases::test_of_bounds {
namespace {

using namespace literals;

constexpr double none = -2;

/// One by one, so that a failure names what differs.
template <typename Values>
void expect_same(const Values& found, const Values& expected) {
  for (const auto& [name, value] : expected) {
    const auto at = found.find(name);
    if (at == found.end()) {
      ADD_FAILURE() << "there is no " << name;
    } else {
      EXPECT_EQ(at->second, value) << name;
    }
  }
  for (const auto& [name, value] : found) EXPECT_TRUE(expected.contains(name)) << name << ": " << value;
}

struct Bounds {
  std::vector<std::string> cases;  ///< globs
  std::string name;
  harness::ParameterValue default_value;
  double minimum = none;
  double maximum = none;
  double smallest = none;  ///< besides zero
};

std::string text_of(const harness::ParameterValue& value, double minimum, double maximum, double smallest) {
  return fmt::format("{} by default, from {} to {}, or from {}", harness::to_text(value), minimum, maximum, smallest);
}

std::vector<Bounds> bounds() {
  using Whole = std::int64_t;
  std::vector<Bounds> all;
  // Rows and columns: the smallest product that every library has, and the largest whose matrices have 32-bit sides.
  all.push_back({{"gemm.bf16", "gemm.fp*", "gemm.int8", "gemm.tf32", "stress.*"}, "size", Whole{0}, 0, 65536, 32});
  all.push_back({{"gemm.bf16", "gemm.fp*", "gemm.int8", "gemm.tf32"}, "launches", Whole{0}, 0, 100'000, none});
  all.push_back({{"gemm.by_multiprocessor"}, "rounds", Whole{0}, 0, 1'000'000, none});
  all.push_back({{"stress.*"}, "type", std::string("bf16")});
  all.push_back({{"stress.burn"}, "seconds", 0.0, 0, 24 * 3600, 0.0002});  // a day
  all.push_back({{"stress.pulse"}, "period_ms", 0.0, 0, 60'000});          // a minute
  all.push_back({{"stress.pulse"}, "pulses", Whole{0}, 0, 100'000});
  // Megabytes, so that what begins a copy is nothing beside it; pages where all of memory is looked at.
  all.push_back({{"bandwidth.all_to_all", "bandwidth.both_directions", "bandwidth.device_*", "bandwidth.host_*",
                  "bandwidth.peer_copy", "nccl.*"},
                 "bytes",
                 Whole{0},
                 0,
                 none,
                 1 << 20});
  all.push_back({{"memtest.*"}, "bytes", Whole{0}, 0, none, 4096});
  all.push_back({{"memtest.bit_fade"}, "hold_seconds", 1.0, 0.001, 3600});  // an hour
  all.push_back({{"memtest.stress"}, "inversions", Whole{0}, 0, 1'000'000});
  all.push_back({{"snapshot.plots"}, "save_to", std::string()});
  all.push_back({{"alloc.fuzz"}, "iterations", Whole{10'000}, 1, 1e9});
  all.push_back({{"alloc.fuzz"}, "seed", Whole{123}, 0});
  // A float, and two of them.
  all.push_back({{"alloc.fuzz"}, "minimum_bytes", Whole{2_MiB}, 4});
  all.push_back({{"alloc.fuzz"}, "maximum_bytes", Whole{200_MiB}, 8});
  all.push_back({{"alloc.fuzz"}, "live_bytes", Whole{1_GiB}, 4});
  all.push_back({{"alloc.fuzz"}, "sample_stride_bytes", Whole{0}, 0});
  // Up to ten minutes.
  all.push_back({{"health.clocks", "health.ecc", "health.nvlink", "health.nvlink_quality", "health.pcie_link",
                  "health.pcie_replay", "health.power", "health.processes", "health.temperature"},
                 "window_ms",
                 Whole{0},
                 0,
                 600'000});
  all.push_back({{"health.clocks", "stress.burn"}, "max_slowdown_percent", 1.0, 0, 100});
  all.push_back({{"health.power"}, "max_reduction_percent", 0.0, 0, 100});
  all.push_back({{"health.processes"}, "max_unaccounted", Whole{1_GiB}, 0});
  all.push_back({{"health.pcie_replay"}, "max_new_replays", Whole{80}, 0});
  all.push_back({{"health.xid", "health.kernel_log", "health.row_remap"}, "since", std::string("reset")});
  all.push_back({{"health.xid", "health.kernel_log", "health.row_remap"}, "kernel_log", std::string()});
  all.push_back({{"health.xid"}, "suspect_repeats", Whole{5}, 2});  // one alone repeats nothing
  all.push_back({{"health.ecc"}, "max_uncorrected", Whole{0}, 0});
  all.push_back({{"health.ecc"}, "max_corrected", Whole{20'000'000}, 0});
  all.push_back({{"health.ecc"}, "max_corrected_per_second", 100.0, 0});
  all.push_back({{"health.ecc"}, "max_sram_uncorrected", Whole{4}, 0});
  all.push_back({{"health.ecc"}, "may_be_off", false});
  all.push_back({{"health.row_remap"}, "max_remapped_rows", Whole{512}, 0});
  all.push_back({{"health.row_remap"}, "max_retired_pages", Whole{63}, 0});
  all.push_back({{"health.row_remap"}, "max_banks_without_spares", Whole{0}, 0});
  all.push_back({{"health.inventory"}, "expected_gpus", Whole{0}, 0, 1024});
  // -1 stands for what is known of the device.
  all.push_back({{"health.nvlink"}, "expected_links", Whole{-1}, -1, 64});
  all.push_back({{"health.nvlink", "health.nvlink_quality"}, "max_errors_per_second", 100.0, 0});
  all.push_back({{"health.nvlink", "health.nvlink_quality"}, "max_recoveries", Whole{0}, 0});
  all.push_back({{"health.nvlink_quality"}, "expected_mbps", Whole{0}, 0});
  all.push_back({{"health.pcie_link"}, "expected_generation", Whole{-1}, -1, 8});
  all.push_back({{"health.pcie_link"}, "expected_width", Whole{-1}, -1, 32});
  all.push_back({{"health.temperature"}, "max_gpu_celsius", Whole{0}, 0, 150});
  all.push_back({{"health.temperature"}, "max_memory_celsius", Whole{0}, 0, 150});
  all.push_back({{"health.temperature"}, "max_above_neighbours", Whole{20}, 0, 150});
  return all;
}

TEST(ParametersOfCases, AreBetweenTheBoundsThatFitThem) {
  std::map<std::string, std::string> expected;
  std::map<std::string, std::string> found;
  for (const harness::Case& one : all()) {
    for (const harness::Parameter& each : one.parameters) {
      found[one.name + " " + each.name] = text_of(each.default_value, each.minimum.value_or(none),
                                                  each.maximum.value_or(none), each.smallest.value_or(none));
    }
    for (const Bounds& each : bounds()) {
      for (const std::string& glob : each.cases) {
        if (!harness::matches_glob(glob, one.name)) continue;
        expected[one.name + " " + each.name] = text_of(each.default_value, each.minimum, each.maximum, each.smallest);
      }
    }
  }
  expect_same(found, expected);
}

struct Deadline {
  int seconds;
  std::vector<std::string> cases;  ///< globs
};

std::vector<Deadline> deadlines() {
  return {
      {15, {"graph.default_stream_capture_refused"}},
      {20,
       {"alloc.allocation_excludes", "alloc.pluggable_streams", "pinned.copy_non_blocking", "pinned.to_non_blocking",
        "rng.generator_state_memory", "rng.graph_functional_ops"}},
      // Stacks get their names, or there is a look at the device that lasts a while.
      {30,
       {"alloc.memory_fraction",
        "alloc.oom_retry",
        "alloc.record_stream_oom",
        "alloc.pluggable_latency",
        "alloc.pluggable_leaks",
        "alloc.pluggable_overlap",
        "alloc.pluggable_threads",
        "alloc.recorded_traces",
        "device.count_not_cached_before_init",
        "gemm.by_multiprocessor",
        "health.clocks",
        "health.ecc",
        "health.nvlink",
        "health.nvlink_quality",
        "health.pcie_link",
        "health.pcie_replay",
        "health.power",
        "health.temperature",
        "pinned.host_register_*",
        "rng.randint_large_range_no_reuse",
        "snapshot.direct_traceback",
        "snapshot.formats",
        "snapshot.free_stack_context",
        "snapshot.history_context_toggle",
        "snapshot.native_*",
        "snapshot.objects",
        "snapshot.pickle_read_by_python",
        "snapshot.plots",
        "snapshot.script_frame",
        "snapshot.segment_free_stack",
        "snapshot.state_history"}},
      // Children of asserts begin anew four times; a product, or a buffer, may be large.
      {60,
       {"alloc.pluggable_out_of_memory", "assert.*", "bandwidth.both_directions", "bandwidth.device_*",
        "bandwidth.host_to_device", "bandwidth.latency", "bandwidth.memory_latency", "gemm.bf16", "gemm.fp*",
        "gemm.int8", "gemm.tf32", "pool.thread_routed_allocation", "rng.graph_distributions",
        "rng.multinomial_corner_cases", "rng.no_reused_states"}},
      // Every pair of devices, or as long as somebody asks for.
      {120,
       {"alloc.fuzz", "bandwidth.all_to_all", "bandwidth.host_together", "bandwidth.peer_copy", "nccl.*", "stress.*"}},
      // All of the memory.
      {300, {"memtest.*"}},
  };
}

/// All others may take ten seconds.
TEST(DeadlinesOfCases, AreLongerWhereThereIsMoreToDo) {
  std::map<std::string, double> expected;
  std::map<std::string, double> found;
  for (const harness::Case& one : all()) {
    found[one.name] = std::chrono::duration<double>(one.deadline).count();
    expected[one.name] = 10;
    for (const Deadline& each : deadlines()) {
      const auto is_named = [&one](const std::string& glob) { return harness::matches_glob(glob, one.name); };
      if (std::ranges::any_of(each.cases, is_named)) expected[one.name] = each.seconds;
    }
  }
  expect_same(found, expected);
}

}  // namespace
}  // namespace gpucheck::cases::test_of_bounds
