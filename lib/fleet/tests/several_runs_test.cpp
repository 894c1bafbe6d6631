#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/tests/runs_of_peers.hpp"

/// Devices of several runs, compared with each other.
namespace gpucheck::fleet {
namespace {

using harness::CaseResult;
using harness::Comparison;
using harness::RunStarted;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void tell(Peers& peers, const RunStarted& start, const std::vector<CaseResult>& results) {
  peers.begin(start);
  for (const CaseResult& result : results) peers.add(result);
}

TEST(SeveralRuns, AreComparedByDigestAcrossHosts) {
  Peers peers;
  tell(peers, run_of(1, "n1"), {digested(0, "aa"), measured_on(0, 3000)});
  tell(peers, run_of(1, "n2"), {digested(0, "bb"), measured_on(0, 1000)});
  tell(peers, run_of(1, "n3"), {digested(0, "aa"), measured_on(0, 3000)});
  const std::vector<Comparison> found = peers.compare_runs();
  ASSERT_THAT(found, SizeIs(1)) << "speeds are a host's own";
  EXPECT_THAT(verdicts_of(found[0]), ElementsAre("pass", "fail", "pass"));
  EXPECT_EQ(found[0].reason, "n2 n2-0 has \"bb\"; 2 of 3 have \"aa\"");
  EXPECT_EQ(peers.subjects().at(1).host, "n2");
  EXPECT_EQ(peers.subjects().at(1).run, 1U);
}

TEST(SeveralRuns, OfOneHostAreComparedBySpeed) {
  Peers peers;
  RunStarted second = run_of(1);
  second.devices[0].uuid = "another";
  tell(peers, run_of(1), {measured_on(0, 3000)});
  tell(peers, second, {measured_on(0, 1000)});
  ASSERT_THAT(peers.compare_runs(), SizeIs(1));
  EXPECT_EQ(peers.compare_runs()[0].verdict, "fail");
}

TEST(SeveralRuns, TellOfOneGpuAsOne) {
  Peers peers;
  tell(peers, run_of(1), {digested(0, "aa")});
  tell(peers, run_of(1), {digested(0, "aa")});
  EXPECT_THAT(peers.subjects(), SizeIs(1));
  EXPECT_THAT(peers.compare_runs(), IsEmpty()) << "one GPU is not a peer of itself";
}

TEST(SeveralRuns, TellGpusWithoutUuidApart) {
  Peers peers;
  RunStarted first = run_of(1);
  first.devices[0].uuid.clear();
  first.devices[0].pci_bus_id = "0000:3b:00.0";
  RunStarted second = first;
  second.devices[0].pci_bus_id = "0000:3c:00.0";
  tell(peers, first, {measured_on(0, 3000)});
  tell(peers, second, {measured_on(0, 1000)});
  ASSERT_THAT(peers.subjects(), SizeIs(2));
  ASSERT_THAT(peers.compare_runs(), SizeIs(1));
  EXPECT_EQ(peers.compare_runs()[0].reason,
            "node1 0000:3c:00.0 with 1000 is 67 % below the best, which is node1 0000:3b:00.0 with 3000");
}

TEST(SeveralRuns, OneUuidOnTwoHostsIsTwoGpus) {
  Peers peers;
  RunStarted elsewhere = run_of(1);
  elsewhere.host_name = "node2";
  tell(peers, run_of(1), {digested(0, "aa")});
  tell(peers, elsewhere, {digested(0, "bb")});
  EXPECT_THAT(peers.subjects(), SizeIs(2));
  EXPECT_THAT(peers.compare_runs(), SizeIs(1));
}

/// The second run has the devices in another order.
TEST(SeveralRuns, KnowEachDeviceByItsOwnRun) {
  Peers peers;
  RunStarted turned = run_of(2);
  std::swap(turned.devices[0].uuid, turned.devices[1].uuid);
  tell(peers, run_of(2), {measured_on(0, 3000), measured_on(1, 3000)});
  tell(peers, turned, {measured_on(0, 100), measured_on(0, 100), measured_on(1, 3000)});
  ASSERT_THAT(peers.subjects(), SizeIs(2));
  EXPECT_THAT(verdicts_of(peers.compare_runs().at(0)), ElementsAre("pass", "fail"))
      << "of 3000, 100 and 100 that node1-1 gave, the median is 100";
}

TEST(SeveralRuns, AreNotComparedAgainWithinOne) {
  Peers peers;
  tell(peers, run_of(2, "n1"), {measured_on(0, 3000), measured_on(1, 1000)});
  tell(peers, run_of(2, "n2"), {measured_on(0, 3000), measured_on(1, 3000)});
  EXPECT_THAT(peers.compare(), SizeIs(2));
  EXPECT_THAT(peers.compare_runs(), IsEmpty());
}

TEST(SeveralRuns, OfAnotherGpucheckHaveOtherDigests) {
  Peers peers;
  RunStarted newer = run_of(1, "n2");
  newer.version = "2";
  tell(peers, run_of(1, "n1"), {digested(0, "aa")});
  tell(peers, newer, {digested(0, "bb")});
  EXPECT_THAT(peers.compare_runs(), IsEmpty());
}

}  // namespace
}  // namespace gpucheck::fleet
