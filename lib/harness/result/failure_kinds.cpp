#include "harness/result/failure_kinds.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <iterator>

#include "harness/result/kinds_of_gpus.hpp"
#include "harness/result/kinds_of_software.hpp"
#include "harness/result/result.hpp"

namespace gpucheck::harness {
namespace {

/// By code.
constexpr auto all_kinds = [] {
  std::array<FailureKind, std::size(kinds::of_gpus) + std::size(kinds::of_software)> all{};
  std::ranges::copy(kinds::of_software, std::ranges::copy(kinds::of_gpus, all.begin()).out);
  return all;
}();

template <typename Enumeration, std::size_t count>
std::string_view word(const std::string_view (&words)[count], Enumeration value) noexcept {
  return words[static_cast<std::size_t>(value)];
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

/// Signals that a program does not bring upon itself: somebody sends them.
bool is_from_outside(std::optional<int> signal) {
  constexpr std::array sent{SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2};
  return signal && std::ranges::find(sent, *signal) != sent.end();
}

std::string_view name_of(const CaseResult& result) {
  switch (result.outcome) {
    case Outcome::crash:
      return is_from_outside(result.signal) ? "process_killed" : "crash";
    case Outcome::hang:
      return "hang";
    case Outcome::error:
      return "not_judged";
    default:
      return {};
  }
}

/// What the driver asks for; null for a case of several devices, which may be about the others.
const FailureKind* recovery_of(const CaseResult& result) {
  if (result.devices.size() != 1 || result.telemetry.size() != 1) return nullptr;
  return find_failure_kind(recovery_asked_for(result.telemetry.front()));
}

/// Each once, the most severe first.
std::vector<const FailureKind*> kinds_of(std::string_view first, const std::vector<Mismatch>& mismatches) {
  std::vector<const FailureKind*> found;
  const auto add = [&found](std::string_view code_or_name) {
    const FailureKind* const kind = find_failure_kind(code_or_name);
    if (kind != nullptr && std::ranges::find(found, kind) == found.end()) found.push_back(kind);
  };
  add(first);
  for (const Mismatch& mismatch : mismatches) add(mismatch.failure);
  std::ranges::stable_sort(found, std::ranges::greater{}, [](const FailureKind* kind) { return kind->severity; });
  return found;
}

}  // namespace

std::string_view to_text(Severity severity) noexcept { return word({"warning", "serious", "critical"}, severity); }

std::string_view to_text(FailureCategory category) noexcept {
  return word({"configuration", "memory", "compute", "interconnect", "power_and_heat", "software", "tool"}, category);
}

std::string_view to_text(NextAction action) noexcept {
  return word({"rerun", "configure", "reset", "reboot", "drain", "replace"}, action);
}

std::span<const FailureKind> failure_kinds() noexcept { return all_kinds; }

const FailureKind* find_failure_kind(std::string_view code_or_name) noexcept {
  const auto* const found = std::ranges::find_if(all_kinds, [&](const FailureKind& kind) {
    return kind.name == code_or_name || equal_in_any_case(kind.code, code_or_name);
  });
  return found == std::end(all_kinds) ? nullptr : found;
}

std::vector<const FailureKind*> failures_of(const CaseResult& result) {
  if (result.outcome == Outcome::pass) return {};
  if (result.outcome == Outcome::skip) return kinds_of(lacked_time(result) ? run_deadline_failure : "", {});
  // What is known to have caused a crash, a hang or an error says more than that there was one.
  std::vector<const FailureKind*> causes = kinds_of({}, result.mismatches);
  if (causes.empty()) causes = kinds_of(name_of(result), {});
  if (const FailureKind* const recovery = recovery_of(result)) {
    std::erase(causes, recovery);
    causes.insert(causes.begin(), recovery);
  }
  return causes;
}

std::vector<const FailureKind*> warned_of(const CaseResult& result) { return kinds_of({}, result.warnings); }

bool lacked_time(const CaseResult& result) {
  const std::string_view code = find_failure_kind(run_deadline_failure)->code;
  return std::ranges::find(result.mismatches, code, &Mismatch::failure) != result.mismatches.end();
}

bool failed_by_speed_alone(const CaseResult& result) {
  const auto is_of_speed = [](const Mismatch& mismatch) {
    const FailureKind* const kind = find_failure_kind(mismatch.failure);
    return kind != nullptr && kind->of_speed;
  };
  return result.outcome == Outcome::fail && !result.mismatches.empty() &&
         std::ranges::all_of(result.mismatches, is_of_speed);
}

}  // namespace gpucheck::harness
