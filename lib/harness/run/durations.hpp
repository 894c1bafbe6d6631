#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gpucheck::harness {

struct Case;

/// How long cases took where they were measured, with their parameters at the defaults.
class Durations {
 public:
  struct Measured {
    std::optional<std::chrono::milliseconds> on_simulator = {};
    std::optional<std::chrono::milliseconds> on_gpu = {};
  };

  /// Without measurements: each case may take up to its deadline.
  Durations() = default;
  /// A document "gpucheck.durations/1": `cases` says of each case `simulator_ms`, `gpu_ms` or both, and `measured` on
  /// what that was. @throws Error for what is none.
  static Durations parse(std::string_view text);

  void set(std::string case_name, Measured measured) { cases_.insert_or_assign(std::move(case_name), measured); }
  [[nodiscard]] const std::map<std::string, Measured, std::less<>>& cases() const noexcept { return cases_; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> of(std::string_view case_name, bool on_simulator) const;

 private:
  std::map<std::string, Measured, std::less<>> cases_;
};

/// How long a case will take, and on what that is based.
struct Estimate {
  enum class Basis {
    measured,
    deadline,
    skipped,  ///< the case needs the simulated device, and the run has GPUs
  };
  std::chrono::milliseconds time{};
  Basis basis = Basis::deadline;
  bool operator==(const Estimate&) const = default;
};

std::string_view to_text(Estimate::Basis basis) noexcept;

/// As long as was measured; up to its limit where it was not, or where parameters were given, on which it may depend.
/// @param limit at which the case is killed.
Estimate estimate(const Case& test_case, bool has_parameters, bool on_simulator, std::chrono::milliseconds limit,
                  const Durations& durations);

}  // namespace gpucheck::harness
