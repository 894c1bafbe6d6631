#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "device/fault/plan.hpp"
#include "harness/case/execute.hpp"
#include "telemetry/machine/machine.hpp"

/// Runs a case as a run does, on the simulated device, and keeps what it observed.
namespace gpucheck::cases {

/// What a case observed, and how it ended.
struct Seen {
  harness::Execution execution;
  std::map<std::string, harness::Value> values;

  [[nodiscard]] bool is_completed() const { return execution.status == harness::Execution::Status::completed; }
  [[nodiscard]] bool is_skipped() const { return execution.status == harness::Execution::Status::skipped; }
  // Each throws where the case has not observed it, or something of another kind.
  [[nodiscard]] std::int64_t number(const std::string& key) const;
  [[nodiscard]] double real(const std::string& key) const;
  [[nodiscard]] bool flag(const std::string& key) const;
  [[nodiscard]] std::string text(const std::string& key) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& key) const;
  [[nodiscard]] std::vector<std::int64_t> numbers(const std::string& key) const;
};

/// What is asked of a driver.
enum class Ask {
  machine,   ///< all GPUs, and the host
  gpu,       ///< all readings of one
  gauges,    ///< its gauges, again and again
  counters,  ///< its counters
  network,   ///< network adapters
};

/// Changes what the n-th question of a kind, from 0 on, is answered with. The first question for counters is the
/// harness's own, before the case begins; so is one for gauges, at any time.
using Script = std::function<void(telemetry::Machine& answer, Ask ask, std::size_t n)>;

/// Such a run.
struct CaseRun {
  harness::ParameterValues parameters = {};
  fault::Plan plan = {};
  std::size_t devices = 1;
  std::uint64_t memory_bytes = 0;  ///< of each device; 0: as the simulated device has by default
  bool as_gpu = false;             ///< the driver says that its devices are GPUs
};

/// A built-in case. @throws Error for an unknown name.
[[nodiscard]] const harness::Case& case_named(const std::string& name);

[[nodiscard]] Seen run_case(const harness::Case& test_case, const CaseRun& run = {});
/// The same on the first GPU of a machine.
[[nodiscard]] Seen run_case(const harness::Case& test_case, const telemetry::Machine& machine,
                            const Script& script = nullptr, const harness::ParameterValues& parameters = {},
                            const fault::Plan& plan = {});

/// A machine of so many healthy H100; "GPU-1" is at 0000:01:00.0, and so on.
[[nodiscard]] telemetry::Machine healthy_gpus(std::size_t count);

/// What a driver does not offer, and what it failed to say.
[[nodiscard]] telemetry::Value not_offered();
[[nodiscard]] telemetry::Value not_answered();

}  // namespace gpucheck::cases
