#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "acceptance/bundle/archive.hpp"
#include "acceptance/bundle/head.hpp"
#include "acceptance/contract/verdict.hpp"

namespace gpucheck::acceptance {

/// What came of checking a bundle.
struct Verification {
  /// Whatever is wrong with it, each in one line; none where it is as gpucheck wrote it, and all that follows from its
  /// observations is as it says. The first forty.
  std::vector<std::string> problems = {};
  std::size_t problems_left_out = 0;
  std::optional<BundleHead> head = {};
  std::size_t runs = 0;                   ///< journals that were judged again
  std::size_t results = 0;                ///< in them
  std::optional<JudgedRuns> judged = {};  ///< what follows from the observations; absent where some cannot be read

  [[nodiscard]] bool is_intact() const noexcept { return problems.empty(); }
  /// The contract's verdict, where the bundle may be believed.
  [[nodiscard]] harness::Verdict verdict() const noexcept;
};

/// Reads a bundle once, from its start to its end, judges all observations again and compares with what it says. Never
/// writes anything. Of what is in the bundle one file at a time is held, and of runs what `RunEvidence` keeps.
/// @param contract as this gpucheck has it: the only one that it can vouch for
/// @param version of this gpucheck, for messages
/// @throws what `read` throws; a bundle that is wrong is a problem, not an error.
Verification verify(const ReadBytes& read, const Contract& contract, const std::string& version);

}  // namespace gpucheck::acceptance
