#include "device/libraries/collective.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

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

/// Memory of one rank: 64 KiB, of which the second half begins at `half`.
struct RankMemory {
  static constexpr std::size_t half = std::size_t{1} << 15;
  alignas(16) std::array<std::byte, 2 * half> bytes{};

  [[nodiscard]] RankOperands operands(std::size_t sent = 0, std::size_t received = half) {
    return {.sent = bytes.data() + sent, .received = bytes.data() + received, .stream = {}};
  }
};

Status checked(const Collective& collective, int ranks = 2) {
  std::vector<RankMemory> memory(static_cast<std::size_t>(ranks));
  std::vector<RankOperands> operands;
  for (RankMemory& rank : memory) operands.push_back(rank.operands());
  return check_collective(collective, operands, ranks);
}

/// Two ranks, of which the second has its blocks at these places.
Status checked_at(CollectiveKind kind, std::size_t sent, std::size_t received) {
  std::vector<RankMemory> memory(2);
  return check_collective(of(kind), std::array{memory[0].operands(), memory[1].operands(sent, received)}, 2);
}

TEST(CollectiveCheck, WantsRanksAndElements) {
  EXPECT_EQ(checked(of(CollectiveKind::all_reduce), 0), Status::invalid_value);
  EXPECT_EQ(checked(of(CollectiveKind::all_reduce), 1), Status::success);
  EXPECT_EQ(checked({.count = 0}), Status::invalid_value);
  EXPECT_EQ(checked({.count = 1}), Status::success);
}

TEST(CollectiveCheck, WantsARootThatIsARankOfBroadcastAlone) {
  const auto from = [](int root) { return checked({.kind = CollectiveKind::broadcast, .count = 1, .root = root}); };
  EXPECT_EQ(from(-1), Status::invalid_value);
  EXPECT_EQ(from(0), Status::success);
  EXPECT_EQ(from(1), Status::success);
  EXPECT_EQ(from(2), Status::invalid_value);
  EXPECT_EQ(checked({.kind = CollectiveKind::all_gather, .count = 1, .root = 2}), Status::success);
}

TEST(CollectiveCheck, WantsADistanceInTheCircle) {
  const auto over = [](int distance) {
    return checked({.kind = CollectiveKind::send_receive, .count = 1, .distance = distance});
  };
  for (const int distance : {0, 1, 2, 5}) EXPECT_EQ(over(distance), Status::success) << distance;
  for (const int distance : {-1, -2}) EXPECT_EQ(over(distance), Status::invalid_value) << distance;
}

TEST(CollectiveCheck, WantsMemoryOfEachRank) {
  std::vector<RankMemory> memory(2);
  for (const std::size_t missing : {0U, 1U}) {
    std::array operands{memory[0].operands(), memory[1].operands()};
    operands.at(missing).sent = nullptr;
    EXPECT_EQ(check_collective(of(CollectiveKind::all_gather), operands, 2), Status::invalid_value);
    operands = {memory[0].operands(), memory[1].operands()};
    operands.at(missing).received = nullptr;
    EXPECT_EQ(check_collective(of(CollectiveKind::all_gather), operands, 2), Status::invalid_value);
  }
  for (const std::size_t off : {1U, 2U, 3U}) {
    EXPECT_EQ(checked_at(CollectiveKind::all_gather, off, RankMemory::half), Status::invalid_value) << off;
    EXPECT_EQ(checked_at(CollectiveKind::all_gather, 0, RankMemory::half + off), Status::invalid_value) << off;
  }
  EXPECT_EQ(checked_at(CollectiveKind::all_gather, 4, RankMemory::half + 4), Status::success);
}

// A block has 1000 bytes.
TEST(CollectiveCheck, WantsBlocksThatDoNotOverlap) {
  EXPECT_EQ(checked_at(CollectiveKind::all_reduce, 0, 996), Status::invalid_value);
  EXPECT_EQ(checked_at(CollectiveKind::all_reduce, 0, 1000), Status::success);
  EXPECT_EQ(checked_at(CollectiveKind::all_reduce, 996, 0), Status::invalid_value);
  EXPECT_EQ(checked_at(CollectiveKind::all_reduce, 1000, 0), Status::success);
  EXPECT_EQ(checked_at(CollectiveKind::all_gather, 1996, 0), Status::invalid_value) << "two blocks are received";
  EXPECT_EQ(checked_at(CollectiveKind::all_gather, 2000, 0), Status::success);
  EXPECT_EQ(checked_at(CollectiveKind::reduce_scatter, 0, 1996), Status::invalid_value) << "two blocks are sent";
  EXPECT_EQ(checked_at(CollectiveKind::reduce_scatter, 0, 2000), Status::success);
}

TEST(CollectiveCheck, ReducesNoElementsOfEightBits) {
  for (const ElementType type : {ElementType::fp8_e4m3, ElementType::fp8_e5m2}) {
    for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter}) {
      EXPECT_EQ(checked({.kind = kind, .type = type, .count = 1}), Status::not_supported) << to_text(kind);
    }
    for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::broadcast, CollectiveKind::all_to_all,
                                      CollectiveKind::send_receive}) {
      EXPECT_EQ(checked({.kind = kind, .type = type, .count = 1}), Status::success) << to_text(kind);
    }
  }
  EXPECT_EQ(checked({.type = ElementType::fp16, .count = 1}), Status::success);
}

TEST(Collective, HasAName) {
  const std::pair<CollectiveKind, const char*> kinds[] = {
      {CollectiveKind::all_reduce, "all_reduce"},         {CollectiveKind::all_gather, "all_gather"},
      {CollectiveKind::reduce_scatter, "reduce_scatter"}, {CollectiveKind::broadcast, "broadcast"},
      {CollectiveKind::all_to_all, "all_to_all"},         {CollectiveKind::send_receive, "send_receive"}};
  for (const auto& [kind, name] : kinds) EXPECT_EQ(to_text(kind), name);
  EXPECT_EQ(to_text(Reduction::sum), "sum");
  EXPECT_EQ(to_text(Reduction::minimum), "minimum");
  EXPECT_EQ(to_text(Reduction::maximum), "maximum");
}

TEST(Collective, HasOneRankThatSendsToNobody) {
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                    CollectiveKind::reduce_scatter, CollectiveKind::all_to_all}) {
    EXPECT_EQ(bus_bytes(of(kind), 1), 0) << to_text(kind);
  }
  EXPECT_EQ(bus_bytes(of(CollectiveKind::all_gather), 2), 1000);
  EXPECT_EQ(sent_bytes({.kind = CollectiveKind::broadcast, .type = ElementType::fp64, .count = 3}, 4), 24U);
  EXPECT_EQ(received_bytes({.kind = CollectiveKind::send_receive, .type = ElementType::fp16, .count = 3}, 4), 6U);
}

TEST(CollectiveCheck, CountsTheRanksOfAllProcesses) {
  RankMemory memory;
  const Collective from_second{.kind = CollectiveKind::broadcast, .count = 1, .root = 1};
  EXPECT_EQ(check_collective(from_second, std::array{memory.operands()}, 2), Status::success);
  EXPECT_EQ(check_collective(from_second, std::array{memory.operands()}, 1), Status::invalid_value);
}

TEST(SeatsCheck, WantsOwnDeviceOnceAndRanksWithinTheSize) {
  const auto checked_seats = [](int size, int first_rank, std::vector<int> ordinals, int patience_ms = 1) {
    return check_seats({.meeting = "",
                        .size = size,
                        .first_rank = first_rank,
                        .ordinals = std::move(ordinals),
                        .patience = std::chrono::milliseconds(patience_ms)},
                       3);
  };
  EXPECT_EQ(checked_seats(1, 0, {3}), Status::success);
  EXPECT_EQ(checked_seats(4, 2, {3, 5}), Status::success);
  EXPECT_EQ(checked_seats(4, 3, {3, 5}), Status::invalid_value) << "a rank too many";
  EXPECT_EQ(checked_seats(4, -1, {3, 5}), Status::invalid_value);
  EXPECT_EQ(checked_seats(4, 0, {5}), Status::invalid_value) << "another device than the one that is asked";
  EXPECT_EQ(checked_seats(4, 0, {}), Status::invalid_value);
  EXPECT_EQ(checked_seats(4, 0, {3, 3}), Status::invalid_value);
  EXPECT_EQ(checked_seats(1, 0, {3}, 0), Status::invalid_value);
}

}  // namespace
}  // namespace gpucheck::device
