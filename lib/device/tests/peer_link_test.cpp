#include "device/peer_link.hpp"

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
  EXPECT_EQ(least_peer_link(to_switches(18), nvlink_4_mbps, 7), (PeerLink{.links = 18, .mbps = nvlink_4_mbps}));
}

TEST(PeerLink, CountsLinksToSwitchesThatAreDown) {
  std::vector<PeerLinkEnd> ends = to_switches(18);
  ends[3] = {};
  EXPECT_EQ(least_peer_link(ends, nvlink_4_mbps, 1).links, 18);
}

TEST(PeerLink, IsTheFewestToOneDevice) {
  std::vector<PeerLinkEnd> ends;
  add_links(ends, 6, "0000:1b:00.0");
  add_links(ends, 4, "0000:43:00.0");
  add_links(ends, 6, "0000:52:00.0");
  EXPECT_EQ(least_peer_link(ends, nvlink_4_mbps, 3).links, 4);
}

TEST(PeerLink, IsNoneWhereADeviceIsReachedWithoutOne) {
  std::vector<PeerLinkEnd> ends;
  add_links(ends, 2, "0000:1b:00.0");
  EXPECT_EQ(least_peer_link(ends, nvlink_4_mbps, 1).links, 2);
  EXPECT_EQ(least_peer_link(ends, nvlink_4_mbps, 2), PeerLink{});
}

TEST(PeerLink, IsNoneWhereNothingIsKnown) {
  EXPECT_EQ(least_peer_link({}, nvlink_4_mbps, 1), PeerLink{});
  EXPECT_EQ(least_peer_link(to_switches(18), 0, 1), PeerLink{});
  EXPECT_EQ(least_peer_link(to_switches(18), nvlink_4_mbps, 0), PeerLink{});
  EXPECT_EQ(least_peer_link(std::vector<PeerLinkEnd>(18), nvlink_4_mbps, 1), PeerLink{});
}

}  // namespace
}  // namespace gpucheck::device
