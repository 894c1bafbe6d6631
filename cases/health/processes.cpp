#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <unistd.h>

#include "cases/shared/health_support.hpp"
#include "device/check.hpp"

namespace gpucheck::cases::in_health::processes {
namespace {

/// The process that started it; 0 where there is none such.
std::int64_t parent_of(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  // Its name stands in brackets and may hold anything; the state and the parent follow.
  const std::size_t end = line.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream words(line.substr(end + 1));
  std::string state;
  std::int64_t parent = 0;
  words >> state >> parent;
  return parent;
}

/// This process, what it started, and what was started beside it: gpucheck's own workers.
bool is_ours(std::int64_t pid) {
  const std::int64_t own = ::getpid();
  return pid == own || parent_of(pid) == own || parent_of(pid) == ::getppid();
}

std::vector<std::int64_t> pids_of(const Gpu& gpu) {
  std::vector<std::int64_t> pids;
  for (const telemetry::Process& process : gpu.processes) pids.push_back(process.pid);
  return pids;
}

/// Memory that no listed process accounts for; none where it is not known: NVML lists the processes of a GPU in MIG
/// mode by instance, and does not say what each process of another container uses.
std::optional<std::int64_t> unaccounted_bytes(const Gpu& gpu) {
  for (const Reading reading : {Reading::memory_used, Reading::memory_graphics, Reading::mig_enabled})
    static_cast<void>(is_offered(gpu, reading));
  const auto used = telemetry::number(gpu[Reading::memory_used]);
  const auto graphics = telemetry::number(gpu[Reading::memory_graphics]);
  if (!used || !graphics || telemetry::flag(gpu[Reading::mig_enabled]) == true) return {};
  std::int64_t left = *used - *graphics;
  for (const telemetry::Process& process : gpu.processes) {
    if (!process.used_memory_bytes) return {};
    left -= *process.used_memory_bytes;
  }
  return std::max<std::int64_t>(left, 0);
}

/// The least of several looks: what programs allocate and free meanwhile is in one answer of the driver and not yet in
/// the other.
std::optional<std::int64_t> least_unaccounted_bytes(harness::Context& context, std::int64_t limit) {
  std::optional<std::int64_t> least;
  for (int look = 0; look < 4; ++look) {
    const auto bytes = unaccounted_bytes(context.telemetry().gpu());
    if (bytes && (!least || *bytes < *least)) least = bytes;
    if (!least || *least <= limit) break;
    std::this_thread::sleep_for(window(context) / 4);
  }
  return least;
}

void observe_memory(harness::Context& context) {
  const auto limit = context.parameter<std::int64_t>("max_unaccounted");
  const auto bytes = least_unaccounted_bytes(context, limit);
  std::vector<std::string> found;
  if (bytes && *bytes > limit) found.push_back(fmt::format("{} bytes, limit {}", *bytes, limit));
  observe_known(context, "memory_without_process", bytes ? std::optional(found) : std::nullopt);
  if (bytes) return context.observe("memory_without_process_bytes", *bytes);
  context.observe("memory_without_process_bytes", "unknown");
}

void run(harness::Context& context) {
  device::check(context.device(), context.device().synchronize(), "synchronize");  // which makes a context
  const Gpu gpu = context.telemetry().gpu();
  if (gpu.processes_failed) throw EnvironmentError("the processes cannot be read: " + gpu.processes_problem);
  if (!gpu.processes_problem.empty()) throw harness::Skip("the processes are not known: " + gpu.processes_problem);
  const std::vector<std::int64_t> pids = pids_of(gpu);
  if (std::ranges::count(pids, ::getpid()) == 0) {
    throw harness::Skip("the driver does not list this process itself: it counts processes as another container does");
  }
  std::vector<std::int64_t> others;
  std::ranges::copy_if(pids, std::back_inserter(others), [](std::int64_t pid) { return !is_ours(pid); });
  context.observe("other_processes", others);
  context.observe("processes", pids.size());
  observe_memory(context);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.processes",
      .summary = "Nobody else computes on the GPU, and no memory is held by a process that is gone",
      .source = std::string(nvml_documentation),
      .parameters = {window_parameter(),
                     {.name = "max_unaccounted",
                      .summary = "Memory in use that no listed process accounts for and that is accepted",
                      .default_value = std::int64_t{1} << 30U,
                      .unit = "bytes",
                      .minimum = 0}},
      // The first process of a machine is nobody's child.
      .faults = {{.name = "foreign_process",
                  .summary = "another program computes on the GPU",
                  .telemetry = telemetry::always(Aspect::process, std::int64_t{1})},
                 {.name = "memory_left_behind",
                  .summary = "memory is in use, and nobody is there who uses it",
                  .telemetry = telemetry::always(Reading::memory_used, std::int64_t{64} << 30U)},
                 {.name = "mig_mode_fails",
                  .summary = "the driver fails to say whether MIG is on, in which it lists processes elsewhere",
                  .telemetry = telemetry::failing(Reading::mig_enabled)},
                 {.name = "graphics_memory_fails",
                  .summary = "the driver fails to say how much memory graphics programs use",
                  .telemetry = telemetry::failing(Reading::memory_graphics)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::processes
