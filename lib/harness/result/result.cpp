#include "harness/result/result.hpp"

#include <algorithm>

namespace gpucheck::harness {

bool is_failure(Outcome outcome) noexcept {
  return outcome == Outcome::fail || outcome == Outcome::crash || outcome == Outcome::hang;
}

bool is_marked(const CaseResult& result) noexcept {
  const auto warns = [](const Measurement& one) { return one.verdict == "warn"; };
  return result.outcome == Outcome::pass &&
         (!result.warnings.empty() || std::ranges::any_of(result.measurements, warns));
}

std::string_view to_text(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::pass:
      return "pass";
    case Outcome::fail:
      return "fail";
    case Outcome::error:
      return "error";
    case Outcome::crash:
      return "crash";
    case Outcome::hang:
      return "hang";
    case Outcome::skip:
      return "skip";
  }
  return "error";  // a value that is not an outcome was never judged
}

void Counts::add(const CaseResult& result) noexcept {
  if (result.waiver) ++waived;
  switch (result.outcome) {
    case Outcome::pass:
      ++pass;
      if (result.flaky) ++flaky;
      return;
    case Outcome::fail:
      ++fail;
      return;
    case Outcome::crash:
      ++crash;
      return;
    case Outcome::hang:
      ++hang;
      return;
    case Outcome::skip:
      ++skip;
      return;
    case Outcome::error:
      break;
  }
  ++error;
}

}  // namespace gpucheck::harness
