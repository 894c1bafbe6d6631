#include "fleet/history/history.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpucheck::fleet {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::size_t gpus = 4;

/// Four GPUs on the given day; values differ from GPU to GPU, and by a thousandth from day to day.
HistoryRecord day(int number) {
  HistoryRecord record;
  RecordedMetric speed{.name = "speed"};
  RecordedMetric latency{.name = "latency", .high_is_bad = true};
  for (std::size_t i = 0; i < gpus; ++i) {
    record.gpus.push_back({.uuid = fmt::format("GPU-{}", i),
                           .node = "n1",
                           .time = fmt::format("2026-{:02}-{:02}T00:00:00Z", 1 + number / 28, 1 + number % 28)});
    const double noise = number % 2 == 0 ? 1.001 : 0.999;
    speed.values.emplace_back((3000.0 + static_cast<double>(i)) * noise);
    latency.values.emplace_back(5.0 * noise);
  }
  record.metrics = {speed, latency};
  return record;
}

std::vector<HistoryRecord> daily(int count) {
  std::vector<HistoryRecord> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all.push_back(day(i));
  return all;
}

/// Multiplies what one GPU measured from a day on.
void change(std::vector<HistoryRecord>& records, std::size_t metric, std::size_t gpu, std::size_t from, double factor) {
  for (std::size_t i = from; i < records.size(); ++i) *records[i].metrics[metric].values[gpu] *= factor;
}

std::vector<GpuDrift> drifts_in(std::vector<HistoryRecord> records) {
  const HistoryRecord now = records.back();
  records.pop_back();
  return find_drifting_gpus(records, now);
}

TEST(History, OfGpusThatStayAsTheyWereHasNoDrift) {
  EXPECT_THAT(drifts_in(daily(40)), IsEmpty());
  EXPECT_THAT(find_drifting_gpus({}, day(1)), IsEmpty());
}

TEST(History, ShowsWhichGpuIsWorseThanItWasAndSinceWhen) {
  std::vector<HistoryRecord> records = daily(40);
  change(records, 0, 2, 30, 0.97);
  const std::vector<GpuDrift> found = drifts_in(records);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].uuid, "GPU-2");
  EXPECT_EQ(found[0].metric, "speed");
  EXPECT_EQ(found[0].since, "2026-02-03T00:00:00Z");
  EXPECT_EQ(found[0].runs, 10U);
  EXPECT_NEAR(found[0].drift.loss, 0.03, 0.0005);
  EXPECT_NEAR(std::exp(found[0].before), 3002, 3);
  EXPECT_FALSE(found[0].is_relative);
}

TEST(History, TakesMoreForWorseWhereHighIsBad) {
  std::vector<HistoryRecord> records = daily(40);
  change(records, 1, 1, 30, 1.04);
  change(records, 1, 3, 30, 0.96);
  const std::vector<GpuDrift> found = drifts_in(records);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].uuid, "GPU-1");
  EXPECT_TRUE(found[0].high_is_bad);
  EXPECT_NEAR(found[0].drift.loss, 1 - 1 / 1.04, 0.0005);
}

TEST(History, PutsTheStrongestFirst) {
  std::vector<HistoryRecord> records = daily(40);
  change(records, 0, 3, 30, 0.98);
  change(records, 0, 1, 30, 0.95);
  const std::vector<GpuDrift> found = drifts_in(records);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].uuid, "GPU-1");
  EXPECT_EQ(found[1].uuid, "GPU-3");
}

TEST(History, DoesNotDependOnTheOrderOfTheRecordsOrOnCopiesOfThem) {
  std::vector<HistoryRecord> records = daily(40);
  change(records, 0, 2, 30, 0.97);
  const HistoryRecord now = records.back();
  records.pop_back();
  std::vector<HistoryRecord> shuffled(records.rbegin(), records.rend());
  shuffled.insert(shuffled.end(), records.begin(), records.begin() + 20);
  const std::vector<GpuDrift> found = find_drifting_gpus(shuffled, now);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].runs, 10U);
  EXPECT_EQ(found[0].since, "2026-02-03T00:00:00Z");
}

TEST(History, LeavesOutWhatIsNotOlderThanNow) {
  std::vector<HistoryRecord> records = daily(40);
  change(records, 0, 2, 30, 0.97);
  // Seen from the day before the change, whoever kept the days since.
  EXPECT_THAT(find_drifting_gpus(records, day(29)), IsEmpty());
  // The record of the same merge is not its past.
  EXPECT_THAT(find_drifting_gpus({records.back(), records.back()}, records.back()), IsEmpty());
}

TEST(History, ComparesWithTheFleetWhereItIsKnown) {
  std::vector<HistoryRecord> records = daily(40);
  for (HistoryRecord& record : records) record.metrics[0].usual = 3000;
  for (std::size_t i = 30; i < records.size(); ++i) records[i].metrics[0].usual = 2910;
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) change(records, 0, gpu, 30, 0.97);
  EXPECT_THAT(drifts_in(records), IsEmpty()) << "a new driver made all of them slower";
  change(records, 0, 1, 30, 0.97);
  const std::vector<GpuDrift> found = drifts_in(records);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].uuid, "GPU-1");
  EXPECT_TRUE(found[0].is_relative);
  // One record that does not know the fleet: as measured.
  records[5].metrics[0].usual.reset();
  EXPECT_THAT(drifts_in(records), SizeIs(gpus));
}

TEST(History, KnowsAGpuByItsUuid) {
  std::vector<HistoryRecord> records = daily(40);
  change(records, 0, 2, 30, 0.9);
  for (std::size_t i = 30; i < records.size(); ++i) records[i].gpus[2].uuid = "GPU-new";
  EXPECT_THAT(drifts_in(records), IsEmpty()) << "another GPU in its place has no past";
  for (std::size_t i = 30; i < records.size(); ++i) {
    records[i].gpus[2].uuid = "GPU-2";
    records[i].gpus[2].node = "n7";
  }
  EXPECT_THAT(drifts_in(records), SizeIs(1)) << "moved to another node";
}

TEST(History, LeavesOutWhatWasNotMeasured) {
  std::vector<HistoryRecord> records = daily(40);
  change(records, 0, 2, 30, 0.97);
  for (std::size_t i = 0; i < 40; i += 3) records[i].metrics[0].values[2].reset();
  records[39].metrics[0].values[2] = 2910;
  const std::vector<GpuDrift> found = drifts_in(records);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].runs, 7U) << "days 31, 32, 34, 35, 37, 38 and 39";
  records[39].metrics[0].values[2].reset();
  EXPECT_THAT(drifts_in(records), IsEmpty()) << "nobody measured it now";
}

TEST(History, OfValuesThatNoGpuHasIsJudgedAllTheSame) {
  EXPECT_TRUE(std::isfinite(level(1e300, 1e-300, false))) << "the ratio is beyond every number";
  std::vector<HistoryRecord> records = daily(40);
  for (HistoryRecord& record : records) record.metrics[0].usual = 1e-300;
  change(records, 0, 2, 30, 1e300);
  change(records, 0, 1, 30, 1e-300);
  const std::vector<GpuDrift> found = drifts_in(records);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].uuid, "GPU-1");
}

}  // namespace
}  // namespace gpucheck::fleet
