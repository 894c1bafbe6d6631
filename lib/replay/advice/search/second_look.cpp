// What a search passed over for a few percent, and would rather advise.
#include <algorithm>
#include <utility>

#include "replay/advice/search/parallel.hpp"
#include "replay/advice/search/search_run.hpp"

namespace gpucheck::replay {

void Search::add_if_chosen(std::size_t place, std::optional<Row> row) {
  if (!row) return;
  rows_.push_back(*std::move(row));
  if (chosen().row == &rows_.back()) {
    tried_[place].outcome = TriedSettings::Outcome::ranked;
  } else {
    rows_.pop_back();
  }
}

std::optional<std::uint64_t> Search::peak_without_retry(const std::string& settings,
                                                        const std::vector<std::uint64_t>& bounds) const {
  std::uint64_t peak = 0;
  for (std::size_t program = 0; program < programs_.size(); ++program) {
    const auto one = programs_[program].peak_without_retry(settings, bounds[program]);
    if (!one) return std::nullopt;
    peak = std::max(peak, *one);
  }
  return peak;
}

std::vector<Search::PlaceAndPeak> Search::without_retry(std::size_t begin, std::size_t end,
                                                        const std::vector<std::uint64_t>& bounds) {
  std::vector<std::optional<std::uint64_t>> peaks(end - begin);
  for_each_in_parallel(end - begin, options_.threads, [&](std::size_t i) {
    const std::size_t place = different_[begin + i];
    const TriedSettings::Outcome outcome = tried_[place].outcome;
    if (outcome == TriedSettings::Outcome::ranked || outcome == TriedSettings::Outcome::reserves_more) return;
    peaks[i] = peak_without_retry(tried_[place].settings, bounds);
  });
  std::vector<PlaceAndPeak> found;
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    if (peaks[i]) found.emplace_back(different_[begin + i], *peaks[i]);
  }
  return found;
}

void Search::look_for_simplest() {
  std::vector<std::uint64_t> limits;
  for (const Measure& program : programs_) limits.push_back(program.memory_limit_bytes().value_or(most_bytes()));
  for (std::size_t begin = 0; begin < different_.size();) {
    const int keys = keys_of(begin);
    const Choice best = chosen();
    if (best.outcome == AdviceOutcome::recorded_fits && retries_at_limit(*recorded_) == 0) return;
    if (best.row != nullptr && fits(*best.row) && retries_at_limit(*best.row) == 0 && best.row->front().keys < keys) {
      return;
    }
    std::size_t end = begin;
    while (end < different_.size() && keys_of(end) == keys) ++end;
    auto found = without_retry(begin, end, limits);
    begin = end;
    std::ranges::stable_sort(found, {}, &PlaceAndPeak::second);
    for (const auto& [place, peak] : found) {
      share_out_pace_plays();
      add(place, measured(place, std::vector<std::uint64_t>(programs_.size(), most_bytes())));
      if (tried_[place].outcome == TriedSettings::Outcome::ranked) break;  // one that reserves least
    }
  }
}

void Search::look_for_gentler() {
  for (std::size_t begin = 0; begin < different_.size();) {
    const Choice best = chosen();
    if (best.row == nullptr) return;
    std::size_t end = begin;
    while (end < different_.size() && end - begin < search_batch_size && keys_of(end) == keys_of(begin)) ++end;
    const std::uint64_t peak = peak_of(*best.row);
    const bool is_simpler = keys_of(begin) < best.row->front().keys;
    std::uint64_t bound = is_simpler ? peak + peak / 100 : peak - std::min(peak, peak / 100 + 1);
    std::uint64_t least = UINT64_MAX;
    for (const Row& row : rows_) least = std::min(least, smallest_of(row).value_or(UINT64_MAX));
    const bool retries =
        std::ranges::any_of(*best.row, [](const RankedSettings& one) { return one.at_smallest.retries > 0; });
    if (retries) bound = std::max(bound, slightly_more(least));
    const std::vector<std::uint64_t> bounds(programs_.size(), bound);
    const std::vector<std::uint64_t> nearly(programs_.size(), slightly_more(least));
    const auto found = without_retry(begin, end, bounds);
    std::vector<std::optional<Row>> rows(found.size());
    share_out_pace_plays();
    for_each_in_parallel(found.size(), options_.threads,
                         [&](std::size_t i) { rows[i] = try_one(found[i].first, nearly); });
    for (std::size_t i = 0; i < found.size(); ++i) add_if_chosen(found[i].first, std::move(rows[i]));
    begin = end;
  }
}

}  // namespace gpucheck::replay
