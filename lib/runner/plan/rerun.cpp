#include "runner/plan/rerun.hpp"

#include <fmt/format.h>

#include "base/text/shell_text.hpp"

namespace gpucheck::runner {

std::string rerun_command(std::string_view case_name, const harness::RunSettings& settings) {
  std::string command = fmt::format("gpucheck run {}", shell_quoted(case_name));
  for (const std::string& word : harness::to_options(settings)) command += fmt::format(" {}", shell_quoted(word));
  if (!settings.fault.empty()) command += fmt::format(" --fault {}", shell_quoted(settings.fault));
  return command;
}

std::string rerun_command(const PlannedCase& planned, const Options& options, std::string_view device) {
  harness::RunSettings settings = planned.settings;
  settings.device = device;
  settings.seed = seed_of_repetition(options.settings.seed, planned.repetition);
  std::string command = rerun_command(planned.test_case->name, settings);
  if (options.timeout) command += fmt::format(" --timeout {}ms", options.timeout->count());
  const bool has_library = settings.allocator.kind == runtime::AllocatorChoice::Kind::library;  // implies it
  if (options.isolation == Isolation::process && !has_library) command += " --isolate process";
  // All is said here; a file that is found where it is typed would add to it.
  if (options.configuration) command += " --no-config";
  return command;
}

}  // namespace gpucheck::runner
