#include "fleet/history/drift.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace gpucheck::fleet {
namespace {

constexpr std::size_t fleets_tried = 400;

/// Series of GPUs whose values scatter by a share, each around a level of its own.
class Fleets {
 public:
  explicit Fleets(std::uint64_t seed) : random_(seed) {}

  std::vector<std::vector<double>> steady(std::size_t gpus, std::size_t runs, double scatter) {
    std::vector<std::vector<double>> series(gpus);
    for (std::vector<double>& one : series) {
      const double level = std::log(3000) + 0.02 * normal_(random_);
      for (std::size_t run = 0; run < runs; ++run) one.push_back(level + scatter * normal_(random_));
    }
    return series;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

TEST(DriftLimit, IsWhatTablesOfCumulativeSumsSay) {
  // Average run lengths of a one-sided sum with an allowance of 0.5: 168 with a limit of 4, 465 with 5 (Montgomery,
  // Introduction to Statistical Quality Control, gives those of both sides together: half as much).
  EXPECT_NEAR(drift_limit(2 * 168, 0.5), 4, 0.02);
  EXPECT_NEAR(drift_limit(2 * 465, 0.5), 5, 0.02);
  EXPECT_EQ(drift_limit(1, 0.5), 0);
  // exp(2b) - 2b - 1 = 2 x 500000 where b = 6.9078, of which 1.166 is the overshoot.
  EXPECT_NEAR(drift_limit(500'000, 1), 5.742, 0.001);
}

TEST(Drift, IsFoundInSteadySeriesAsRarelyAsSaid) {
  // One more value of 50 series, a hundred times in ten fleets: with half an alarm in each such step 500 are expected.
  const DriftRules rules{.false_alarms = 0.5, .least_loss = 0};
  std::size_t alarms = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<std::vector<double>> series = Fleets(seed).steady(50, 106, 0.003);
    std::vector<bool> was_one(series.size());
    for (std::size_t runs = 6; runs <= 106; ++runs) {
      std::vector<std::vector<double>> until;
      until.reserve(series.size());
      for (const std::vector<double>& one : series)
        until.emplace_back(one.begin(), one.begin() + static_cast<int>(runs));
      const auto drifts = find_drifts(until, series.size(), rules);
      for (std::size_t i = 0; i < drifts.size(); ++i) {
        if (drifts[i].has_value() && !was_one[i]) ++alarms;
        was_one[i] = drifts[i].has_value();
      }
    }
  }
  // A sum that reached its limit is not put back, and may cross it again: somewhat more alarms than sums that begin.
  EXPECT_GT(alarms, 250U);
  EXPECT_LT(alarms, 1000U);
}

TEST(Drift, IsNotFoundInAFleetThatDoesNotChange) {
  // 20 metrics of 50 GPUs, each looked at in its last run: 0.01 alarms are expected in each fleet.
  std::size_t alarms = 0;
  for (std::size_t trial = 0; trial < fleets_tried; ++trial) {
    for (const auto& drift : find_drifts(Fleets(trial).steady(50, 20, 0.003), 1000))
      if (drift.has_value()) ++alarms;
  }
  EXPECT_LE(alarms, 3U) << "0.2 are expected in 400 fleets_tried of one metric out of 20";
}

TEST(Drift, OfOnePercentIsFoundInTwelveRuns) {
  std::size_t found = 0;
  std::size_t others = 0;
  std::size_t placed = 0;
  double loss = 0;
  for (std::size_t trial = 0; trial < fleets_tried; ++trial) {
    std::vector<std::vector<double>> series = Fleets(1000 + trial).steady(50, 32, 0.003);
    for (std::size_t run = 20; run < 32; ++run) series[7][run] += std::log(0.99);
    const auto drifts = find_drifts(series, std::size_t{8000} * 30);
    for (std::size_t i = 0; i < drifts.size(); ++i)
      if (i != 7 && drifts[i].has_value()) ++others;
    if (!drifts[7].has_value()) continue;
    ++found;
    loss += drifts[7]->loss;
    if (std::abs(static_cast<double>(drifts[7]->since) - 20) <= 3) ++placed;
    EXPECT_GT(drifts[7]->scores, 4);
  }
  EXPECT_GE(static_cast<double>(found), 0.95 * static_cast<double>(fleets_tried));
  EXPECT_GE(static_cast<double>(placed), 0.95 * static_cast<double>(found));
  EXPECT_NEAR(loss / static_cast<double>(found), 0.01, 0.001);
  EXPECT_EQ(others, 0U);
}

TEST(Drift, OfThreePercentIsFoundInFourRuns) {
  std::size_t found = 0;
  for (std::size_t trial = 0; trial < fleets_tried; ++trial) {
    std::vector<std::vector<double>> series = Fleets(3000 + trial).steady(50, 24, 0.003);
    for (std::size_t run = 20; run < 24; ++run) series[7][run] += std::log(0.97);
    if (find_drifts(series, std::size_t{8000} * 30)[7].has_value()) ++found;
  }
  EXPECT_GE(static_cast<double>(found), 0.95 * static_cast<double>(fleets_tried));
}

TEST(Drift, ThatIsSlowIsFoundBeforeItIsThreePercent) {
  std::size_t found = 0;
  for (std::size_t trial = 0; trial < fleets_tried; ++trial) {
    std::vector<std::vector<double>> series = Fleets(2000 + trial).steady(50, 30, 0.003);
    for (std::size_t run = 10; run < 30; ++run) series[3][run] += 0.0015 * (10.0 - static_cast<double>(run));
    if (find_drifts(series, std::size_t{8000} * 30)[3].has_value()) ++found;
  }
  EXPECT_GE(static_cast<double>(found), 0.95 * static_cast<double>(fleets_tried));
}

/// A level, and steps of a thousandth up and down: what scatters by that.
std::vector<double> flat(std::size_t runs) {
  std::vector<double> series;
  for (std::size_t run = 0; run < runs; ++run) series.push_back(8 + (run % 2 == 0 ? 0.001 : -0.001));
  return series;
}

TEST(Drift, IsNoSingleOddRun) {
  std::vector<std::vector<double>> series(3, flat(30));
  series[0][29] -= 0.5;
  EXPECT_THAT(find_drifts(series, 3), testing::Each(std::nullopt));
}

TEST(Drift, IsNoGain) {
  std::vector<std::vector<double>> series(3, flat(40));
  for (std::size_t run = 20; run < 40; ++run) series[0][run] += 0.05;
  EXPECT_THAT(find_drifts(series, 3), testing::Each(std::nullopt));
}

TEST(Drift, BeginsWithTheFirstWorseRun) {
  std::vector<std::vector<double>> series(3, flat(40));
  for (std::size_t run = 30; run < 40; ++run) series[1][run] += std::log(0.98);
  const auto drifts = find_drifts(series, 3);
  EXPECT_FALSE(drifts[0].has_value());
  EXPECT_FALSE(drifts[2].has_value());
  ASSERT_TRUE(drifts[1].has_value());
  EXPECT_EQ(drifts[1]->since, 30U);
  EXPECT_NEAR(drifts[1]->loss, 0.02, 1e-9);
}

TEST(Drift, NeedsAPastAndALossThatMatters) {
  const auto drifts_in = [](std::size_t runs, std::size_t since, double loss, const DriftRules& rules) {
    std::vector<std::vector<double>> series(9, flat(runs));
    for (std::size_t run = since; run < runs; ++run) series[0][run] += std::log(1 - loss);
    return find_drifts(series, 1, rules)[0].has_value();
  };
  EXPECT_TRUE(drifts_in(12, 5, 0.05, {.least_values = 12}));
  EXPECT_FALSE(drifts_in(12, 5, 0.05, {.least_values = 13}));
  EXPECT_TRUE(drifts_in(12, 5, 0.05, {.least_differences = 99}));
  EXPECT_FALSE(drifts_in(12, 5, 0.05, {.least_differences = 100}));
  EXPECT_TRUE(drifts_in(60, 40, 0.01, {.least_loss = 0.009}));
  EXPECT_FALSE(drifts_in(60, 40, 0.01, {.least_loss = 0.011}));
}

TEST(Drift, OfASeriesThatScattersMoreThanOthersNeedsMore) {
  std::vector<std::vector<double>> series(5, flat(30));
  for (std::size_t run = 0; run < 30; ++run) series[0][run] += (run % 2 == 0 ? 1 : -1) * 0.05;
  for (std::size_t run = 22; run < 30; ++run) {
    series[0][run] += std::log(0.97);
    series[1][run] += std::log(0.97);
  }
  const auto drifts = find_drifts(series, 5);
  EXPECT_FALSE(drifts[0].has_value());
  EXPECT_TRUE(drifts[1].has_value());
}

TEST(Drift, IsNoneWhereThereIsNothing) {
  EXPECT_THAT(find_drifts({}, 0), testing::IsEmpty());
  EXPECT_THAT(find_drifts({{}, {8}}, 2), testing::ElementsAre(std::nullopt, std::nullopt));
}

}  // namespace
}  // namespace gpucheck::fleet
