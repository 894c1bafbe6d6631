#include "fleet/nodes/fleet_history.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/nodes/tests/runs_of_nodes.hpp"

namespace gpucheck::fleet {
namespace {

using harness::Verdict;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A node whose GPUs wrote memory with the given speeds on the given day; nothing else was measured.
NodeOfTests node_on(int day, const std::string& name, const std::vector<double>& speeds) {
  using namespace std::chrono;
  NodeOfTests node = node_with_speeds(name, speeds);
  node.start_time = sys_days(2026y / January / 1) + days(day);
  for (harness::CaseResult& result : node.results) result.measurements.resize(1);
  return node;
}

/// Two nodes of four GPUs; the second GPU of n2 writes with a share of its usual speed.
std::vector<NodeOfTests> fleet_on(int day, double share = 1) {
  const double noise = day % 2 == 0 ? 1.001 : 0.999;
  return {node_on(day, "n1", {3000 * noise, 3010 * noise, 2990 * noise, 3005 * noise}),
          node_on(day, "n2", {3002 * noise, 2995 * noise * share, 3001 * noise, 2999 * noise})};
}

Fleet judged_by(const std::vector<NodeOfTests>& nodes, const FleetRules& rules,
                const std::vector<NodeOfTests>& again = {}) {
  const auto texts = std::make_shared<SharedTexts>();
  FleetJudge judge(texts);
  for (const NodeOfTests& node : nodes) judge.add(kept(node, *texts));
  for (const NodeOfTests& node : again) judge.add_again(kept(node, *texts));
  return judge.judge(rules);
}

FleetRules rules_after(int days, int good_days) {
  FleetRules rules{.expected = parse_expected_nodes("2")};
  for (int day = 0; day < days; ++day) {
    rules.history.push_back(record_of(judged_by(fleet_on(day, day < good_days ? 1 : 0.985), rules)));
  }
  return rules;
}

TEST(FleetHistory, RecordsWhatEachGpuMeasured) {
  const HistoryRecord record = record_of(judged_by(fleet_on(3), {.expected = parse_expected_nodes("2")}));
  ASSERT_THAT(record.gpus, SizeIs(8));
  EXPECT_EQ(record.gpus[5], (RecordedGpu{.uuid = "GPU-n2-1", .node = "n2", .time = "2026-01-04T00:00:00Z"}));
  ASSERT_THAT(record.metrics, SizeIs(1));
  EXPECT_EQ(record.metrics[0].name, "bandwidth.device_write.write_gbps of NVIDIA H100");
  EXPECT_FALSE(record.metrics[0].high_is_bad);
  EXPECT_DOUBLE_EQ(record.metrics[0].values[5].value(), 2995 * 0.999);
  EXPECT_DOUBLE_EQ(record.metrics[0].usual.value(), 3000.5 * 0.999) << "between 3000 and 3001";
}

TEST(FleetHistory, KnowsNothingUsualOfAFewGpus) {
  const std::vector<NodeOfTests> seven{fleet_on(0)[0], node_on(0, "n2", {3002, 2995, 3001})};
  EXPECT_EQ(record_of(judged_by(seven, {.expected = parse_expected_nodes("2")})).metrics[0].usual, std::nullopt);
}

TEST(FleetHistory, LeavesOutGpusWithoutAUuid) {
  std::vector<NodeOfTests> nodes = fleet_on(0);
  nodes[0].uuids[1] = "";
  const HistoryRecord record = record_of(judged_by(nodes, {.expected = parse_expected_nodes("2")}));
  ASSERT_THAT(record.gpus, SizeIs(7));
  EXPECT_EQ(record.gpus[1].uuid, "GPU-n1-2");
  ASSERT_THAT(record.metrics[0].values, SizeIs(7));
  EXPECT_DOUBLE_EQ(record.metrics[0].values[1].value(), 2990 * 1.001);
}

TEST(FleetHistory, DoesNotJudgeANodeWithAGpuThatIsWorseThanItWas) {
  const Fleet steady = judged_by(fleet_on(30), rules_after(30, 30));
  EXPECT_EQ(steady.verdict, Verdict::passed);
  EXPECT_THAT(steady.suspects, IsEmpty());

  const Fleet fleet = judged_by(fleet_on(30, 0.985), rules_after(30, 22));
  EXPECT_EQ(fleet.verdict, Verdict::not_judged);
  EXPECT_EQ(fleet.nodes[0].verdict, Verdict::passed);
  EXPECT_EQ(fleet.nodes[1].verdict, Verdict::not_judged);
  ASSERT_THAT(fleet.suspects, SizeIs(1));
  EXPECT_EQ(fleet.suspects[0].device_uuid, "GPU-n2-1");
  EXPECT_EQ(fleet.suspects[0].own_past->runs, 9U);
  EXPECT_THAT(text_of(fleet.suspects[0]),
              AllOf(HasSubstr("GPU-n2-1 of n2: 1.5 % worse than it was in bandwidth.device_write.write_gbps of NVIDIA"),
                    HasSubstr(", since 2026-01-23T00:00:00Z (9 runs); not measured again")));
  EXPECT_THAT(fleet.nodes[1].reasons, ElementsAre(HasSubstr("measure it again")));
}

TEST(FleetHistory, BlamesNoGpuBeforeASecondMeasurement) {
  const FleetRules rules = rules_after(30, 22);
  const auto again_with = [&](double speed) {
    return judged_by(fleet_on(30, 0.985), rules, {node_on(31, "n2", {3002, speed, 3001, 2999})});
  };
  const Fleet confirmed = again_with(2950);
  EXPECT_EQ(confirmed.suspects[0].second_look, SecondLook::confirmed);
  EXPECT_EQ(confirmed.nodes[1].verdict, Verdict::failed);
  EXPECT_EQ(confirmed.verdict, Verdict::failed);
  const Fleet refuted = again_with(2990);
  EXPECT_EQ(refuted.suspects[0].second_look, SecondLook::refuted);
  EXPECT_EQ(refuted.verdict, Verdict::passed);
}

TEST(FleetHistory, IsNotJudgedWhereAPartOfItCannotBeRead) {
  FleetRules rules = rules_after(2, 2);
  rules.problems = {{"h/x.history", "it is not JSON"}};
  const Fleet fleet = judged_by(fleet_on(3), rules);
  EXPECT_EQ(fleet.verdict, Verdict::not_judged);
  ASSERT_THAT(fleet.problems, SizeIs(1));
  EXPECT_EQ(fleet.problems[0].path, "h/x.history");
}

}  // namespace
}  // namespace gpucheck::fleet
