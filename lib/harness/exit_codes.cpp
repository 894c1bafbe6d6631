#include "harness/exit_codes.hpp"

namespace gpucheck::harness {

namespace {

bool has_too_many_skips(const Counts& counts, int max_skips) noexcept {
  return max_skips >= 0 && counts.skip > max_skips;
}

}  // namespace

ExitCode exit_code(const Counts& counts, int max_skips) noexcept {
  if (counts.fail + counts.crash + counts.hang > counts.waived) return ExitCode::failed;
  // A run of nothing but skips has shown nothing, and neither has one that ended early.
  const bool no_evidence = counts.pass == 0;
  if (counts.error > 0 || counts.not_run > 0 || no_evidence || has_too_many_skips(counts, max_skips))
    return ExitCode::not_judged;
  return ExitCode::passed;
}

bool is_only_skips(const Counts& counts) noexcept {
  return counts.skip > 0 && counts.skip == counts.total() && counts.not_run == 0;
}

ExitCode exit_code(const Counts& counts, int max_skips, std::optional<int> skip_exit_code) noexcept {
  const bool chosen = skip_exit_code && is_only_skips(counts) && !has_too_many_skips(counts, max_skips);
  return chosen ? static_cast<ExitCode>(*skip_exit_code) : exit_code(counts, max_skips);
}

void DeviceEvidence::add(const CaseResult& result) {
  for (const int device : result.devices) shown_[device] = shown_[device] || result.outcome != Outcome::skip;
}

std::vector<int> DeviceEvidence::missing() const {
  std::vector<int> devices;
  for (const auto& [device, shown] : shown_) {
    if (!shown) devices.push_back(device);
  }
  return devices;
}

ExitCode with_unproven(ExitCode code, const std::vector<int>& unproven_devices) noexcept {
  return code == ExitCode::passed && !unproven_devices.empty() ? ExitCode::not_judged : code;
}

ExitCode interrupted_exit_code(int signal) noexcept { return static_cast<ExitCode>(128 + signal); }

}  // namespace gpucheck::harness
