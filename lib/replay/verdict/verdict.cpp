#include "replay/verdict/verdict.hpp"

#include <algorithm>
#include <functional>

namespace gpucheck::replay {

std::string_view to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::equal:
      return "equal";
    case Verdict::differs:
      return "differs";
    case Verdict::fits:
      return "fits";
    case Verdict::out_of_memory:
      return "out_of_memory";
    case Verdict::nothing_to_compare:
      return "nothing_to_compare";
    case Verdict::empty:
      return "empty";
  }
  return "";
}

Verdict judge(const Evidence& evidence) {
  if (!evidence.has_events) return Verdict::empty;
  if (evidence.is_compared) {
    const bool all_equal = !evidence.are_equal.empty() && std::ranges::all_of(evidence.are_equal, std::identity{});
    return all_equal ? Verdict::equal : Verdict::differs;
  }
  if (!evidence.asks_for_memory) return Verdict::nothing_to_compare;
  const bool fits = std::ranges::any_of(evidence.are_out_of_memory, std::logical_not{});
  return fits ? Verdict::fits : Verdict::out_of_memory;
}

Outcome outcome_of(std::span<const Verdict> verdicts) {
  using enum Verdict;
  const auto any = [verdicts](Verdict one, Verdict other) {
    return std::ranges::any_of(verdicts, [&](Verdict verdict) { return verdict == one || verdict == other; });
  };
  if (any(differs, out_of_memory)) return Outcome::failed;
  if (verdicts.empty() || any(nothing_to_compare, empty)) return Outcome::not_judged;
  return Outcome::passed;
}

}  // namespace gpucheck::replay
