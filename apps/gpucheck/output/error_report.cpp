#include "output/error_report.hpp"

#include "base/error.hpp"
#include "base/files/waiting_for_files.hpp"
#include "harness/run/exit_codes.hpp"
#include "output/terminal.hpp"

namespace gpucheck::application {

int report_error(const std::exception& error) {
  note(error.what());
  if (const auto* interrupted = dynamic_cast<const InterruptedError*>(&error)) {
    return static_cast<int>(harness::interrupted_exit_code(interrupted->signal()));
  }
  const bool usage = dynamic_cast<const UsageError*>(&error) != nullptr;
  return static_cast<int>(usage ? harness::ExitCode::usage : harness::ExitCode::not_judged);
}

int with_output(int exit_code) {
  try {
    flush_output();
    return exit_code;
  } catch (const EnvironmentError& problem) {
    const int lost = report_error(problem);
    return exit_code == 0 ? lost : exit_code;
  }
}

}  // namespace gpucheck::application
