#include "telemetry/series.hpp"

#include <gtest/gtest.h>

namespace gpucheck::telemetry {
namespace {

/// A sample in which only the first gauge has a value.
Sample sample(std::optional<std::int64_t> value, double at_ms = 0) {
  Sample sample{.at_ms = at_ms, .values = {}};
  sample.values[0] = value;
  return sample;
}

const Reading gauge = sampled_gauges[0];

struct Range {
  std::vector<std::int64_t> values;
  std::int64_t min;
  double mean;
  std::int64_t max;
};

TEST(Series, HasTheRangeOfAllItsValues) {
  for (const Range& row :
       {Range{{4}, 4, 4, 4}, Range{{-4}, -4, -4, -4}, Range{{5, 3, 10}, 3, 6, 10}, Range{{10, 3, 5}, 3, 6, 10},
        Range{{-5, -9, -7}, -9, -7, -5}, Range{{-9, -5}, -9, -7, -5}, Range{{1, 2}, 1, 1.5, 2}}) {
    Series series;
    for (const std::int64_t value : row.values) series.add(sample(value));
    const auto range = series.range(gauge);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->min, row.min);
    EXPECT_EQ(range->mean, row.mean);
    EXPECT_EQ(range->max, row.max);
    EXPECT_EQ(series.count(), row.values.size());
  }
}

TEST(Series, HasNoRangeOfWhatWasNeverRead) {
  Series series;
  EXPECT_FALSE(series.range(gauge));
  series.add(sample({}));
  EXPECT_FALSE(series.range(gauge));
  series.add(sample(3));
  series.add(sample({}));
  EXPECT_EQ(series.range(gauge)->mean, 3) << "of the samples that have the value";
  EXPECT_FALSE(series.range(sampled_gauges[1]));
  EXPECT_FALSE(series.range(Reading::uuid)) << "no gauge";
  EXPECT_EQ(series.count(), 3U);
}

// An hour at ten a second.
TEST(Series, KeepsTheSamplesOfTheLastHour) {
  Series series;
  for (int i = 0; i < 36'000; ++i) series.add(sample(i, i));
  EXPECT_EQ(series.samples().size(), 36'000U);
  EXPECT_EQ(series.samples().front().at_ms, 0);
  series.add(sample(36'000, 36'000));
  EXPECT_EQ(series.samples().size(), 36'000U);
  EXPECT_EQ(series.samples().front().at_ms, 1);
  EXPECT_EQ(series.samples().back().at_ms, 36'000);
  EXPECT_EQ(series.count(), 36'001U);
  EXPECT_EQ(series.range(gauge)->min, 0) << "which is kept no more";
}

TEST(Series, KeepsTheLastProblem) {
  Series series;
  EXPECT_EQ(series.problem(), "");
  series.add_problem("first");
  series.add_problem("second");
  series.add(sample(1));
  EXPECT_EQ(series.problem(), "second");
  EXPECT_EQ(series.count(), 1U);
}

TEST(Samples, HaveTheGaugesOfAGpu) {
  Gpu gpu;
  for (std::size_t i = 0; i < sampled_gauges.size(); ++i) gpu[sampled_gauges[i]] = static_cast<std::int64_t>(10 + i);
  gpu[sampled_gauges[1]] = Unavailable{.reason = "not supported"};
  const Sample sample = sample_of(gpu, 2.5);
  EXPECT_EQ(sample.at_ms, 2.5);
  for (std::size_t i = 0; i < sampled_gauges.size(); ++i) {
    const auto expected = i == 1 ? std::nullopt : std::optional(static_cast<std::int64_t>(10 + i));
    EXPECT_EQ(sample[sampled_gauges[i]], expected) << i;
  }
  EXPECT_EQ(sample[Reading::uuid], std::nullopt);
}

}  // namespace
}  // namespace gpucheck::telemetry
