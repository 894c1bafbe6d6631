#include "commands/cases/run_estimate.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <queue>
#include <string_view>
#include <utility>

#include "base/text/count_text.hpp"
#include "input/devices/devices.hpp"
#include "report/wording.hpp"
#include "runner/plan/schedule.hpp"

namespace gpucheck::application {

namespace {

using harness::Case;
using harness::Estimate;
using std::chrono::milliseconds;

/// "auto" is looked at as closely as files allow: no driver is asked.
bool is_simulator(const std::string& device) {
  check_device_name(device);
  if (device != "auto") return device.starts_with("sim");
  return !std::filesystem::exists("/dev/nvidiactl") && !std::filesystem::exists("/proc/driver/nvidia/version");
}

std::vector<runner::Load> loads_of(const std::vector<const Case*>& cases) {
  std::vector<runner::Load> loads;
  for (const Case* test_case : cases) {
    loads.push_back({.exclusive = test_case->needs.exclusive,
                     .host_link = test_case->needs.host_link,
                     .memory_share = test_case->needs.memory_fraction});
  }
  return loads;
}

/// Plays the run: each case is started as the supervisor would, and ends when its time is over.
milliseconds play(const std::vector<const Case*>& cases, const std::vector<Estimate>& estimates, int jobs) {
  using End = std::pair<milliseconds, std::size_t>;
  runner::Schedule schedule(loads_of(cases), jobs);
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  milliseconds now{};
  while (true) {
    while (const auto index = schedule.next()) ends.emplace(now + estimates[*index].time, *index);
    if (ends.empty()) return now;
    const auto [end, index] = ends.top();
    ends.pop();
    now = end;
    schedule.finished(index);
  }
}

std::string_view basis_text(Estimate::Basis basis) {
  switch (basis) {
    case Estimate::Basis::measured:
      return "measured";
    case Estimate::Basis::skipped:
      return "skipped: it needs the simulated device";
    case Estimate::Basis::deadline:
      break;
  }
  return "at most: its deadline";
}

std::string text_of(milliseconds time) { return report::format_duration(static_cast<double>(time.count())); }

}  // namespace

RunEstimate estimate_run(const std::vector<const Case*>& cases, const std::string& device, int jobs,
                         const harness::Durations& durations) {
  RunEstimate estimate;
  estimate.on_simulator = is_simulator(device);
  estimate.jobs = jobs > 0 ? jobs : runner::default_jobs(!estimate.on_simulator);
  for (const Case* test_case : cases) {
    estimate.cases.push_back(
        harness::estimate(*test_case, false, estimate.on_simulator, test_case->deadline, durations));
  }
  const auto count = [&estimate](Estimate::Basis basis) {
    return static_cast<std::size_t>(std::ranges::count(estimate.cases, basis, &Estimate::basis));
  };
  estimate.measured = count(Estimate::Basis::measured);
  estimate.unmeasured = count(Estimate::Basis::deadline);
  estimate.side_by_side = play(cases, estimate.cases, estimate.jobs);
  return estimate;
}

std::string estimate_text(const std::vector<const Case*>& cases, const RunEstimate& estimate) {
  std::size_t width = 0;
  for (const Case* test_case : cases) width = std::max(width, test_case->name.size());
  std::string text;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    text += fmt::format("{:<{}}  {:>9}  {}\n", cases[i]->name, width, text_of(estimate.cases[i].time),
                        basis_text(estimate.cases[i].basis));
  }
  const std::size_t unmeasured = estimate.unmeasured;
  const char* const place = estimate.on_simulator ? "the simulated device" : "each GPU";
  const std::string basis = unmeasured == 0
                                ? fmt::format("all were measured on {}", estimate.on_simulator ? "one" : "a GPU")
                                : fmt::format("{} of them count with their deadlines, as they were not measured on {}",
                                              unmeasured, estimate.on_simulator ? "a simulated device" : "a GPU");
  return text + fmt::format("{} on {}, {} at a time: {}{}, and the start of the workers; {}\n",
                            count_text(cases.size(), "case"), place, estimate.jobs,
                            unmeasured == 0 ? "about " : "at most ", text_of(estimate.side_by_side), basis);
}

}  // namespace gpucheck::application
