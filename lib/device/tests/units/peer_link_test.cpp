#include "device/links/peer_link.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace gpucheck::device {
namespace {

constexpr int nvlink_4_mbps = 26'562;

std::vector<PeerLinkEnd> to_switches(std::size_t links) {
  return std::vector<PeerLinkEnd>(links, {.is_active = true, .is_switch = true});
}

void add_links(std::vector<PeerLinkEnd>& ends, std::size_t links, const char* address) {
  for (std::size_t i = 0; i < links; ++i) ends.push_back({.is_active = true, .address = address});
}

TEST(PeerLink, IsEveryLinkWhereSwitchesConnectAll) {
  EXPECT_EQ(least_peer_link(to_switches(18), nvlink_4_mbps, 7, nullptr),
            (PeerLink{.links = 18, .mbps = nvlink_4_mbps}));
}

TEST(PeerLink, CountsLinksToSwitchesThatAreDown) {
  std::vector<PeerLinkEnd> ends = to_switches(18);
  ends[3] = {};
  EXPECT_EQ(least_peer_link(ends, nvlink_4_mbps, 1, nullptr).links, 18);
}

TEST(PeerLink, IsTheFewestToOneDevice) {
  std::vector<PeerLinkEnd> ends;
  add_links(ends, 6, "0000:1b:00.0");
  add_links(ends, 4, "0000:43:00.0");
  add_links(ends, 6, "0000:52:00.0");
  EXPECT_EQ(least_peer_link(ends, nvlink_4_mbps, 3, nullptr).links, 4);
}

TEST(PeerLink, IsNoneWhereADeviceIsReachedWithoutOne) {
  std::vector<PeerLinkEnd> ends;
  add_links(ends, 2, "0000:1b:00.0");
  EXPECT_EQ(least_peer_link(ends, nvlink_4_mbps, 1, nullptr).links, 2);
  EXPECT_EQ(least_peer_link(ends, nvlink_4_mbps, 2, nullptr), PeerLink{});
}

TEST(PeerLink, IsNoneWhereNothingIsKnown) {
  EXPECT_EQ(least_peer_link({}, nvlink_4_mbps, 1, nullptr), PeerLink{});
  EXPECT_EQ(least_peer_link(to_switches(18), 0, 1, nullptr), PeerLink{});
  EXPECT_EQ(least_peer_link(to_switches(18), nvlink_4_mbps, 0, nullptr), PeerLink{});
  EXPECT_EQ(least_peer_link(std::vector<PeerLinkEnd>(18), nvlink_4_mbps, 1, nullptr), PeerLink{});
}

constexpr NvlinkModel board{.form = NvlinkModel::Form::board, .links = 18, .mbps = nvlink_4_mbps, .to_one = 6};
constexpr NvlinkModel card{.form = NvlinkModel::Form::bridge, .links = 12, .mbps = nvlink_4_mbps, .to_one = 12};
constexpr NvlinkModel half_wired{.form = NvlinkModel::Form::board, .links = 6, .mbps = 25'781, .to_one = 0};

int least_links(const std::vector<PeerLinkEnd>& ends, int others, const NvlinkModel& model) {
  return least_peer_link(ends, nvlink_4_mbps, others, &model).links;
}

TEST(PeerLink, OfABoardDoesNotFallWhereLinksAreDown) {
  const std::vector<PeerLinkEnd> all_down(18);
  EXPECT_EQ(least_peer_link(all_down, 0, 7, &board), (PeerLink{.links = 18, .mbps = nvlink_4_mbps}));
  EXPECT_EQ(least_links(all_down, 3, board), 6) << "a board of four has no switches";
  EXPECT_EQ(least_links(to_switches(16), 7, board), 18) << "two links that are not listed";
  std::vector<PeerLinkEnd> ends(2);
  add_links(ends, 6, "0000:1b:00.0");
  add_links(ends, 4, "0000:43:00.0");
  add_links(ends, 6, "0000:52:00.0");
  EXPECT_EQ(least_links(ends, 3, board), 6);
  std::vector<PeerLinkEnd> one_unreached(6);
  add_links(one_unreached, 6, "0000:1b:00.0");
  add_links(one_unreached, 6, "0000:43:00.0");
  EXPECT_EQ(least_links(one_unreached, 3, board), 6);
}

TEST(PeerLink, OfCardsIsThatOfTheirBridge) {
  std::vector<PeerLinkEnd> ends(10);
  add_links(ends, 8, "0000:1b:00.0");
  EXPECT_EQ(least_links(ends, 1, card), 12) << "one of three bridges is loose";
  EXPECT_EQ(least_links(ends, 3, card), 0) << "bridges join two cards";
  EXPECT_EQ(least_links(std::vector<PeerLinkEnd>(18), 1, card), 0) << "there may be no bridge";
}

TEST(PeerLink, OfABoardThatIsNotWiredEachToEachIsWhatIsUp) {
  std::vector<PeerLinkEnd> ends;
  add_links(ends, 3, "0000:1b:00.0");
  add_links(ends, 3, "processor");
  EXPECT_EQ(least_links(ends, 3, half_wired), 0);
  EXPECT_EQ(least_links(ends, 1, half_wired), 3);
  EXPECT_EQ(least_links(std::vector<PeerLinkEnd>(6), 7, half_wired), 0);
}

TEST(PeerLink, IsNoneWhereTheDriverListsNoLink) {
  EXPECT_EQ(least_peer_link({}, 0, 7, &board), PeerLink{}) << "NVLink is not offered to this machine";
  EXPECT_EQ(least_peer_link(std::vector<PeerLinkEnd>(18), 0, 0, &board), PeerLink{});
}

TEST(PeerLink, OfABoardHasSwitchesFromFiveGpusOn) {
  const std::vector<PeerLinkEnd> all_down(18);
  EXPECT_EQ(least_links(all_down, 1, board), 6);
  EXPECT_EQ(least_links(all_down, 3, board), 6);
  EXPECT_EQ(least_links(all_down, 4, board), 18);
}

TEST(PeerLink, ByWayOfSwitchesIsTheMostThatIsListedOrKnown) {
  EXPECT_EQ(least_links(to_switches(20), 7, board), 20);
  std::vector<PeerLinkEnd> ends(17);
  ends.push_back({.is_active = true, .is_switch = true});
  EXPECT_EQ(least_peer_link(ends, nvlink_4_mbps, 7, nullptr).links, 18) << "one that is up shows the way";
  const std::vector<PeerLinkEnd> down(18, {.is_active = false, .is_switch = true});
  EXPECT_EQ(least_peer_link(down, nvlink_4_mbps, 7, nullptr), PeerLink{});
}

TEST(PeerLink, CountsALinkThatIsDownForNoDevice) {
  std::vector<PeerLinkEnd> ends;
  add_links(ends, 2, "0000:1b:00.0");
  ends.push_back({.is_active = false, .address = "0000:1b:00.0"});
  ends.push_back({.is_active = false, .address = "0000:43:00.0"});
  EXPECT_EQ(least_peer_link(ends, nvlink_4_mbps, 1, nullptr).links, 2);
  EXPECT_EQ(least_peer_link(ends, nvlink_4_mbps, 2, nullptr), PeerLink{});
}

TEST(PeerLink, IsAsFastAsTheDriverSaysOrElseAsItsModelIs) {
  std::vector<PeerLinkEnd> ends;
  add_links(ends, 3, "0000:1b:00.0");
  EXPECT_EQ(least_peer_link(ends, 1, 1, &half_wired), (PeerLink{.links = 3, .mbps = 1}));
  EXPECT_EQ(least_peer_link(ends, 0, 1, &half_wired), (PeerLink{.links = 3, .mbps = 25'781}));
  EXPECT_EQ(least_peer_link(ends, -1, 1, &half_wired), (PeerLink{.links = 3, .mbps = 25'781}));
  EXPECT_EQ(least_peer_link(ends, 1, 1, nullptr), (PeerLink{.links = 3, .mbps = 1}));
  EXPECT_EQ(least_peer_link(ends, 0, 1, nullptr), PeerLink{});
  EXPECT_EQ(least_peer_link(ends, nvlink_4_mbps, -1, nullptr), PeerLink{});
}

}  // namespace
}  // namespace gpucheck::device
