#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/case/registry.hpp"
#include "harness/result/result.hpp"
#include "harness/run/events.hpp"
#include "harness/values/run_settings.hpp"

namespace gpucheck::runner {

struct Shard {
  int index = 1;  ///< 1-based
  int count = 1;
};

/// One case to run, in the plan's order.
struct PlannedCase {
  const harness::Case* test_case = nullptr;
  /// The run's, narrowed to the case: `case_seed` of the repetition's seed and the name,
  /// and of the parameters only those that the case declares.
  harness::RunSettings settings = {};
  int repetition = 0;
};

/// What a run does. As large for a million repetitions as for one.
struct Plan {
  /// Results known before it begins, a golden file without a case for example: reported first,
  /// as they are, and counted like any other. They are of no device, and tried once.
  std::vector<harness::CaseResult> ready = {};
  std::vector<PlannedCase> cases = {};  ///< of the first repetition, in its order
  int repeat = 1;
  std::uint64_t run_seed = 0;  ///< of the first repetition
  bool shuffle = false;        ///< each repetition has an order of its own

  [[nodiscard]] bool empty() const noexcept { return ready.empty() && cases.empty(); }
  /// The same cases as in the first, with their seeds.
  [[nodiscard]] std::vector<PlannedCase> repetition(int index) const;
};

struct PlanOptions {
  harness::RunSettings settings = {};  ///< parameters: applied to every case that declares the name
  int repeat = 1;
  bool shuffle = false;  ///< order from hashing each name with the seed: a subset keeps its order
  Shard shard = {};      ///< round robin over the selection as given, and then what is ready
};

/// The cases of the site's own in a plan, by name.
std::vector<harness::SiteCase> site_cases(const Plan& plan);

/// The seed a case gets: the upper 53 bits, which every JSON reader keeps, of SplitMix64's
/// finaliser over the mixed run seed xor the FNV-1a hash of the name. Depends on nothing else, so selection, order and
/// sharding do not alter it, and `--seed` reproduces it for one case alone.
std::uint64_t case_seed(std::uint64_t run_seed, std::string_view case_name) noexcept;

/// The run seed that stands for one repetition of `--repeat`: the given one for the
/// first, then one more each time, so that repetitions try different things and each can
/// be run again by its own `--seed`.
std::uint64_t seed_of_repetition(std::uint64_t run_seed, int repetition) noexcept;

/// @param ready known whatever is repeated: each is in the plan once, of one shard.
/// @throws UsageError for a parameter that no selected case declares, with the nearest
/// names, for a text that is not a value of one, and for a shard that does not exist.
Plan make_plan(std::span<const harness::Case* const> selected, const PlanOptions& options,
               std::vector<harness::CaseResult> ready = {});

}  // namespace gpucheck::runner
