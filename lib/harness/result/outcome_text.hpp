#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/result/result.hpp"

/// What outcomes mean, and the words for those that are not pass: the same wherever a
/// result is judged or shown.
namespace gpucheck::harness {

/// The case ran to its end, so that its observations are all there are.
bool is_judged(Outcome outcome) noexcept;

/// Something is wrong: with what was checked (fail, crash, hang) or with the checking
/// (error).
bool is_red(Outcome outcome) noexcept;

/// A class-wide rule was broken; else an observation differs.
bool is_rule(const Mismatch& mismatch) noexcept;

/// "key: expected 1, seen 2 (and 3 more)"; "" for none.
std::string mismatch_text(const std::vector<Mismatch>& mismatches);

/// "killed by signal 11 (SIGSEGV)", "the process exited with code 3 before the case had
/// finished".
std::string process_end_text(std::optional<int> exit_code, std::optional<int> signal);

}  // namespace gpucheck::harness
