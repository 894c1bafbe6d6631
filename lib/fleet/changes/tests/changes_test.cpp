#include "fleet/changes/changes.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "fleet/nodes/tests/runs_of_nodes.hpp"

namespace gpucheck::fleet {
namespace {

using harness::Outcome;
using harness::Verdict;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Changes between(const std::vector<NodeOfTests>& before, const std::vector<NodeOfTests>& after) {
  return find_changes(judged(before, "any"), judged(after, "any"));
}

TEST(Changes, AreNoneBetweenEqualRuns) {
  const std::vector<NodeOfTests> nodes{node_with_speeds("n1", {3000, 2900}), node_with_speeds("n2", {3001, 2999})};
  const Changes changes = between(nodes, nodes);
  EXPECT_EQ(changes.verdict, Verdict::passed);
  EXPECT_EQ(changes.compared_nodes, 2U);
  EXPECT_EQ(changes.compared_values, 8U);
  EXPECT_THAT(changes.values, IsEmpty());
  EXPECT_THAT(changes.verdicts, IsEmpty());
  EXPECT_THAT(changes.conditions, IsEmpty());
}

TEST(Changes, OfAFewGpusAreThoseFromThreePercentOn) {
  const Changes changes =
      between({node_with_speeds("n1", {3000, 3000, 3000, 3000})}, {node_with_speeds("n1", {2911, 2909, 3089, 3095})});
  EXPECT_EQ(changes.verdict, Verdict::failed);
  ASSERT_THAT(changes.values, SizeIs(4)) << "of two GPUs, each with its speed and its latency";
  const auto speed =
      std::ranges::find(changes.values, "bandwidth.device_write.write_gbps of NVIDIA H100", &ValueChange::metric);
  EXPECT_EQ(speed->place, "GPU-n1-1 of n1");
  EXPECT_NEAR(speed->gain, 2909.0 / 3000 - 1, 1e-9);
  EXPECT_EQ(speed->before, 3000);
  EXPECT_EQ(speed->after, 2909);
  const auto latency =
      std::ranges::find(changes.values, "bandwidth.device_write.latency_us of NVIDIA H100", &ValueChange::metric);
  EXPECT_EQ(latency->place, "GPU-n1-1 of n1");
  EXPECT_NEAR(latency->gain, 2909.0 / 3000 - 1, 1e-9) << "a latency that is longer is worse";
  EXPECT_GT(latency->after, latency->before);
  EXPECT_EQ(changes.values[3].place, "GPU-n1-3 of n1");
  EXPECT_GT(changes.values[3].gain, 0.03);
}

TEST(Changes, ForTheBetterAreShownAndPass) {
  const Changes changes = between({node_with_speeds("n1", {3000})}, {node_with_speeds("n1", {3300})});
  EXPECT_EQ(changes.verdict, Verdict::passed);
  EXPECT_THAT(changes.values, SizeIs(2));
}

/// Two nodes of eight GPUs, whose values scatter by 0.3 % from run to run.
std::vector<NodeOfTests> scattered(std::uint64_t seed, double factor, double factor_of_the_odd = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<NodeOfTests> nodes;
  for (const char* name : {"n1", "n2"}) {
    std::vector<double> speeds;
    speeds.reserve(8);
    for (int i = 0; i < 8; ++i) speeds.push_back((3000.0 + 10 * i) * factor * (1 + 0.003 * normal(random)));
    if (nodes.size() == 1) speeds[5] *= factor_of_the_odd;
    nodes.push_back(node_with_speeds(name, speeds));
  }
  return nodes;
}

TEST(Changes, OfAllGpusAreOneChange) {
  const Changes changes = between(scattered(1, 1), scattered(2, 0.98));
  EXPECT_EQ(changes.verdict, Verdict::failed);
  ASSERT_THAT(changes.values, SizeIs(2));
  EXPECT_EQ(changes.values[0].place, "");
  EXPECT_EQ(changes.values[0].gpus, 16U);
  EXPECT_NEAR(changes.values[0].gain, -0.02, 0.004);
}

TEST(Changes, OfOneGpuAreMeasuredFromWhatAllHaveInCommon) {
  const Changes changes = between(scattered(1, 1), scattered(2, 1.1, 0.95));
  EXPECT_EQ(changes.verdict, Verdict::passed) << "all are better, the odd one by 4.5 %";
  ASSERT_THAT(changes.values, SizeIs(4));
  EXPECT_EQ(changes.values[0].place, "GPU-n2-5 of n2");
  EXPECT_NEAR(changes.values[0].gain, 0.045, 0.01);
  EXPECT_EQ(changes.values[2].place, "");
  EXPECT_EQ(between(scattered(1, 1), scattered(2, 1, 0.95)).verdict, Verdict::failed);
}

TEST(Changes, AreAsRareByChanceAsSaid) {
  std::size_t alarms = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    alarms += between(scattered(2 * seed + 10, 1), scattered(2 * seed + 11, 1)).values.empty() ? 0U : 1U;
  }
  EXPECT_LE(alarms, 5U) << "at most two are expected in a hundred: of one GPU, and of all";
}

TEST(Changes, OfANodesVerdictCount) {
  NodeOfTests bad = node_with_speeds("n1", {3000});
  bad.results.push_back(result_of("memtest.modulo_20", Outcome::fail));
  NodeOfTests good = node_with_speeds("n1", {3000});
  good.results.push_back(result_of("memtest.modulo_20", Outcome::pass));
  const Changes worse = between({good}, {bad});
  EXPECT_EQ(worse.verdict, Verdict::failed);
  ASSERT_THAT(worse.verdicts, SizeIs(1));
  const Changes better = between({bad}, {good});
  EXPECT_EQ(better.verdict, Verdict::passed);
  EXPECT_THAT(better.verdicts, SizeIs(1));
  EXPECT_THAT(between({bad}, {bad}).verdicts, IsEmpty());
  NodeOfTests torn = good;
  torn.incomplete = "it was cut off";
  torn.exit_code = 3;
  EXPECT_EQ(between({good}, {torn}).verdict, Verdict::not_judged);
}

TEST(Changes, OfConditionsAndGpusAreNamed) {
  NodeOfTests after = node_with_speeds("n1", {3000, 3000});
  after.driver = "590.1";
  after.version = "1.1";
  after.golden_digest = "fedcba9876543210";
  after.uuids[1] = "GPU-new";
  const Changes changes = between({node_with_speeds("n1", {3000, 3000})}, {after});
  ASSERT_THAT(changes.conditions, SizeIs(3));
  EXPECT_EQ(changes.conditions[0].what, "gpucheck");
  EXPECT_EQ(changes.conditions[1].what, "golden files");
  EXPECT_EQ(changes.conditions[1].after, "fedcba9876543210");
  EXPECT_EQ(changes.conditions[2].before, "580.95");
  EXPECT_EQ(changes.conditions[2].after, "590.1");
  EXPECT_THAT(changes.gone, ElementsAre("GPU-n1-1 of n1"));
  EXPECT_THAT(changes.added, ElementsAre("GPU-new of n1"));
  EXPECT_EQ(changes.compared_values, 2U);
}

TEST(Changes, OfAGpuThatWasMovedAreThoseOfTheGpu) {
  NodeOfTests moved = node_with_speeds("n2", {2700});
  moved.uuids = {"GPU-n1-0"};
  const Changes changes = between({node_with_speeds("n1", {3000})}, {moved});
  EXPECT_EQ(changes.compared_nodes, 0U);
  ASSERT_THAT(changes.values, SizeIs(2));
  EXPECT_EQ(changes.values[0].place, "GPU-n1-0 of n2");
}

TEST(Changes, AreNotJudgedWithoutAnythingToCompareOrWithABrokenFile) {
  EXPECT_EQ(between({node_with_speeds("n1", {3000})}, {node_with_speeds("n2", {3000})}).verdict, Verdict::not_judged);
  EXPECT_EQ(between({}, {}).verdict, Verdict::not_judged);
  const std::vector<NodeOfTests> nodes{node_with_speeds("n1", {3000})};
  const Fleet broken = judged(nodes, "any", {{"x.journal", "torn"}});
  EXPECT_EQ(find_changes(judged(nodes, "any"), broken).verdict, Verdict::not_judged);
  EXPECT_EQ(find_changes(broken, judged(nodes, "any")).verdict, Verdict::not_judged);
}

}  // namespace
}  // namespace gpucheck::fleet
