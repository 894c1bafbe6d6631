#include "replay/advice/search/search.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "replay/advice/search/parallel.hpp"
#include "replay/advice/search/search_run.hpp"
#include "replay/advice/search/setting_facts.hpp"

namespace gpucheck::replay {

namespace {

/// What all programs asked for, in order.
std::vector<std::uint64_t> sizes_asked_for(std::span<const SearchedProgram> programs) {
  std::set<std::uint64_t> sizes;
  for (const SearchedProgram& program : programs) {
    for (const std::uint64_t size : sizes_asked_for(*program.trace)) sizes.insert(size);
  }
  return {sizes.begin(), sizes.end()};
}

int searched_keys_of(const std::string& settings) {
  return static_cast<int>(std::ranges::count_if(keys_of(settings), [](const std::string& key) {
    return std::ranges::find(searched_keys(), key) != searched_keys().end();
  }));
}

}  // namespace

Search::Search(std::span<const SearchedProgram> programs, const SearchOptions& options)
    : options_(options), settings_(sizes_asked_for(programs)) {
  for (const SearchedProgram& program : programs) {
    programs_.emplace_back(*program.trace, options.devices, program.memory_limit_bytes);
    recorded_settings_.push_back(program.recorded_settings);
    has_limit_ = has_limit_ || program.memory_limit_bytes.has_value();
  }
}

std::vector<SearchResult> Search::run() {
  add_references();
  choose_different();
  for (std::size_t begin = 0; begin < different_.size();) begin = try_batch(begin);
  has_limit_ ? look_for_simplest() : look_for_gentler();
  drop_surpassed();
  return results();
}

void Search::add_references() {
  for (const std::string& settings : options_.references) {
    rows_.push_back(new_row({settings, searched_keys_of(settings)}, true));
    static_cast<void>(settings_.add(settings));
  }
  total_ = rows_.size() + options_.candidates.size();
  share_out_pace_plays();
  for_each_in_parallel(rows_.size(), options_.threads, [&](std::size_t i) {
    for (std::size_t program = 0; program < programs_.size(); ++program) {
      const Measure& measure = programs_[program];
      RankedSettings& row = rows_[i][program];
      measure.find_unlimited(row);
      measure.find_smallest(row, row.unlimited.peak_reserved_bytes, measure.most_bytes(), pace_plays_[program]);
      measure.find_at_limit(row);
    }
    tell_progress(1);
  });
  note_recorded();
}

void Search::share_out_pace_plays() {
  pace_plays_.clear();
  for (const Measure& program : programs_) pace_plays_.push_back(program.pace_plays_for_one());
}

Row Search::new_row(const Candidate& candidate, bool is_reference) const {
  return {programs_.size(),
          RankedSettings{.settings = candidate.settings, .keys = candidate.keys, .is_reference = is_reference}};
}

void Search::note_recorded() {
  measure_ = rows_.front();
  const bool all_are_known =
      std::ranges::all_of(recorded_settings_, [](const auto& settings) { return settings.has_value(); });
  if (!all_are_known) return;
  Row recorded;
  for (std::size_t program = 0; program < programs_.size(); ++program) {
    for (const Row& row : rows_) {
      if (row[program].settings == *recorded_settings_[program]) recorded.push_back(row[program]);
    }
  }
  measure_ = recorded;
  recorded_ = std::move(recorded);
}

void Search::choose_different() {
  for (const Candidate& candidate : options_.candidates) {
    TriedSettings& tried = tried_.emplace_back(TriedSettings{.settings = candidate.settings});
    std::optional<std::string> same = settings_.add(candidate.settings);
    if (!same) {
      different_.push_back(tried_.size() - 1);
      continue;
    }
    tried.outcome = TriedSettings::Outcome::same_as;
    tried.same_as = *std::move(same);
    tell_progress(1);
  }
}

std::size_t Search::try_batch(std::size_t begin) {
  const int keys = keys_of(begin);
  std::size_t end = begin;
  while (end < different_.size() && end - begin < search_batch_size && keys_of(end) == keys) ++end;
  const std::vector<std::uint64_t> bounds = bounds_for(keys);
  std::vector<std::optional<Row>> found(end - begin);
  share_out_pace_plays();
  for_each_in_parallel(end - begin, options_.threads, [&](std::size_t i) {
    const std::size_t place = different_[begin + i];
    tried_[place].bound_bytes = std::ranges::max(bounds);
    found[i] = try_one(place, bounds);
    tell_progress(1);
  });
  for (std::size_t i = 0; i < found.size(); ++i) add(different_[begin + i], std::move(found[i]));
  drop_surpassed();
  return end;
}

void Search::add(std::size_t place, std::optional<Row> row) {
  if (!row) return;
  tried_[place].outcome = TriedSettings::Outcome::ranked;
  rows_.push_back(*std::move(row));
}

int Search::keys_of(std::size_t different) const { return options_.candidates[different_[different]].keys; }

std::vector<std::uint64_t> Search::bounds_for(int keys) const {
  std::uint64_t simpler = UINT64_MAX;
  std::vector<std::uint64_t> ranked;
  bool one_fits = false;
  for (const Row& row : rows_) {
    const std::uint64_t bytes = smallest_of(row).value_or(UINT64_MAX);
    one_fits = one_fits || has_enough(row);
    if (row.front().is_reference || row.front().keys < keys) simpler = std::min(simpler, bytes);
    if (!row.front().is_reference) ranked.push_back(bytes);
  }
  std::vector<std::uint64_t> bounds(programs_.size(), most_bytes());
  if (simpler == UINT64_MAX) return bounds;
  std::uint64_t bound = simpler - std::min(simpler, std::max(simpler / 100, memory_step_bytes));
  if (ranked.size() >= options_.most_ranked) {
    bound = std::min(bound, *std::ranges::max_element(ranked) - memory_step_bytes);
  }
  for (std::size_t program = 0; program < programs_.size(); ++program) {
    bounds[program] = round_down_to_step(bound);
    // Nothing that would make the program fit is given up for a hundredth.
    const auto limit = programs_[program].memory_limit_bytes();
    if (limit && !one_fits) bounds[program] = round_down_to_step(std::max(bound, *limit));
  }
  return bounds;
}

bool Search::has_enough(const Row& row) const {
  for (std::size_t program = 0; program < programs_.size(); ++program) {
    const std::uint64_t limit = programs_[program].memory_limit_bytes().value_or(UINT64_MAX);
    if (row[program].smallest_memory_bytes.value_or(UINT64_MAX) > limit) return false;
  }
  return true;
}

std::uint64_t Search::most_bytes() const { return programs_.front().most_bytes(); }

bool Search::is_too_much(const Row& row) const {
  return options_.most_reserved_percent && reserves_more(row, measure_, *options_.most_reserved_percent);
}

std::optional<Row> Search::try_one(std::size_t place, const std::vector<std::uint64_t>& bounds) {
  const Candidate& candidate = options_.candidates[place];
  for (std::size_t program = 0; program < programs_.size(); ++program) {
    const std::uint64_t bound = bounds[program];
    const Measure& measure = programs_[program];
    if (bound == 0 || bound < measure.least_bytes()) return std::nullopt;
    if (bound < most_bytes() && !measure.runs_within(candidate.settings, bound)) return std::nullopt;
  }
  return measured(place, bounds);
}

std::optional<Row> Search::measured(std::size_t place, const std::vector<std::uint64_t>& bounds) {
  Row row = new_row(options_.candidates[place], false);
  for (std::size_t program = 0; program < programs_.size(); ++program) programs_[program].find_unlimited(row[program]);
  if (is_too_much(row)) {
    tried_[place].outcome = TriedSettings::Outcome::reserves_more;
    return std::nullopt;
  }
  for (std::size_t program = 0; program < programs_.size(); ++program) {
    RankedSettings& one = row[program];
    const std::uint64_t bound = bounds[program];
    programs_[program].find_smallest(one, bound < most_bytes() ? bound : one.unlimited.peak_reserved_bytes, bound,
                                     pace_plays_[program]);
    if (!one.smallest_memory_bytes) return std::nullopt;
    programs_[program].find_at_limit(one);
  }
  return row;
}

Choice Search::chosen() const {
  const auto is_one_of = [](const std::vector<std::string>& texts, const RankedSettings& one) {
    return std::ranges::find(texts, one.settings) != texts.end();
  };
  const auto may_be_advised = [&](const Row& row) {
    return !is_one_of(options_.not_to_advise, row.front()) && !is_too_much(row);
  };
  const auto may_not_stay = [&](const RankedSettings& one) { return is_one_of(options_.not_to_keep, one); };
  return choose({.rows = rows_,
                 .may_be_advised = may_be_advised,
                 .recorded = recorded_ ? &*recorded_ : nullptr,
                 .recorded_may_stay = recorded_ && std::ranges::none_of(*recorded_, may_not_stay),
                 .has_limit = has_limit_});
}

void Search::drop_surpassed() {
  std::ranges::stable_sort(rows_, {}, [](const Row& row) {
    std::int64_t device_allocations = 0;
    for (const RankedSettings& one : row) device_allocations += one.unlimited.device_allocations;
    return std::tuple(smallest_of(row).value_or(UINT64_MAX), device_allocations);
  });
  const Row* const best = chosen().row;
  const std::string kept = best == nullptr ? "" : best->front().settings;
  std::size_t others = 0;
  std::erase_if(rows_, [&](const Row& row) {
    if (row.front().is_reference || ++others <= options_.most_ranked) return false;
    if (best != nullptr && row.front().settings == kept) return false;
    std::ranges::find(tried_, row.front().settings, &TriedSettings::settings)->outcome =
        TriedSettings::Outcome::surpassed;
    return true;
  });
}

std::vector<SearchResult> Search::results() const {
  const Choice best = chosen();
  std::vector<SearchResult> results(programs_.size());
  for (std::size_t program = 0; program < programs_.size(); ++program) {
    SearchResult& result = results[program];
    for (const Row& row : rows_) result.ranking.push_back(row[program]);
    result.tried = tried_;
    result.least_bytes = programs_[program].least_bytes();
    result.play_count = programs_[program].play_count();
    result.other_paces = programs_[program].other_paces();
    result.outcome = best.outcome;
    if (best.row != nullptr) result.advised = best.row->front().settings;
  }
  return results;
}

void Search::tell_progress(std::size_t more) {
  if (!options_.on_progress) return;
  const std::scoped_lock lock(progress_mutex_);
  options_.on_progress(done_ += more, total_);
}

std::vector<SearchResult> search_settings(std::span<const SearchedProgram> programs, const SearchOptions& options) {
  return Search(programs, options).run();
}

SearchResult search_settings(const Trace& trace, const SearchOptions& options) {
  const SearchedProgram program{&trace, options.memory_limit_bytes, options.references.front()};
  return search_settings({&program, 1}, options).front();
}

}  // namespace gpucheck::replay
