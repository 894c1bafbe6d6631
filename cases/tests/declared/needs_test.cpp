#include "harness/case/needs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "cases/registration.hpp"
#include "harness/case/registry.hpp"

// What cases need, and why. A case that says less than it needs is disturbed by others, or disturbs them, and one that
// says more is skipped, or waits, where it could run: no run on the simulated device would show either.
namespace gpucheck::cases::test_of_needs {
namespace {

using harness::Needs;
using Names = std::set<std::string>;

const std::vector<harness::Case>& every_case() {
  static const std::vector<harness::Case> cases = all();
  return cases;
}

/// The cases that globs name; each has to name one at least.
Names named_by(const std::vector<std::string>& globs) {
  Names names;
  for (const std::string& glob : globs) {
    const std::size_t before = names.size();
    for (const harness::Case& one : every_case()) {
      if (harness::matches_glob(glob, one.name)) names.insert(one.name);
    }
    EXPECT_GT(names.size(), before) << glob << " names no case, or one that is named before";
  }
  return names;
}

struct Need {
  const char* name;
  bool (*is_needed)(const Needs& needs);
  std::vector<std::string> by;
};

void PrintTo(const Need& need, std::ostream* out) { *out << need.name; }

class NeedsOfCases : public testing::TestWithParam<Need> {};

TEST_P(NeedsOfCases, AreThoseForWhichThereIsAReason) {
  Names found;
  for (const harness::Case& one : every_case()) {
    if (GetParam().is_needed(one.needs)) found.insert(one.name);
  }
  EXPECT_EQ(found, named_by(GetParam().by));
}

const Need needs[] = {
    // They look at the machine, which may have no device.
    {"no_device",
     [](const Needs& n) { return n.devices == 0; },
     {"health.inventory", "health.kernel_log", "health.network_*", "health.software"}},
    // Devices send to each other, or share the way to the host, or one is current and another one is used.
    {"two_devices",
     [](const Needs& n) { return n.devices == 2; },
     {"bandwidth.all_to_all", "bandwidth.host_together", "bandwidth.peer_copy", "nccl.*", "stream.devices"}},
    {"no_third_device", [](const Needs& n) { return n.devices < 0 || n.devices > 2; }, {}},
    // A link, or a share of one, that only some pair of devices uses is measured by all of them.
    {"every_device",
     [](const Needs& n) { return n.every_device; },
     {"bandwidth.all_to_all", "bandwidth.host_together", "bandwidth.peer_copy", "fabric.*", "nccl.*"}},
    // What they check is the process's own: hooks, markers, what a library does when it is first used.
    {"any_device",
     [](const Needs& n) { return n.any_device; },
     {"trace.*", "host.lazy_init", "host.nvtx_ranges", "host.no_optional_backend_on_first_use",
      "device.count_not_cached_before_init"}},
    // They measure what the device does in a time, load all of it, take most of its memory, compare how much of it is
    // free, or poison a context, with whatever else is on the device.
    {"exclusive",
     [](const Needs& n) { return n.exclusive; },
     {"bandwidth.*", "fabric.*", "gemm.*", "nccl.*", "memtest.*", "stress.*", "assert.*", "graph.concurrent_replay",
      "graph.repeat_capture_cublas_workspace", "alloc.memory_fraction", "alloc.oom_retry", "alloc.pluggable_leaks",
      "alloc.pluggable_out_of_memory"}},
    // Their speeds are held to limits: clocks must not be held down by what ran before.
    {"idle", [](const Needs& n) { return n.idle; }, {"bandwidth.*", "gemm.*", "nccl.*"}},
    // They communicate with the other processes of a job.
    {"several_processes", [](const Needs& n) { return n.several_processes; }, {"fabric.*"}},
    // They measure the way between a device and the host, which devices may share.
    {"host_link",
     [](const Needs& n) { return n.host_link; },
     {"bandwidth.both_directions", "bandwidth.device_to_host", "bandwidth.host_to_device"}},
    // They see what a process does first, or leave behind what no other case may find: hooks of the process, access to
    // another device's memory, a thread that never ends, what the user's library keeps, a capture that all threads
    // are held to.
    {"own_process",
     [](const Needs& n) { return n.own_process; },
     {"trace.*", "host.lazy_init", "host.nvtx_ranges", "device.count_not_cached_before_init", "bandwidth.all_to_all",
      "bandwidth.peer_copy", "alloc.allocation_excludes", "alloc.pluggable_*", "graph.capture_error_modes"}},
    // They call the functions of a library of the user's.
    {"allocator_library", [](const Needs& n) { return n.allocator_library; }, {"alloc.pluggable_*"}},
    // That stream is what they are about; hooks of streams and events see one of the pool being made otherwise.
    {"default_stream",
     [](const Needs& n) { return n.default_stream; },
     {"graph.default_stream_capture_refused", "stream.default_and_user", "trace.device_synchronize", "trace.event_*",
      "trace.memcpy_synchronize", "trace.stream_*"}},
    // Traces of six GiB are replayed in memory that nobody has to have.
    {"simulated_device", [](const Needs& n) { return n.simulated_device; }, {"alloc.recorded_traces"}},
    // They open no device: what that library reads is all that they look at.
    {"management_library",
     [](const Needs& n) { return n.libraries == std::vector{std::string(harness::management_library)}; },
     {"nvml.*", "health.ecc", "health.inforom", "health.fabric", "health.mode", "health.nvlink",
      "health.nvlink_quality", "health.recovery", "health.row_remap", "health.xid"}},
};

INSTANTIATE_TEST_SUITE_P(Each, NeedsOfCases, testing::ValuesIn(needs),
                         [](const auto& info) { return std::string(info.param.name); });

/// Whoever waits for a cell to fade decides for how long.
TEST(CasesOnRequest, AreThoseThatTakeAsLongAsOneGivesThem) {
  Names found;
  for (const harness::Case& one : every_case()) {
    if (one.on_request) found.insert(one.name);
  }
  EXPECT_EQ(found, Names{"memtest.bit_fade"});
}

}  // namespace
}  // namespace gpucheck::cases::test_of_needs
