#include "report/verdict_text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/text/sanitize.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::DeviceVerdict;
using harness::Verdict;

constexpr std::string_view margin = "          ";  // under the verdict

std::string names_line(std::string_view what, const std::vector<std::string>& names) {
  return names.empty() ? "" : fmt::format("{}{}{}\n", margin, what, some_of(names, names.size()));
}

std::string next_step_line(const DeviceVerdict& verdict) {
  const std::string steps = next_steps_text(verdict);
  return steps.empty() ? "" : fmt::format("{}next: {}\n", margin, steps);
}

std::string evidence_of(const DeviceVerdict& verdict) {
  const harness::Counts& counts = verdict.counts;
  if (counts.total() == 0 && counts.not_run == 0) return "no case ran on it";
  if (counts.skip > 0 && counts.skip == counts.total()) return counts_text(counts) + ": nothing is known of it";
  return counts_text(counts);
}

Tone tone_of(Verdict verdict) { return verdict == Verdict::passed ? Tone::good : Tone::bad; }

/// @param identity by which people find it; said where it did not pass.
std::string text_of(const DeviceVerdict& verdict, std::string_view name, const std::string& identity,
                    const Palette& palette) {
  const std::string word = fmt::format("{:<10}", verdict_word(verdict.verdict));
  std::string head =
      fmt::format("{}: {}  {}", name, palette.paint(word, tone_of(verdict.verdict)), evidence_of(verdict));
  if (verdict.verdict != Verdict::passed && !identity.empty()) head += "; " + identity;
  return head + "\n" + names_line("failed: ", verdict.failed) +
         names_line("differs from its peers: ", verdict.failed_comparisons) +
         names_line("not judged: ", verdict.unjudged) +
         names_line(verdict.device == harness::whole_machine ? "failed, but a device is the reason: "
                                                             : "failed, but another device is the reason: ",
                    verdict.failed_by_others) +
         next_step_line(verdict);
}

}  // namespace

std::string_view verdict_word(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, 3> words{"PASSED", "FAILED", "NOT JUDGED"};
  return words[static_cast<std::size_t>(verdict)];
}

std::string next_steps_text(const DeviceVerdict& verdict) {
  std::vector<std::pair<harness::NextAction, std::string>> steps;
  for (const harness::FailureKind* kind : verdict.failures) {
    if (kind == verdict.recovery) continue;
    const std::string reason = fmt::format("{} {}", kind->code, kind->name);
    const auto step = std::ranges::find(steps, kind->action, &decltype(steps)::value_type::first);
    if (step == steps.end()) {
      steps.emplace_back(kind->action, reason);
    } else {
      step->second += ", " + reason;
    }
  }
  std::string text;
  if (const harness::FailureKind* const asked = verdict.recovery) {
    text = fmt::format("{} ({} {}, the driver asks for it)", to_text(asked->action), asked->code, asked->name);
  }
  const char* separator = text.empty() ? "" : "; then ";
  for (const auto& [action, reasons] : steps) {
    text += fmt::format("{}{} ({})", std::exchange(separator, ", "), to_text(action), reasons);
  }
  return text;
}

std::string verdict_text(const DeviceVerdict& verdict, const harness::DeviceIdentity& device, const Palette& palette) {
  const std::string identity = one_line(fmt::format("{} {}", device.uuid, device.pci_bus_id));
  return text_of(verdict, fmt::format("device {}", device.index), identity, palette);
}

std::string machine_verdict_text(const DeviceVerdict& verdict, const Palette& palette) {
  return text_of(verdict, "machine", "", palette);
}

}  // namespace gpucheck::report
