#include "application.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <sys/resource.h>
#include <vector>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "commands/cli/cli.hpp"
#include "input/devices/devices.hpp"
#include "output/error_report.hpp"
#include "output/terminal.hpp"
#include "runner/process/signals.hpp"
#include "runner/worker/worker.hpp"

namespace gpucheck::application {

namespace {

/// Cases use little of the stack, but not nothing, and what has too little of it dies
/// without a word.
void require_stack() {
  constexpr rlim_t min_bytes = rlim_t{256} << 10U;
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= min_bytes) return;
  throw EnvironmentError(fmt::format("the stack is limited to {}, and {} are needed: ulimit -s 8192, for example",
                                     format_bytes(stack.rlim_cur), format_bytes(min_bytes)));
}

}  // namespace

int run_application(int argc, char** argv, const harness::Registry& registry, const GoldenFactory& embedded_goldens,
                    const DurationsFactory& durations, const ContractFactory& contract) {
  const auto start = std::chrono::steady_clock::now();
  open_standard_streams();
  try {
    require_stack();
    // Workers are started often: they skip the building of the whole command line.
    const std::vector<const char*> words(argv + std::min(argc, 1), argv + argc);
    if (const std::optional<int> served = runner::hidden_command(words, registry, open_driver)) return *served;
    // To the end of the process: a signal that comes when all is written must not change its exit code.
    [[maybe_unused]] static const auto* const signals = new runner::SignalGuard;
    const Environment environment{registry, embedded_goldens, {argv, argv + argc}, start, durations, contract};
    return with_output(run_command_line(environment));
  } catch (const std::exception& error) {
    return report_error(error);
  }
}

}  // namespace gpucheck::application
