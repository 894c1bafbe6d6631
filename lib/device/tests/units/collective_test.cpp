#include "device/libraries/collective.hpp"

#include <gtest/gtest.h>

namespace gpucheck::device {
namespace {

Collective of(CollectiveKind kind) { return {.kind = kind, .type = ElementType::fp32, .count = 250}; }

// nccl-tests, doc/PERFORMANCE.md: 2 (n - 1) / n of the buffer for all_reduce; (n - 1) / n of all blocks for all_gather,
// reduce_scatter and all_to_all; all of it for broadcast and send and receive.
TEST(Collective, CountsWhatTheBusCarries) {
  constexpr double block = 1000;
  EXPECT_EQ(bus_bytes(of(CollectiveKind::all_reduce), 2), block);
  EXPECT_EQ(bus_bytes(of(CollectiveKind::all_reduce), 8), 1.75 * block);
  EXPECT_EQ(bus_bytes(of(CollectiveKind::all_gather), 8), 7 * block);
  EXPECT_EQ(bus_bytes(of(CollectiveKind::reduce_scatter), 8), 7 * block);
  EXPECT_EQ(bus_bytes(of(CollectiveKind::all_to_all), 8), 7 * block);
  EXPECT_EQ(bus_bytes(of(CollectiveKind::broadcast), 8), block);
  EXPECT_EQ(bus_bytes(of(CollectiveKind::send_receive), 8), block);
}

TEST(Collective, HasABlockForEachRankWhereItMust) {
  EXPECT_EQ(sent_bytes(of(CollectiveKind::all_reduce), 4), 1000U);
  EXPECT_EQ(received_bytes(of(CollectiveKind::all_gather), 4), 4000U);
  EXPECT_EQ(sent_bytes(of(CollectiveKind::all_gather), 4), 1000U);
  EXPECT_EQ(sent_bytes(of(CollectiveKind::reduce_scatter), 4), 4000U);
  EXPECT_EQ(received_bytes(of(CollectiveKind::reduce_scatter), 4), 1000U);
  EXPECT_EQ(sent_bytes(of(CollectiveKind::all_to_all), 4), 4000U);
  EXPECT_EQ(received_bytes(of(CollectiveKind::all_to_all), 4), 4000U);
}

}  // namespace
}  // namespace gpucheck::device
