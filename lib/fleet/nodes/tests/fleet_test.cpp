#include "fleet/nodes/fleet.hpp"

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

NodeOfTests good(const std::string& name, const std::string& uuid = "") {
  return {.name = name, .uuids = {uuid.empty() ? "GPU-" + name : uuid}};
}

TEST(Fleet, PassesWhenEveryExpectedNodePassed) {
  for (const char* expected : {"2", "n[1-2]", "any"}) {
    const Fleet fleet = judged({good("n2"), good("n1")}, expected);
    EXPECT_EQ(fleet.verdict, Verdict::passed) << expected;
    EXPECT_EQ(fleet.missing_count, 0U);
    ASSERT_THAT(fleet.nodes, SizeIs(2));
    EXPECT_EQ(fleet.nodes[0].name, "n1") << "by name";
    EXPECT_THAT(fleet.nodes[0].runs, ElementsAre(1));
  }
}

TEST(Fleet, OfNobodyIsNotJudged) {
  EXPECT_EQ(judged({}, "any").verdict, Verdict::not_judged);
  const Fleet fleet = judged({}, "n[1-2]");
  EXPECT_EQ(fleet.verdict, Verdict::not_judged);
  EXPECT_THAT(fleet.missing, ElementsAre("n1", "n2"));
}

TEST(Fleet, IsNotJudgedWhereANodeDidNotReport) {
  const Fleet named = judged({good("n1"), good("n3")}, "n[1-4]");
  EXPECT_EQ(named.verdict, Verdict::not_judged);
  EXPECT_THAT(named.missing, ElementsAre("n2", "n4"));
  EXPECT_EQ(named.missing_count, 2U);
  const Fleet counted = judged({good("n1"), good("n3")}, "3");
  EXPECT_EQ(counted.verdict, Verdict::not_judged);
  EXPECT_THAT(counted.missing, IsEmpty()) << "nobody knows its name";
  EXPECT_EQ(counted.missing_count, 1U);
}

TEST(Fleet, IsNotJudgedWhereSomebodyReportsWhoIsNotExpected) {
  const Fleet named = judged({good("n1"), good("x")}, "n1");
  EXPECT_EQ(named.verdict, Verdict::not_judged);
  EXPECT_TRUE(named.nodes[0].is_expected);
  EXPECT_FALSE(named.nodes[1].is_expected);
  EXPECT_EQ(judged({good("n1"), good("x")}, "1").verdict, Verdict::not_judged);
}

TEST(Fleet, IsNotJudgedWhereAFileCannotBeRead) {
  const Fleet fleet = judged({good("n1")}, "1", {{"x.journal", "it is not JSON"}});
  EXPECT_EQ(fleet.verdict, Verdict::not_judged);
  ASSERT_THAT(fleet.problems, SizeIs(1));
  EXPECT_EQ(fleet.problems[0].path, "x.journal");
}

TEST(Fleet, FailsWhereANodeFailedWhateverElseIsWrong) {
  NodeOfTests bad = good("n2");
  bad.results.push_back(result_of("memtest.modulo_20", Outcome::fail));
  const Fleet fleet = judged({good("n1"), bad}, "5", {{"x.journal", "torn"}});
  EXPECT_EQ(fleet.verdict, Verdict::failed);
  EXPECT_EQ(fleet.nodes[0].verdict, Verdict::passed);
  EXPECT_EQ(fleet.nodes[1].verdict, Verdict::failed);
}

struct Ending {
  int exit_code;
  const char* incomplete;
  Verdict verdict;
};
void PrintTo(const Ending& ending, std::ostream* stream) { *stream << ending.exit_code << ending.incomplete; }

class EndOfARun : public testing::TestWithParam<Ending> {};

TEST_P(EndOfARun, DecidesTheNodesVerdict) {
  NodeOfTests node = good("n1");
  node.exit_code = GetParam().exit_code;
  node.incomplete = GetParam().incomplete;
  const Fleet fleet = judged({node}, "1");
  EXPECT_EQ(fleet.verdict, GetParam().verdict);
  EXPECT_EQ(fleet.nodes[0].verdict, GetParam().verdict);
  const bool says_why = *GetParam().incomplete != '\0';
  EXPECT_EQ(fleet.nodes[0].reasons.size(), says_why ? 1U : 0U);
  if (says_why) {
    EXPECT_THAT(fleet.nodes[0].reasons, ElementsAre(HasSubstr(GetParam().incomplete)));
  }
}

INSTANTIATE_TEST_SUITE_P(Codes, EndOfARun,
                         testing::Values(Ending{0, "", Verdict::passed}, Ending{1, "", Verdict::failed},
                                         Ending{2, "", Verdict::not_judged}, Ending{3, "", Verdict::not_judged},
                                         Ending{3, "killed", Verdict::not_judged}, Ending{77, "", Verdict::not_judged},
                                         Ending{1, "killed", Verdict::failed}));

TEST(Fleet, TakesARunOfNothingButSkipsForNoEvidence) {
  NodeOfTests node = good("n1");
  node.results = {result_of("alloc.fuzz", Outcome::skip)};
  EXPECT_EQ(judged({node}, "1").verdict, Verdict::not_judged);
}

TEST(Fleet, PutsTheRunsOfANodesGpusTogether) {
  NodeOfTests second = good("n1", "GPU-2");
  second.file = "second.journal";
  const Fleet fleet = judged({good("n1", "GPU-1"), second}, "1");
  EXPECT_EQ(fleet.verdict, Verdict::passed);
  ASSERT_THAT(fleet.nodes, SizeIs(1));
  EXPECT_THAT(fleet.nodes[0].runs, ElementsAre(0, 1));
}

TEST(Fleet, PutsPartsOfTheCasesTogether) {
  NodeOfTests second = good("n1");
  second.file = "second.journal";
  second.results = {result_of("alloc.other", Outcome::pass)};
  EXPECT_EQ(judged({good("n1"), second}, "1").verdict, Verdict::passed);
}

TEST(Fleet, DoesNotJudgeANodeThatReportsTwiceOfTheSame) {
  NodeOfTests again = good("n1");
  again.file = "again.journal";
  const Fleet fleet = judged({good("n1"), again, good("n2")}, "2");
  EXPECT_EQ(fleet.verdict, Verdict::not_judged);
  EXPECT_THAT(fleet.nodes[0].reasons,
              ElementsAre(AllOf(HasSubstr("n1.journal and again.journal"), HasSubstr("alloc.fuzz"))));
  EXPECT_EQ(fleet.nodes[1].verdict, Verdict::passed);
}

TEST(Fleet, NoticesASecondReportOfOneOfSeveralGpus) {
  NodeOfTests both = good("n1");
  both.uuids = {"GPU-1", "GPU-2"};
  NodeOfTests second = good("n1", "GPU-2");
  second.file = "second.journal";
  EXPECT_EQ(judged({both, second}, "1").nodes[0].verdict, Verdict::not_judged);
}

/// The run of one process of several on a node, each with a GPU of its own.
NodeOfTests of_process(int local_rank, std::optional<int> local_size, const std::string& job = "77") {
  NodeOfTests run = good("n1", fmt::format("GPU-{}-{}", job, local_rank));
  run.file = fmt::format("{}-{}.journal", job, local_rank);
  run.job = {.engine = "slurm", .id = job, .local_rank = local_rank, .local_size = local_size};
  return run;
}

TEST(Fleet, DoesNotJudgeANodeWhereAProcessLeftNoJournal) {
  const auto reasons_of = [](const std::vector<NodeOfTests>& runs) {
    const Fleet fleet = judged(runs, "1");
    EXPECT_EQ(fleet.verdict, fleet.nodes[0].reasons.empty() ? Verdict::passed : Verdict::not_judged);
    return fleet.nodes[0].reasons;
  };
  EXPECT_THAT(reasons_of({of_process(0, 3), of_process(2, 3)}),
              ElementsAre("1 of its 3 processes in job 77 left no journal, the first with local rank 1"));
  EXPECT_THAT(reasons_of({of_process(2, 4)}),
              ElementsAre("3 of its 4 processes in job 77 left no journal, the first with local rank 0"));
  EXPECT_THAT(reasons_of({of_process(1, 2), of_process(0, 2)}), IsEmpty());
  EXPECT_THAT(reasons_of({of_process(0, 1)}), IsEmpty());
  EXPECT_THAT(reasons_of({of_process(1, std::nullopt)}), IsEmpty()) << "nobody says how many there are";
  // Another job's processes do not stand in for those that are missing.
  EXPECT_THAT(reasons_of({of_process(0, 2), of_process(1, 2, "78")}),
              ElementsAre(HasSubstr("in job 77"), HasSubstr("in job 78")));
}

// ---- what nodes differ in -------------------------------------------------------------------

std::vector<std::string> differences(const Fleet& fleet) {
  std::vector<std::string> all;
  for (const Difference& one : fleet.differences) all.push_back(one.what);
  return all;
}

/// Three nodes, of which the middle one is the given.
Fleet among_others(NodeOfTests odd) {
  odd.name = "n2";
  return judged({good("n1"), odd, good("n3")}, "3");
}

void expect_odd(const Fleet& fleet, const char* what, const char* value) {
  EXPECT_EQ(fleet.verdict, Verdict::not_judged);
  EXPECT_THAT(differences(fleet), ElementsAre(what));
  ASSERT_THAT(fleet.differences[0].shares, SizeIs(2));
  EXPECT_THAT(fleet.differences[0].shares[0].nodes, ElementsAre(0, 2)) << "most nodes first";
  EXPECT_THAT(fleet.differences[0].shares[1].nodes, ElementsAre(1));
  EXPECT_THAT(fleet.differences[0].shares[1].value, HasSubstr(value));
  EXPECT_EQ(fleet.nodes[0].verdict, Verdict::passed);
  EXPECT_EQ(fleet.nodes[1].verdict, Verdict::not_judged);
  EXPECT_THAT(fleet.nodes[1].reasons, ElementsAre(AllOf(HasSubstr(what), HasSubstr(value), HasSubstr("2 nodes have"))));
}

TEST(DifferentNodes, AreSaidByVersion) {
  NodeOfTests odd = good("n2");
  odd.version = "0.9";
  expect_odd(among_others(odd), "gpucheck", "0.9");
}

TEST(DifferentNodes, AreSaidWhateverPartOfALongTextDiffers) {
  NodeOfTests odd = good("n2");
  NodeOfTests other = good("n1");
  odd.version = std::string(500, 'v') + "1";
  other.version = std::string(500, 'v') + "2";
  EXPECT_EQ(judged({other, odd}, "2").verdict, Verdict::not_judged);
}

/// Nodes of one version may be judged by other files all the same.
TEST(DifferentNodes, AreSaidByWhatJudgedThem) {
  NodeOfTests odd = good("n2");
  odd.golden_digest = "1123456789abcdef";
  expect_odd(among_others(odd), "golden files", "1123456789abcdef");
  odd.golden_digest = "";
  expect_odd(among_others(odd), "golden files", "not known");
}

TEST(DifferentNodes, AreSaidByDriver) {
  NodeOfTests odd = good("n2");
  odd.driver = "570.1";
  expect_odd(among_others(odd), "driver", "570.1");
  odd.driver = "";
  expect_odd(among_others(odd), "driver", "not known");
}

TEST(DifferentNodes, AreSaidByTheNumberOfTheirGpus) {
  NodeOfTests odd = good("n2");
  odd.uuids.emplace_back("GPU-more");
  expect_odd(among_others(odd), "GPUs", "2 x NVIDIA H100");
  odd.uuids.clear();
  odd.results.front().devices.clear();
  const Fleet fleet = among_others(odd);
  EXPECT_THAT(differences(fleet), ElementsAre("driver", "GPUs")) << "nothing is known of its driver either";
  EXPECT_EQ(fleet.differences.at(1).shares.at(1).value, "none");
}

TEST(DifferentNodes, AreSaidByWhatTheyRan) {
  NodeOfTests more = good("n2");
  more.results.push_back(result_of("rng.more", Outcome::pass));
  expect_odd(among_others(more), "cases", "2 cases, with rng.more");
  NodeOfTests other = good("n2");
  other.results = {result_of("rng.more", Outcome::pass)};
  expect_odd(among_others(other), "cases", "1 case, without alloc.fuzz, with rng.more");
  NodeOfTests many = good("n2");
  for (const char* name : {"a.a", "a.b", "a.c", "a.d"}) many.results.push_back(result_of(name, Outcome::pass));
  expect_odd(among_others(many), "cases", "5 cases, with a.a, a.b, a.c and 1 more");
}

TEST(DifferentNodes, AreSaidByTheFilesOfTheSitesOwnCases) {
  const auto with = [](const std::string& name, std::vector<harness::SiteCase> site_cases) {
    NodeOfTests node = good(name);
    node.site_cases = std::move(site_cases);
    return node;
  };
  const harness::SiteCase disk{.name = "site.disk", .digest = "00aa"};
  const harness::SiteCase net{.name = "site.net", .digest = "00bb"};
  EXPECT_EQ(judged({with("n1", {disk, net}), with("n2", {disk, net})}, "2").verdict, Verdict::passed);
  const harness::SiteCase other{.name = "site.disk", .digest = "00cc"};
  const Fleet fleet = judged({with("n1", {disk, net}), with("n2", {other, net}), with("n3", {disk, net})}, "3");
  expect_odd(fleet, "files of site.disk", "00cc");
  // That one did not run it is a difference in cases, which is said there.
  EXPECT_THAT(differences(judged({with("n1", {disk}), with("n2", {})}, "2")), IsEmpty());
  // A node that is not of one mind itself differs from the others.
  NodeOfTests second = with("n2", {other});
  second.uuids = {"GPU-second"};
  second.file = "second.journal";
  EXPECT_THAT(differences(judged({with("n1", {disk}), with("n2", {disk}), second}, "2")),
              ElementsAre("GPUs", "files of site.disk"));
}

TEST(DifferentNodes, OfTwoKindsOfOneSizeAreTheLaterOnes) {
  NodeOfTests odd = good("n2");
  odd.version = "0.9";
  const Fleet fleet = judged({good("n1"), odd}, "2");
  EXPECT_EQ(fleet.nodes[0].verdict, Verdict::passed);
  EXPECT_EQ(fleet.nodes[1].verdict, Verdict::not_judged);
}

TEST(DifferentNodes, AreEachOfTheirKind) {
  NodeOfTests second = good("n2");
  second.version = "0.9";
  NodeOfTests third = good("n3");
  third.version = "0.8";
  const Fleet fleet = judged({good("n1"), second, third, good("n4")}, "4");
  ASSERT_THAT(fleet.differences, SizeIs(1));
  EXPECT_THAT(fleet.differences[0].shares, SizeIs(3));
}

// ---- digests across nodes ---------------------------------------------------------------------

NodeOfTests with_digest(const std::string& name, const std::string& digest) {
  NodeOfTests node = good(name);
  harness::CaseResult result = result_of("gemm.bf16", Outcome::pass);
  result.observations = {{"digest", digest}};
  node.results = {result};
  return node;
}

TEST(DigestsAcrossNodes, FailTheNodeWhoseDigestIsAnother) {
  const Fleet fleet = judged({with_digest("n1", "a"), with_digest("n2", "b"), with_digest("n3", "a")}, "3");
  EXPECT_EQ(fleet.verdict, Verdict::failed);
  EXPECT_EQ(fleet.nodes[0].verdict, Verdict::passed);
  EXPECT_EQ(fleet.nodes[1].verdict, Verdict::failed);
  EXPECT_THAT(fleet.nodes[1].reasons, ElementsAre(AllOf(HasSubstr("gemm.bf16.digest"), HasSubstr("GPU-n2"))));
  EXPECT_EQ(judged({with_digest("n1", "a"), with_digest("n2", "a")}, "2").verdict, Verdict::passed);
}

TEST(DigestsAcrossNodes, OfOtherVersionsAreNotCompared) {
  NodeOfTests older = with_digest("n2", "b");
  older.version = "0.9";
  const Fleet fleet = judged({with_digest("n1", "a"), older}, "2");
  EXPECT_EQ(fleet.verdict, Verdict::not_judged) << "the versions differ; that is all";
}

TEST(FleetCounts, AreThoseOfAllRuns) {
  NodeOfTests bad = good("n2");
  bad.results.push_back(result_of("a.b", Outcome::hang));
  bad.not_run = {{.name = "a.c", .devices = {0}}};
  const harness::Counts counts = counts_of(judged({good("n1"), bad}, "2"));
  EXPECT_EQ(counts.pass, 2);
  EXPECT_EQ(counts.hang, 1);
  EXPECT_EQ(counts.not_run, 1);
}

}  // namespace
}  // namespace gpucheck::fleet
