#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "base/text/units.hpp"
#include "replay/advice/advice.hpp"
#include "replay/advice/search/choice.hpp"
#include "replay/tests/simulated_devices.hpp"

/// Whoever follows advice must not be worse off than before: of programs made by chance.
namespace gpucheck::replay {
namespace {

#ifdef GPUCHECK_TEST_SANITIZED  // which takes ten times as long
constexpr unsigned program_count = 12;
#else
constexpr unsigned program_count = 60;
#endif

/// Steps with sizes of their own that keep some blocks, as training with texts of every length
/// does; and blocks of every size that come and go without order.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    snapshot_.device_traces.resize(1);
    static constexpr const char* recorded[] = {"",
                                               "expandable_segments:True",
                                               "max_split_size_mb:64",
                                               "expandable_segments:True,max_split_size_mb:128",
                                               "roundup_power2_divisions:4",
                                               "pinned_num_register_threads:4"};
    snapshot_.settings.text = recorded[seed % std::size(recorded)];
    const bool has_order = random_() % 2 == 0;
    for (int part = 0; part < 12; ++part) has_order ? step() : churn();
  }
  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }

 private:
  struct Block {
    std::uint64_t address;
    std::uint64_t bytes;
  };

  void add(SnapshotAction action, const Block& block) {
    SnapshotEvent event;
    event.address = block.address;
    event.size = block.bytes;
    event.action = action;
    snapshot_.device_traces[0].push_back(event);
  }
  Block allocate(std::uint64_t bytes) {
    const Block block{++number_ << 34U, bytes};
    add(SnapshotAction::alloc, block);
    return block;
  }
  void free(const Block& block) { add(SnapshotAction::free_completed, block); }
  std::uint64_t size_up_to(std::uint64_t bytes) { return 512 + random_() % bytes; }

  void step() {
    const std::uint64_t length = 1 + random_() % 12;
    std::vector<Block> activations;
    for (int layer = 0; layer < 4; ++layer) {
      const Block scratch = allocate(length * length * 700'000);
      activations.push_back(allocate(length * 3_MiB));
      activations.push_back(allocate(size_up_to(9000)));
      free(scratch);
    }
    if (random_() % 3 == 0) kept_.push_back(allocate(size_up_to(8_MiB)));
    for (; !activations.empty(); activations.pop_back()) free(activations.back());
  }

  void churn() {
    for (int i = 0; i < 10; ++i) {
      const std::uint64_t largest = random_() % 3 == 0 ? 90_MiB : random_() % 2 == 0 ? 12_MiB : 600'000;
      kept_.push_back(allocate(size_up_to(largest)));
      if (kept_.size() < 8 && random_() % 3 != 0) continue;
      const std::size_t place = random_() % kept_.size();
      free(kept_[place]);
      kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }

  std::mt19937 random_;
  std::uint64_t number_ = 0;
  std::vector<Block> kept_;
  Snapshot snapshot_;
};

Advice advice_of(const RandomProgram& program, std::optional<std::uint64_t> limit = std::nullopt) {
  Snapshot snapshot = program.snapshot();
  AdviceRequest request;
  request.memory_limit_bytes = limit;
  request.devices = simulated_devices();
  request.threads = 2;
  return advise(snapshot, 0, request);
}

PlayFigures played(const RandomProgram& program, const std::string& settings,
                   std::optional<std::uint64_t> limit = std::nullopt) {
  const Conversion conversion = convert(program.snapshot(), 0);
  return play(conversion.trace, {.settings = settings, .memory_limit_bytes = limit}, simulated_devices());
}

std::string recorded(const RandomProgram& program) { return *program.snapshot().settings.text; }

TEST(AdviceDoesNoHarm, NothingAdvisedReservesATenthMore) {
  int advised = 0;
  for (unsigned seed = 0; seed < program_count; ++seed) {
    const RandomProgram program(seed);
    const Advice advice = advice_of(program);
    if (advice.advised() == nullptr) continue;
    ++advised;
    const std::string& settings = advice.advised()->settings;
    EXPECT_FALSE(combines_expandable_with_split_limit(settings)) << seed << ": " << settings;
    EXPECT_LE(played(program, settings).peak_reserved_bytes * 10,
              played(program, recorded(program)).peak_reserved_bytes * 11)
        << seed << ": " << settings << " instead of " << recorded(program);
  }
  EXPECT_GE(advised * 3, static_cast<int>(program_count)) << "else nothing has been looked at";
}

TEST(AdviceDoesNoHarm, TheSimplestThatFitsWithoutARetryIsAdvised) {
  int with_advice = 0;
  for (unsigned seed = 0; seed < program_count / 5; ++seed) {
    const RandomProgram program(seed);
    const Advice free = advice_of(program);
    const std::uint64_t peak = played(program, recorded(program)).peak_reserved_bytes;
    const std::uint64_t limit = (free.search.least_bytes + peak) / 2;
    const Advice advice = advice_of(program, limit);
    const auto is_clean = [&](const std::string& settings) {
      const PlayFigures figures = played(program, settings, limit);
      return figures.runs_to_its_end() && figures.retries == 0;
    };
    if (advice.search.outcome == AdviceOutcome::recorded_fits) {
      EXPECT_TRUE(played(program, recorded(program), limit).runs_to_its_end()) << seed;
      continue;
    }
    if (advice.advised() == nullptr || !advice.fits()) continue;
    ++with_advice;
    const RankedSettings& best = *advice.advised();
    const bool best_is_clean = is_clean(best.settings);
    EXPECT_FALSE(combines_expandable_with_split_limit(best.settings));
    for (const Candidate& candidate : search_space()) {
      const bool is_simple = best_is_clean ? candidate.keys < best.keys : true;
      if (!is_simple || candidate.settings.find("garbage") != std::string::npos) continue;
      EXPECT_FALSE(is_clean(candidate.settings)) << seed << ": " << candidate.settings << " and not " << best.settings;
    }
  }
  EXPECT_GE(with_advice * 20, static_cast<int>(program_count)) << "else nothing has been looked at";
}

// ---- what is chosen, by numbers that can be checked by hand --------------------------

RankedSettings row(const std::string& settings, int keys, std::uint64_t smallest, std::int64_t retries,
                   std::uint64_t peak) {
  RankedSettings one{.settings = settings, .keys = keys};
  one.smallest_memory_bytes = smallest * 1_MiB;
  one.at_smallest.retries = retries;
  one.unlimited.peak_reserved_bytes = peak * 1_MiB;
  return one;
}

RankedSettings within(RankedSettings one, std::int64_t retries, bool runs = true) {
  one.at_limit.emplace();
  one.at_limit->retries = retries;
  one.at_limit->out_of_memory_count = runs ? 0U : 1U;
  return one;
}

std::string chosen(std::vector<RankedSettings> settings, bool has_limit = false, bool recorded_may_stay = true) {
  std::vector<Row> rows;
  for (RankedSettings& one : settings) rows.push_back({std::move(one)});
  const Choice choice = choose({.rows = rows,
                                .may_be_advised = [](const Row&) { return true; },
                                .recorded = rows.data(),
                                .recorded_may_stay = recorded_may_stay,
                                .has_limit = has_limit});
  return choice.row == nullptr ? "nothing" : choice.row->front().settings;
}

TEST(Choice, OfWhatNeedsNearlyAsLittleTheGentlest) {
  const RankedSettings recorded_row = row("recorded", 0, 200, 0, 200);
  EXPECT_EQ(chosen({recorded_row, row("a", 1, 100, 2, 180), row("b", 1, 103, 0, 103)}), "b") << "no retry";
  EXPECT_EQ(chosen({recorded_row, row("a", 1, 100, 2, 180), row("b", 1, 104, 0, 104)}), "a") << "over 3% more";
  EXPECT_EQ(chosen({recorded_row, row("a", 1, 100, 2, 180), row("b", 2, 102, 1, 150)}), "b") << "reserves less";
  EXPECT_EQ(chosen({recorded_row, row("a", 2, 100, 0, 100), row("b", 1, 101, 0, 101)}), "b") << "fewer keys";
  EXPECT_EQ(chosen({recorded_row, row("a", 2, 100, 0, 100), row("b", 1, 103, 0, 103)}), "a") << "3% more reserved";
}

TEST(Choice, NothingIsChangedWithoutNeed) {
  EXPECT_EQ(chosen({row("recorded", 3, 100, 0, 100), row("a", 1, 100, 0, 100)}), "nothing");
  EXPECT_EQ(chosen({row("recorded", 0, 1000, 0, 1000), row("a", 1, 991, 0, 991)}), "nothing") << "less than 1%";
  EXPECT_EQ(chosen({row("recorded", 0, 1000, 0, 1000), row("a", 1, 990, 0, 980)}), "a");
  EXPECT_EQ(chosen({row("recorded", 0, 100, 3, 200), row("a", 1, 100, 0, 100)}), "a")
      << "as little memory, half of what is reserved, no retry";
  EXPECT_EQ(chosen({row("recorded", 0, 100, 0, 100), row("a", 1, 120, 0, 120)}, false, false), "a")
      << "what was recorded may not stay";
}

TEST(Choice, WithALimitTheSimplestThatFits) {
  const RankedSettings recorded_row = within(row("recorded", 0, 200, 0, 200), 0, false);
  EXPECT_EQ(chosen({recorded_row, within(row("a", 2, 100, 0, 100), 0), within(row("b", 1, 140, 0, 140), 0)}, true),
            "b");
  EXPECT_EQ(chosen({recorded_row, within(row("a", 2, 100, 0, 100), 0), within(row("b", 1, 140, 0, 190), 1)}, true), "a")
      << "b has to retry";
  EXPECT_EQ(chosen({recorded_row, within(row("a", 2, 100, 0, 100), 3), within(row("b", 1, 140, 0, 190), 4)}, true),
            "a");
  EXPECT_EQ(chosen({within(row("recorded", 3, 200, 0, 200), 0), within(row("a", 1, 100, 0, 100), 0)}, true), "nothing")
      << "what was recorded fits";
  EXPECT_EQ(chosen({within(row("recorded", 0, 200, 0, 200), 2), within(row("a", 1, 100, 0, 100), 2)}, true), "nothing");
  EXPECT_EQ(chosen({within(row("recorded", 0, 200, 0, 200), 2), within(row("a", 1, 100, 0, 100), 1)}, true), "a");
  EXPECT_EQ(chosen({recorded_row, within(row("a", 1, 100, 0, 100), 0, false)}, true), "a") << "none fits: least memory";
}

TEST(Choice, OfSeveralProgramsWhatTheWorstNeeds) {
  const Row mild{row("a", 1, 100, 0, 100), row("a", 1, 300, 0, 300)};
  EXPECT_EQ(smallest_of(mild), 300_MiB);
  EXPECT_EQ(peak_of(mild), 300_MiB);
  const Row recorded_row{row("", 0, 100, 0, 100), row("", 0, 260, 0, 260)};
  EXPECT_TRUE(reserves_more(mild, recorded_row, 110)) << "of the second program";
  EXPECT_FALSE(reserves_more(mild, recorded_row, 116));
  Row is_short = recorded_row;
  is_short[1] = within(is_short[1], 0, false);
  EXPECT_FALSE(reserves_more(mild, is_short, 110)) << "its memory is short";
}

}  // namespace
}  // namespace gpucheck::replay
