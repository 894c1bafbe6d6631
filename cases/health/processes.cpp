#include <algorithm>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "cases/health/support.hpp"
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

void run(harness::Context& context) {
  device::check(context.device(), context.device().synchronize(), "synchronize");  // which makes a context
  const Gpu gpu = context.telemetry().gpu();
  if (!gpu.processes_problem.empty()) throw harness::Skip("the processes are not known: " + gpu.processes_problem);
  const std::vector<std::int64_t> pids = pids_of(gpu);
  if (std::ranges::count(pids, ::getpid()) == 0) {
    throw harness::Skip("the driver does not list this process itself: it counts processes as another container does");
  }
  std::vector<std::int64_t> others;
  std::ranges::copy_if(pids, std::back_inserter(others), [](std::int64_t pid) { return !is_ours(pid); });
  context.observe("other_processes", others);
  context.observe("processes", pids.size());
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.processes",
      .summary = "Nobody else computes on the GPU",
      .source = std::string(nvml_documentation),
      // The first process of a machine is nobody's child.
      .faults = {{.name = "foreign_process",
                  .summary = "another program computes on the GPU",
                  .telemetry = telemetry::always(Aspect::process, std::int64_t{1})}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::processes
