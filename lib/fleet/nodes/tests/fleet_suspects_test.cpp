#include "fleet/nodes/fleet_suspects.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/nodes/tests/runs_of_nodes.hpp"

namespace gpucheck::fleet {
namespace {

using harness::Outcome;
using harness::Verdict;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Eight good nodes whose speeds scatter by a thousandth.
std::vector<NodeOfTests> good_nodes() {
  std::vector<NodeOfTests> nodes;
  nodes.reserve(8);
  for (int i = 0; i < 8; ++i) {
    nodes.push_back(
        node_with_speeds(fmt::format("r{}-n{}", i / 2, i), {2998.0 + i, 3001.0 - i, 3000.0, 2999.0 + i % 3}));
  }
  return nodes;
}

Fleet judged_with(const std::vector<NodeOfTests>& nodes, const std::vector<NodeOfTests>& again = {}) {
  const auto texts = std::make_shared<SharedTexts>();
  FleetJudge judge(texts);
  for (const NodeOfTests& node : nodes) judge.add(kept(node, *texts));
  for (const NodeOfTests& node : again) judge.add_again(kept(node, *texts));
  return judge.judge({.expected = {.count = nodes.size()}, .racks = Racks("(r[0-9]+)-.*")});
}

TEST(FleetSuspects, AreNoneInAGoodFleet) {
  const Fleet fleet = judged_with(good_nodes());
  EXPECT_THAT(fleet.suspects, IsEmpty());
  EXPECT_EQ(fleet.verdict, Verdict::passed);
}

TEST(FleetSuspects, AreAGpuWithinItsLimitsFivePercentBelowItsSisters) {
  std::vector<NodeOfTests> nodes = good_nodes();
  nodes[3] = node_with_speeds("r1-n3", {3000, 3000, 2850, 3000});
  const Fleet fleet = judged_with(nodes);
  ASSERT_THAT(fleet.suspects, SizeIs(1));
  EXPECT_EQ(fleet.suspects[0].suspect.scope, Scope::gpu);
  EXPECT_EQ(fleet.suspects[0].place, "GPU-r1-n3-2 of r1-n3");
  EXPECT_EQ(fleet.suspects[0].device_uuid, "GPU-r1-n3-2");
  EXPECT_THAT(fleet.suspects[0].nodes, ElementsAre(3));
  EXPECT_THAT(fleet.suspects[0].suspect.evidence, SizeIs(2)) << "speed and latency";
  EXPECT_THAT(text_of(fleet.suspects[0]), AllOf(HasSubstr("GPU-r1-n3-2 of r1-n3: 5.0 % worse than usual in "
                                                          "bandwidth.device_write."),
                                                HasSubstr("and in 1 other metric"), HasSubstr("not measured again")));
  EXPECT_EQ(fleet.nodes[3].verdict, Verdict::not_judged);
  EXPECT_THAT(fleet.nodes[3].reasons, ElementsAre(HasSubstr("measure it again")));
  EXPECT_EQ(fleet.nodes[2].verdict, Verdict::passed);
  EXPECT_EQ(fleet.verdict, Verdict::not_judged);
}

TEST(FleetSuspects, AreConfirmedByASecondMeasurementOrRefuted) {
  std::vector<NodeOfTests> nodes = good_nodes();
  nodes[3] = node_with_speeds("r1-n3", {3000, 3000, 2850, 3000});
  const Fleet confirmed = judged_with(nodes, {node_with_speeds("r1-n3", {3000, 3000, 2860, 3000})});
  EXPECT_EQ(confirmed.suspects.at(0).second_look, SecondLook::confirmed);
  EXPECT_EQ(confirmed.nodes[3].verdict, Verdict::failed);
  EXPECT_EQ(confirmed.verdict, Verdict::failed);
  EXPECT_THAT(confirmed.nodes, SizeIs(8)) << "a second measurement does not count besides";
  const Fleet refuted = judged_with(nodes, {node_with_speeds("r1-n3", {3000, 3000, 2999, 3000})});
  EXPECT_EQ(refuted.suspects.at(0).second_look, SecondLook::refuted);
  EXPECT_EQ(refuted.nodes[3].verdict, Verdict::passed);
  EXPECT_EQ(refuted.verdict, Verdict::passed);
  const Fleet other = judged_with(nodes, {node_with_speeds("r1-n2", {2850, 2850, 2850, 2850})});
  EXPECT_EQ(other.suspects.at(0).second_look, SecondLook::none) << "another node was measured";
}

TEST(FleetSuspects, HaveFailedWhereTheSecondMeasurementFailsInWhateverWay) {
  std::vector<NodeOfTests> nodes = good_nodes();
  nodes[3] = node_with_speeds("r1-n3", {3000, 3000, 2850, 3000});
  NodeOfTests again = node_with_speeds("r1-n3", {3000, 3000, 3000, 3000});
  again.results.push_back(result_of("memtest.modulo_20", Outcome::fail, {2}));
  const Fleet fleet = judged_with(nodes, {again});
  EXPECT_EQ(fleet.suspects.at(0).second_look, SecondLook::refuted);
  EXPECT_EQ(fleet.nodes[3].verdict, Verdict::failed);
  EXPECT_THAT(fleet.nodes[3].reasons, ElementsAre(HasSubstr("the second measurement failed")));
  EXPECT_EQ(fleet.verdict, Verdict::failed);
}

TEST(FleetSuspects, AreNotFoundByWhatSeveralGpusDidTogether) {
  std::vector<NodeOfTests> nodes = good_nodes();
  for (NodeOfTests& node : nodes) {
    harness::CaseResult& pair = node.results.emplace_back(result_of("bandwidth.peer_copy", Outcome::pass, {0, 1}));
    const double speed = &node == &nodes[2] ? 200 : 400;
    pair.measurements = {{.key = "gbps", .value = speed, .verdict = "pass", .fail_below = 100, .source = "vendor"}};
  }
  EXPECT_THAT(judged_with(nodes).suspects, IsEmpty()) << "nobody knows which of the two it is";
}

TEST(FleetSuspects, AreTheNodeWhereAllItsGpusAreSlow) {
  std::vector<NodeOfTests> nodes = good_nodes();
  nodes[5] = node_with_speeds("r2-n5", {2700, 2701, 2699, 2700});
  const Fleet fleet = judged_with(nodes);
  ASSERT_THAT(fleet.suspects, SizeIs(1));
  EXPECT_EQ(fleet.suspects[0].place, "node r2-n5");
  EXPECT_THAT(fleet.suspects[0].nodes, ElementsAre(5));
  EXPECT_EQ(fleet.nodes[5].verdict, Verdict::not_judged);
}

TEST(FleetSuspects, AreTheSlotOrTheRackWhereThatExplainsThem) {
  std::vector<NodeOfTests> slow_slot;
  slow_slot.reserve(8);
  for (int i = 0; i < 8; ++i)
    slow_slot.push_back(node_with_speeds(fmt::format("r{}-n{}", i / 2, i), {3000, 2700, 3001, 2999}));
  const Fleet by_slot = judged_with(slow_slot);
  ASSERT_THAT(by_slot.suspects, SizeIs(1));
  EXPECT_EQ(by_slot.suspects[0].place, "slot 1 of every node");
  EXPECT_THAT(by_slot.suspects[0].nodes, IsEmpty());
  EXPECT_EQ(by_slot.nodes[0].verdict, Verdict::passed) << "no node is blamed for what all have";
  EXPECT_EQ(by_slot.verdict, Verdict::not_judged);
  std::vector<NodeOfTests> slow_rack = good_nodes();
  slow_rack[4] = node_with_speeds("r2-n4", {2700, 2701, 2699, 2700});
  slow_rack[5] = node_with_speeds("r2-n5", {2702, 2700, 2699, 2701});
  const Fleet by_rack = judged_with(slow_rack);
  ASSERT_THAT(by_rack.suspects, SizeIs(1));
  EXPECT_EQ(by_rack.suspects[0].place, "rack r2");
}

TEST(FleetSuspects, AreLookedForAmongGpusOfOneModel) {
  std::vector<NodeOfTests> nodes = good_nodes();
  const auto texts = std::make_shared<SharedTexts>();
  FleetJudge judge(texts);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    KeptRun run = kept(nodes[i], *texts);
    for (harness::DeviceIdentity& device : run.start.devices) device.name = i < 4 ? "NVIDIA H100" : "NVIDIA A100";
    for (KeptMeasurement& one : run.measurements) one.value *= i < 4 ? 1 : 0.5;
    judge.add(std::move(run));
  }
  EXPECT_THAT(judge.judge({.expected = {.count = 8}}).suspects, IsEmpty());
}

}  // namespace
}  // namespace gpucheck::fleet
