#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "replay/advice/search/alike.hpp"
#include "replay/advice/search/choice.hpp"
#include "replay/advice/search/measure.hpp"
#include "replay/advice/search/search.hpp"

namespace gpucheck::replay {

/// So many settings are tried against one bound, however many threads there are: the result must not depend on them.
inline constexpr std::size_t search_batch_size = 16;

/// One search. For one thread, which starts others.
class Search {
 public:
  Search(std::span<const SearchedProgram> programs, const SearchOptions& options);
  std::vector<SearchResult> run();

 private:
  void add_references();
  /// Between batches, not within one: the result must not depend on which thread is first.
  void share_out_pace_plays();
  [[nodiscard]] Row new_row(const Candidate& candidate, bool is_reference) const;
  /// The rows are sorted soon: what is compared with is kept beside them.
  void note_recorded();
  void choose_different();
  /// Tries some that set equally many keys. Returns where the next ones begin.
  std::size_t try_batch(std::size_t begin);
  void add(std::size_t place, std::optional<Row> row);
  void add_if_chosen(std::size_t place, std::optional<Row> row);
  [[nodiscard]] int keys_of(std::size_t different) const;
  /// The most memory that settings may need which are still of interest, by program.
  [[nodiscard]] std::vector<std::uint64_t> bounds_for(int keys) const;
  [[nodiscard]] bool has_enough(const Row& row) const;
  [[nodiscard]] std::uint64_t most_bytes() const;
  [[nodiscard]] bool is_too_much(const Row& row) const;
  /// Writes to nothing but what was tried at `place`.
  std::optional<Row> try_one(std::size_t place, const std::vector<std::uint64_t>& bounds);
  std::optional<Row> measured(std::size_t place, const std::vector<std::uint64_t>& bounds);
  [[nodiscard]] Choice chosen() const;
  /// The highest of what is reserved by the programs; nothing where one of them is short of memory.
  [[nodiscard]] std::optional<std::uint64_t> peak_without_retry(const std::string& settings,
                                                                const std::vector<std::uint64_t>& bounds) const;
  /// Those that are not ranked and may be advised: places in `different_` from `begin` to `end`, and for each the peak
  /// where it runs without a retry within `bounds`.
  using PlaceAndPeak = std::pair<std::size_t, std::uint64_t>;
  std::vector<PlaceAndPeak> without_retry(std::size_t begin, std::size_t end, const std::vector<std::uint64_t>& bounds);
  /// The simplest settings that fit without a retry may need more than others, and have been passed over for that.
  void look_for_simplest();
  /// Settings that do with nearly as little and need no retry, or reserve less, have been passed over for a few
  /// percent.
  void look_for_gentler();
  /// The references stay, and of the others those that need least, and what is advised.
  void drop_surpassed();
  [[nodiscard]] std::vector<SearchResult> results() const;
  void tell_progress(std::size_t more);

  const SearchOptions& options_;
  std::deque<Measure> programs_;
  std::vector<std::optional<std::string>> recorded_settings_;  ///< by program
  bool has_limit_ = false;
  std::vector<std::uint64_t> pace_plays_;  ///< by program: for each of the settings of this batch
  DifferentSettings settings_;
  std::vector<std::size_t> different_;  ///< candidates to be played
  std::vector<Row> rows_;
  std::vector<TriedSettings> tried_;
  Row measure_;                  ///< what no other may reserve much more than
  std::optional<Row> recorded_;  ///< where all could be played
  std::mutex progress_mutex_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
};

}  // namespace gpucheck::replay
