#include "harness/run/exit_codes.hpp"

#include <algorithm>

namespace gpucheck::harness {

bool has_too_many_skips(const Counts& counts, int max_skips) noexcept {
  return max_skips >= 0 && counts.skip > max_skips;
}

ExitCode exit_code(const Counts& counts, int max_skips) noexcept {
  if (counts.fail + counts.crash + counts.hang > counts.waived) return ExitCode::failed;
  // A run of nothing but skips has shown nothing, and neither has one that ended early.
  const bool no_evidence = counts.pass == 0;
  if (counts.error > 0 || counts.not_run > 0 || no_evidence || has_too_many_skips(counts, max_skips))
    return ExitCode::not_judged;
  return ExitCode::passed;
}

ExitCode exit_code_of_no_cases(std::string_view meaning) noexcept {
  return meaning == "pass" || meaning == "warn" ? ExitCode::passed : ExitCode::not_judged;
}

bool is_only_skips(const Counts& counts) noexcept {
  return counts.skip > 0 && counts.skip == counts.total() && counts.not_run == 0;
}

ExitCode exit_code(const Counts& counts, int max_skips, std::optional<int> skip_exit_code) noexcept {
  const bool chosen = skip_exit_code && is_only_skips(counts) && !has_too_many_skips(counts, max_skips);
  return chosen ? static_cast<ExitCode>(*skip_exit_code) : exit_code(counts, max_skips);
}

ExitCode with_lack_of_time(ExitCode code, bool lacked) noexcept {
  return code == ExitCode::passed && lacked ? ExitCode::not_judged : code;
}

Counts without_lacking_repetitions(Counts counts, std::size_t named, bool allowed) noexcept {
  if (allowed) counts.not_run = std::min(counts.not_run, static_cast<std::int64_t>(named));
  return counts;
}

void DeviceEvidence::add(const CaseResult& result) {
  for (const int device : result.devices) shown_[device] = shown_[device] || result.outcome != Outcome::skip;
}

std::vector<int> DeviceEvidence::missing(std::span<const DeviceIdentity> devices) const {
  std::map<int, bool> shown = shown_;
  for (const DeviceIdentity& device : devices) {
    if (!device.problem.empty()) shown[device.index] = false;
  }
  std::vector<int> missing;
  for (const auto& [device, is_shown] : shown) {
    if (!is_shown) missing.push_back(device);
  }
  return missing;
}

ExitCode with_unproven(ExitCode code, const std::vector<int>& unproven_devices) noexcept {
  return code == ExitCode::passed && !unproven_devices.empty() ? ExitCode::not_judged : code;
}

ExitCode with_comparisons(ExitCode code, const std::vector<Comparison>& comparisons) {
  const auto fails = [](const Comparison& comparison) { return is_failure(comparison); };
  return std::ranges::any_of(comparisons, fails) ? ExitCode::failed : code;
}

ExitCode interrupted_exit_code(int signal) noexcept { return static_cast<ExitCode>(128 + signal); }

}  // namespace gpucheck::harness
