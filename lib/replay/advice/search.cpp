#include "replay/advice/search.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/rounding.hpp"
#include "replay/advice/alike.hpp"
#include "replay/analysis/recorded_usage.hpp"
#include "runtime/allocator/rounding.hpp"

namespace gpucheck::replay {

namespace {

/// So many are tried against one bound, however many threads there are: the result must
/// not depend on them.
constexpr std::size_t batch_size = 16;

/// Calls `work(i)` for each i below `count`; throws what the first of them to fail threw.
template <typename Work>
void for_each_in_parallel(std::size_t count, unsigned threads, Work&& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < std::min<std::size_t>(threads, count); ++i) others.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

/// How often it is tried, at one pace each, whether settings do that were found to do at the recorded one. Fewer the
/// longer that takes.
Pace tries_of(std::size_t steps) {
  constexpr std::size_t most_steps = 8'000'000;
  return static_cast<Pace>(std::clamp<std::size_t>(most_steps / steps, 8, 64));
}

std::uint64_t round_down(std::uint64_t bytes) { return bytes / memory_step_bytes * memory_step_bytes; }

class Search {
 public:
  Search(const Trace& trace, const SearchOptions& options)
      : trace_(trace), options_(options), likeness_(sizes_asked_for(trace)) {
    result_.least_bytes = least_bytes(trace);
    const auto waits = [](const Event& event) { return event.action == Action::free_later; };
    if (std::ranges::any_of(trace.events, waits)) result_.other_paces = tries_of(trace.events.size());
  }

  SearchResult run() {
    add_references();
    choose_different();
    for (std::size_t begin = 0; begin < different_.size();) begin = try_batch(begin);
    finish();
    return std::move(result_);
  }

 private:
  void add_references() {
    std::vector<RankedSettings>& ranking = result_.ranking;
    for (const std::string& settings : options_.references) {
      ranking.push_back({.settings = settings, .is_reference = true});
      parsed_.push_back(runtime::parse_settings(settings));
      remember(settings);
    }
    total_ = ranking.size() + options_.candidates.size();
    for_each_in_parallel(ranking.size(), options_.threads, [&](std::size_t i) {
      ranking[i].unlimited = play_with(ranking[i].settings, std::nullopt, false);
      find_smallest(ranking[i], ranking[i].unlimited.peak_reserved_bytes, most_bytes());
      tell_progress(1);
    });
  }

  /// The settings parsed last are known by their rounding.
  void remember(const std::string& settings) {
    by_rounding_.emplace(likeness_.rounding_hash(parsed_.back()), std::pair(parsed_.size() - 1, settings));
  }

  void choose_different() {
    for (const Candidate& candidate : options_.candidates) {
      TriedSettings& tried = result_.tried.emplace_back(TriedSettings{.settings = candidate.settings});
      const runtime::AllocatorSettings parsed = runtime::parse_settings(candidate.settings);
      const auto [first, last] = by_rounding_.equal_range(likeness_.rounding_hash(parsed));
      const auto same = std::find_if(
          first, last, [&](const auto& known) { return likeness_.plays_alike(parsed_[known.second.first], parsed); });
      if (same == last) {
        different_.push_back(result_.tried.size() - 1);
        parsed_.push_back(parsed);
        remember(candidate.settings);
        continue;
      }
      tried.outcome = TriedSettings::Outcome::same_as;
      tried.same_as = same->second.second;
      tell_progress(1);
    }
  }

  /// Tries some that set equally many keys. Returns where the next ones begin.
  std::size_t try_batch(std::size_t begin) {
    const int keys = keys_of(begin);
    std::size_t end = begin;
    while (end < different_.size() && end - begin < batch_size && keys_of(end) == keys) ++end;
    const std::uint64_t bound = bound_for(keys);
    std::vector<std::optional<RankedSettings>> found(end - begin);
    for_each_in_parallel(end - begin, options_.threads, [&](std::size_t i) {
      const Candidate& candidate = options_.candidates[different_[begin + i]];
      found[i] = try_one(candidate, bound);
      tell_progress(1);
    });
    for (std::size_t i = 0; i < found.size(); ++i) {
      TriedSettings& tried = result_.tried[different_[begin + i]];
      tried.bound_bytes = bound;
      if (!found[i]) continue;
      tried.outcome = TriedSettings::Outcome::ranked;
      result_.ranking.push_back(*std::move(found[i]));
    }
    drop_surpassed();
    return end;
  }

  [[nodiscard]] int keys_of(std::size_t different) const { return options_.candidates[different_[different]].keys; }

  /// The most memory that settings may need which are still of interest.
  [[nodiscard]] std::uint64_t bound_for(int keys) const {
    std::uint64_t simpler = UINT64_MAX;
    std::uint64_t best = UINT64_MAX;
    std::vector<std::uint64_t> ranked;
    for (const RankedSettings& row : result_.ranking) {
      const std::uint64_t bytes = row.smallest_memory_bytes.value_or(UINT64_MAX);
      best = std::min(best, bytes);
      if (row.keys < keys) simpler = std::min(simpler, bytes);
      if (!row.is_reference) ranked.push_back(bytes);
    }
    if (simpler == UINT64_MAX) return most_bytes();
    std::uint64_t bound = simpler - std::min(simpler, std::max(simpler / 100, memory_step_bytes));
    if (ranked.size() >= options_.most_ranked) {
      bound = std::min(bound, *std::ranges::max_element(ranked) - memory_step_bytes);
    }
    // Nothing that would make the program fit is given up for a hundredth.
    const auto& limit = options_.memory_limit_bytes;
    if (limit && best > *limit) bound = std::max(bound, *limit);
    return round_down(bound);
  }

  /// What any device there can be has at most.
  [[nodiscard]] std::uint64_t most_bytes() const {
    return options_.devices.sizes ? options_.devices.sizes->max_bytes : UINT64_MAX;
  }

  std::optional<RankedSettings> try_one(const Candidate& candidate, std::uint64_t bound) {
    if (bound == 0 || bound < result_.least_bytes) return std::nullopt;
    const bool is_bounded = bound < most_bytes();
    if (is_bounded && !play_with(candidate.settings, bound, true).runs_to_its_end()) return std::nullopt;
    RankedSettings row{.settings = candidate.settings, .keys = candidate.keys};
    row.unlimited = play_with(row.settings, std::nullopt, false);
    find_smallest(row, is_bounded ? bound : row.unlimited.peak_reserved_bytes, bound);
    if (!row.smallest_memory_bytes) return std::nullopt;
    return row;
  }

  /// @param runs memory that it runs in, as far as is known
  /// @param most what needs more is of no interest
  void find_smallest(RankedSettings& row, std::uint64_t runs, std::uint64_t most) {
    if (!row.unlimited.runs_to_its_end()) return;
    row.at_smallest = row.unlimited;
    if (result_.least_bytes == 0) row.smallest_memory_bytes = 0;
    if (result_.least_bytes == 0) return;
    std::uint64_t fails = round_up(result_.least_bytes, memory_step_bytes) - memory_step_bytes;
    runs = std::max(round_up(runs, memory_step_bytes), fails + memory_step_bytes);
    // An expandable segment that has to grow by a little is asked for the whole block: its
    // peak alone may be too little.
    for (std::uint64_t more = memory_step_bytes; !runs_in(row, runs); more *= 2) {
      fails = runs;
      if (most_bytes() - runs < more) return;
      runs += more;
    }
    while (runs - fails > memory_step_bytes) {
      const std::uint64_t middle = round_down(fails + (runs - fails) / 2);
      (runs_in(row, middle) ? runs : fails) = middle;
    }
    row.smallest_memory_bytes = result_.other_paces > 0 ? steady_from(row, runs, most) : runs;
  }

  /// The least memory from `bytes` on in which the trace runs however its frees fall: in some more, memory is cut up
  /// otherwise, and may not do where less did.
  std::optional<std::uint64_t> steady_from(RankedSettings& row, std::uint64_t bytes, std::uint64_t most) {
    constexpr std::uint64_t share = 20;
    for (Pace pace = 0; pace <= result_.other_paces;) {
      const std::uint64_t tried = bytes + round_down(bytes / share * pace / result_.other_paces);
      const PlayFigures figures = play_with(row.settings, tried, true, pace);
      if (figures.runs_to_its_end()) {
        if (pace++ == 0) row.at_smallest = figures;
        continue;
      }
      bytes = tried + memory_step_bytes;
      if (bytes > most) return std::nullopt;
      pace = 0;
    }
    return bytes;
  }

  bool runs_in(RankedSettings& row, std::uint64_t bytes) {
    const PlayFigures figures = play_with(row.settings, bytes, true);
    if (figures.runs_to_its_end()) row.at_smallest = figures;
    return figures.runs_to_its_end();
  }

  PlayFigures play_with(const std::string& settings, std::optional<std::uint64_t> limit, bool stops, Pace pace = 0) {
    ++play_count_;
    return play(trace_, {settings, limit, stops, pace}, options_.devices);
  }

  /// The references stay, and of the others those that need least.
  void drop_surpassed() {
    std::ranges::stable_sort(result_.ranking, {}, [](const RankedSettings& row) {
      return std::tuple(row.smallest_memory_bytes.value_or(UINT64_MAX), row.unlimited.device_allocations);
    });
    std::size_t others = 0;
    std::erase_if(result_.ranking, [&](const RankedSettings& row) {
      if (row.is_reference || ++others <= options_.most_ranked) return false;
      std::ranges::find(result_.tried, row.settings, &TriedSettings::settings)->outcome =
          TriedSettings::Outcome::surpassed;
      return true;
    });
  }

  void finish() {
    drop_surpassed();
    if (options_.memory_limit_bytes) {
      for_each_in_parallel(result_.ranking.size(), options_.threads, [&](std::size_t i) {
        RankedSettings& row = result_.ranking[i];
        row.at_limit = play_with(row.settings, options_.memory_limit_bytes, false);
      });
    }
    result_.play_count = play_count_;
  }

  void tell_progress(std::size_t more) {
    if (!options_.on_progress) return;
    const std::scoped_lock lock(progress_mutex_);
    options_.on_progress(done_ += more, total_);
  }

  const Trace& trace_;
  const SearchOptions& options_;
  Likeness likeness_;
  std::vector<runtime::AllocatorSettings> parsed_;  ///< of all that are played
  /// Place in `parsed_`, and text, by the hash of what sizes are rounded to.
  std::unordered_multimap<std::uint64_t, std::pair<std::size_t, std::string>> by_rounding_;
  std::vector<std::size_t> different_;  ///< candidates to be played
  std::atomic<std::uint64_t> play_count_ = 0;
  std::mutex progress_mutex_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
  SearchResult result_;
};

}  // namespace

std::uint64_t least_bytes(const Trace& trace) {
  std::vector<std::uint64_t> block_bytes(trace.allocation_count);
  RunningTotal allocated;
  for (const Event& event : trace.events) {
    const bool is_try = event.action == Action::try_allocate;
    if (event.action == Action::allocate || is_try) {
      allocated.change(block_bytes[event.id] = runtime::round_up_to_block(event.size));
    }
    if (frees(event.action) || is_try) allocated.change(0 - std::exchange(block_bytes[event.id], 0));
  }
  return allocated.peak();
}

SearchResult search_settings(const Trace& trace, const SearchOptions& options) { return Search(trace, options).run(); }

}  // namespace gpucheck::replay
