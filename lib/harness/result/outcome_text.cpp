#include "harness/result/outcome_text.hpp"

#include <fmt/format.h>
#include <string.h>

namespace gpucheck::harness {

bool is_judged(Outcome outcome) noexcept { return outcome == Outcome::pass || outcome == Outcome::fail; }

bool is_red(Outcome outcome) noexcept { return outcome != Outcome::pass && outcome != Outcome::skip; }

bool is_rule(const Mismatch& mismatch) noexcept { return mismatch.key.starts_with("rule."); }

std::string mismatch_text(const std::vector<Mismatch>& mismatches) {
  if (mismatches.empty()) return {};
  const Mismatch& first = mismatches.front();
  std::string text = fmt::format("{}: expected {}, seen {}", first.key, first.expected, first.seen);
  if (mismatches.size() > 1) text += fmt::format(" (and {} more)", mismatches.size() - 1);
  return text;
}

std::string process_end_text(std::optional<int> exit_code, std::optional<int> signal) {
  if (signal) {
    const char* const name = ::sigabbrev_np(*signal);
    return fmt::format("killed by signal {}{}", *signal, name != nullptr ? fmt::format(" (SIG{})", name) : "");
  }
  if (exit_code) return fmt::format("the process exited with code {} before the case had finished", *exit_code);
  return "the process ended in a way that could not be determined";
}

}  // namespace gpucheck::harness
