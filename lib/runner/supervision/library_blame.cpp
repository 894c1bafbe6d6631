#include "runner/supervision/library_blame.hpp"

#include <fmt/format.h>
#include <string>
#include <string_view>

#include "harness/case/execute.hpp"
#include "harness/result/failure_kinds.hpp"
#include "harness/result/outcome_text.hpp"

namespace gpucheck::runner {
namespace {

using harness::Mismatch;
using harness::Outcome;

std::string code_of(std::string_view failure) { return std::string(harness::find_failure_kind(failure)->code); }

/// The last lines of what a process wrote, in one: why it ended, if it said so.
std::string last_words(std::string_view text) {
  constexpr std::size_t max_bytes = 500;
  if (text.size() > max_bytes) text.remove_prefix(text.size() - max_bytes);
  std::string line;
  for (const char letter : text) line += letter == '\n' ? ' ' : letter;
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

void blame_for_end(harness::CaseResult& result, const std::string& library) {
  const bool died = result.outcome == Outcome::crash;
  const std::string words = last_words(result.error_tail);
  const std::string what = died ? fmt::format("the process ended while the allocator library {} was in use", library)
                                : fmt::format("a case with the allocator library {} did not end", library);
  const std::string seen = words.empty() ? result.reason : fmt::format("{}; last words: {}", result.reason, words);
  result.mismatches.push_back({.key = "allocator_library",
                               .expected = "a library that neither throws nor ends the process, and returns",
                               .seen = seen,
                               .basis = "rule",
                               .failure = code_of("allocator_library_failed")});
  result.reason = fmt::format("{}: {}", what, seen);
  if (died) result.outcome = Outcome::fail;
}

}  // namespace

void blame_library(harness::CaseResult& result, const harness::RunSettings& settings) {
  if (settings.allocator.kind != runtime::AllocatorChoice::Kind::library) return;
  if (result.outcome == Outcome::crash || result.outcome == Outcome::hang) {
    return blame_for_end(result, settings.allocator.library);
  }
  if (result.outcome != Outcome::fail || result.name.starts_with("health.")) return;
  for (Mismatch& mismatch : result.mismatches) {
    if (mismatch.key == fmt::format("rule.{}", harness::hardware_rule)) continue;
    mismatch.failure = code_of("allocator_library_differs");
  }
}

}  // namespace gpucheck::runner
