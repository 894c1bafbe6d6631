#include "replay/advice/search/choice.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace gpucheck::replay {

namespace {

std::int64_t retries_of(const Row& row) {
  std::int64_t sum = 0;
  for (const RankedSettings& one : row) sum += one.at_smallest.retries;
  return sum;
}

/// Where not, the program may need more than the smallest memory that was found.
bool is_tried_at_all_paces(const Row& row) {
  return std::ranges::all_of(row, [](const RankedSettings& one) { return one.paces_not_tried == 0; });
}

using Rows = std::vector<const Row*>;

bool is_recorded(const Row& row, const Row* recorded) {
  return recorded != nullptr &&
         std::ranges::equal(row, *recorded, {}, &RankedSettings::settings, &RankedSettings::settings);
}

/// The recorded settings, where they may stay, come first: of equals nothing is changed.
Rows contenders_of(const Choices& choices) {
  Rows contenders;
  if (choices.recorded != nullptr && choices.recorded_may_stay) contenders.push_back(choices.recorded);
  for (const Row& row : choices.rows) {
    if (choices.may_be_advised(row) && !is_recorded(row, choices.recorded)) contenders.push_back(&row);
  }
  return contenders;
}

const Row* best_within_limit(const Rows& contenders) {
  Rows fitting;
  std::ranges::copy_if(contenders, std::back_inserter(fitting), [](const Row* row) { return fits(*row); });
  if (fitting.empty()) return nullptr;
  return *std::ranges::min_element(fitting, {}, [](const Row* row) {
    return std::tuple(retries_at_limit(*row), row->front().keys, peak_of(*row), smallest_of(*row).value_or(UINT64_MAX));
  });
}

template <typename Keep>
void keep_only(Rows& rows, Keep&& keep) {
  std::erase_if(rows, [&](const Row* row) { return !keep(*row); });
}

const Row* best_without_limit(Rows contenders) {
  keep_only(contenders, [](const Row& row) { return smallest_of(row).has_value() && is_tried_at_all_paces(row); });
  if (contenders.empty()) return nullptr;
  const auto smallest = [](const Row* row) { return *smallest_of(*row); };
  const std::uint64_t best = smallest(*std::ranges::min_element(contenders, {}, smallest));
  keep_only(contenders, [&](const Row& row) { return *smallest_of(row) <= slightly_more(best); });
  const bool can_do_without_retry =
      std::ranges::any_of(contenders, [](const Row* row) { return retries_of(*row) == 0; });
  if (can_do_without_retry) keep_only(contenders, [](const Row& row) { return retries_of(row) == 0; });
  const auto peak = [](const Row* row) { return peak_of(*row); };
  const std::uint64_t lowest = peak(*std::ranges::min_element(contenders, {}, peak));
  keep_only(contenders, [&](const Row& row) { return peak_of(row) <= lowest + lowest / 100; });
  return *std::ranges::min_element(contenders, {},
                                   [&](const Row* row) { return std::tuple(row->front().keys, smallest(row)); });
}

/// At least a hundredth less memory; or as little, with a tenth less reserved.
bool is_worth_a_change(const Row& row, const Row& recorded) {
  const std::optional<std::uint64_t> before = smallest_of(recorded);
  const std::optional<std::uint64_t> after = smallest_of(row);
  if (!before) return true;
  if (*after < *before && *after <= *before - *before / 100) return true;
  const std::uint64_t peak = peak_of(recorded);
  return *after <= *before && retries_of(row) <= retries_of(recorded) && peak_of(row) < peak - peak / 10;
}

}  // namespace

std::optional<std::uint64_t> smallest_of(const Row& row) {
  std::optional<std::uint64_t> most = 0;
  for (const RankedSettings& one : row) {
    if (!one.smallest_memory_bytes) return std::nullopt;
    most = std::max(most, one.smallest_memory_bytes);
  }
  return most;
}

std::uint64_t peak_of(const Row& row) {
  std::uint64_t most = 0;
  for (const RankedSettings& one : row) most = std::max(most, one.unlimited.peak_reserved_bytes);
  return most;
}

bool fits(const Row& row) {
  return std::ranges::all_of(
      row, [](const RankedSettings& one) { return !one.at_limit || one.at_limit->runs_to_its_end(); });
}

std::int64_t retries_at_limit(const Row& row) {
  std::int64_t sum = 0;
  for (const RankedSettings& one : row) sum += one.at_limit ? one.at_limit->retries : 0;
  return sum;
}

bool reserves_more(const Row& row, const Row& measure, unsigned percent) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::optional<PlayFigures>& at_limit = measure[i].at_limit;
    const bool is_short = at_limit && (!at_limit->runs_to_its_end() || at_limit->retries > 0);
    const std::uint64_t before = measure[i].unlimited.peak_reserved_bytes;
    const std::uint64_t most = before + before / 100 * (percent - 100);
    if (!is_short && row[i].unlimited.peak_reserved_bytes > most) return true;
  }
  return false;
}

Choice choose(const Choices& choices) {
  const Row* const recorded = choices.recorded_may_stay ? choices.recorded : nullptr;
  const Rows contenders = contenders_of(choices);
  if (choices.has_limit) {
    const bool recorded_fits = recorded != nullptr && fits(*recorded);
    const Row* const best = best_within_limit(contenders);
    if (recorded_fits && retries_at_limit(*best) == retries_at_limit(*recorded))
      return {nullptr, AdviceOutcome::recorded_fits};
    if (best != nullptr) return {best, AdviceOutcome::advised};
  }
  const Row* const best = best_without_limit(contenders);
  if (best == nullptr)
    return {nullptr, recorded != nullptr ? AdviceOutcome::recorded_is_as_good : AdviceOutcome::nothing_else};
  const bool is_kept = recorded != nullptr && (best == recorded || !is_worth_a_change(*best, *recorded));
  return is_kept ? Choice{nullptr, AdviceOutcome::recorded_is_as_good} : Choice{best, AdviceOutcome::advised};
}

}  // namespace gpucheck::replay
