#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/events.hpp"
#include "misbehaving_cases.hpp"
#include "runner/process/signals.hpp"
#include "runner/runner.hpp"

/// A gpucheck in small: workers and children for the tests of the runner, and
/// `supervise GLOB…`, a supervisor that the tests can kill.
namespace gpucheck::runner::testing {
namespace {

/// One line for each event.
class LineSink final : public harness::EventSink {
 public:
  void on(const harness::RunStarted& event) override {
    std::printf("started %zu on %s\n", event.selected.size(),
                event.devices.empty() ? "" : event.devices.front().kind.c_str());
    std::fflush(stdout);
  }
  void on(const harness::CaseStarted& event) override {
    std::printf("case %s\n", event.name.c_str());
    std::fflush(stdout);
  }
  void on(const harness::CaseFinished& event) override {
    std::printf("%s %s\n", std::string(harness::to_text(event.result.outcome)).c_str(), event.result.name.c_str());
    std::fflush(stdout);
  }
  void on(const harness::RunFinished& event) override {
    std::printf("finished %d not_run %zu signal %d\n", event.counts.total(), event.not_run.size(),
                event.interrupted_by_signal);
    std::fflush(stdout);
  }
};

int supervise(std::vector<std::string> globs) {
  [[maybe_unused]] static const auto* const signals =
      new SignalGuard;  // to the end of the process, as in the application
  const harness::Registry registry = misbehaving_registry();
  const auto selected = registry.select(globs);
  const auto plan = make_plan(selected, {});
  const char* device = std::getenv("GPUCHECK_RUNNER_TEST_DEVICE");
  Options options;
  options.program = "/proc/self/exe";
  options.settings.device = device != nullptr ? device : "sim";
  options.jobs = 2;
  LineSink sink;
  harness::EventSink* const sinks[] = {&sink};
  return static_cast<int>(run(plan, misbehaving_goldens(), options, sinks).exit_code);
}

int start(std::span<const char* const> arguments) {
  const harness::Registry registry = misbehaving_registry();
  if (const auto served = hidden_command(arguments, registry, open_simulated_driver)) return *served;
  if (!arguments.empty() && std::string_view(arguments.front()) == "supervise") {
    return supervise({arguments.begin() + 1, arguments.end()});
  }
  std::fprintf(stderr, "usage: gpucheck_misbehaving supervise GLOB...\n");
  return 2;
}

}  // namespace
}  // namespace gpucheck::runner::testing

int main(int count, char** words) {
  try {
    return gpucheck::runner::testing::start({words + 1, words + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
