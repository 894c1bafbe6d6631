#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "device/sim/memory/device_memory.hpp"
#include "device/sim/memory/host_memory.hpp"
#include "device/sim/tests/strided/launches.hpp"

// Accesses with gaps lie where their runs lie.
namespace gpucheck::sim {
namespace {

using device::AccessMode;
using device::MemoryAccess;
using device::Repetition;
using device::Status;

MemoryAccess pattern(std::uintptr_t address, std::size_t bytes, const std::vector<Repetition>& repetitions) {
  MemoryAccess access{reinterpret_cast<const void*>(address), bytes};
  access.repetitions.used = repetitions.size();
  std::ranges::copy(repetitions, access.repetitions.all.begin());
  return access;
}

/// What becomes of a launch with one access.
Status outcome(const Fixture& fixture, const MemoryAccess& access) {
  const device::Stream stream = fixture.stream();
  check(touch(fixture.device(), idle_kernel<'x'>(), {access}, stream), "launch");
  return fixture.device().synchronize(stream);
}

Status outcome_of_columns(std::int64_t rows_declared) {
  const Fixture fixture;
  constexpr std::int64_t rows = 64;
  // 64 rows of which the last one lacks its right half: a view of the left half fits exactly.
  const std::int32_t* const matrix = fixture.memory(rows * 10 - 5);
  return outcome(fixture, columns(AccessMode::write, matrix, rows_declared, 10, 0, 5));
}

TEST(StridedBounds, ARunBeyondTheEndIsFoundThoughAllOthersLieInside) {
  EXPECT_EQ(outcome_of_columns(64), Status::success);
  EXPECT_EQ(outcome_of_columns(65), Status::illegal_address);
}

TEST(StridedBounds, ARunThatBeginsInsideAndEndsBeyondIsFound) {
  const auto outcome_of = [](std::size_t elements) {
    const Fixture fixture;
    const std::int32_t* const memory = fixture.memory(elements);
    return outcome(fixture, columns(AccessMode::read, memory, 3, 10, 0, 5));
  };
  EXPECT_EQ(outcome_of(25), Status::success);
  EXPECT_EQ(outcome_of(24), Status::illegal_address);
}

TEST(StridedBounds, AHoleMayLieInAGapAndNotInARun) {
  const auto outcome_with_hole = [](bool is_freed, std::size_t runs) {
    const Fixture fixture;
    std::int32_t* const memory[] = {fixture.memory(128), fixture.memory(128), fixture.memory(128)};
    const auto step = static_cast<std::size_t>(memory[1] - memory[0]) * 4 / (runs - 1) * 2;
    EXPECT_EQ(memory[2] - memory[1], memory[1] - memory[0]);
    if (is_freed) check(fixture.device().free(memory[1]), "free");
    return outcome(fixture, pattern(reinterpret_cast<std::uintptr_t>(memory[0]), 4, {{runs, step}}));
  };
  EXPECT_EQ(outcome_with_hole(false, 2), Status::success);
  EXPECT_EQ(outcome_with_hole(true, 2), Status::success);
  EXPECT_EQ(outcome_with_hole(false, 3), Status::success);
  EXPECT_EQ(outcome_with_hole(true, 3), Status::illegal_address);
}

TEST(StridedBounds, EveryRunMustBeAligned) {
  const auto outcome_of = [](std::size_t stride, std::size_t count) {
    const Fixture fixture;
    MemoryAccess access = pattern(reinterpret_cast<std::uintptr_t>(fixture.memory(100)), 4, {{count, stride}, {2, 4}});
    access.alignment = 4;
    return outcome(fixture, access);
  };
  EXPECT_EQ(outcome_of(12, 3), Status::success);
  EXPECT_EQ(outcome_of(14, 3), Status::misaligned_address);
  EXPECT_EQ(outcome_of(14, 1), Status::success);
}

TEST(StridedBounds, WhatLeavesTheAddressSpaceIsIllegal) {
  const auto outcome_of = [](const std::vector<Repetition>& repetitions) {
    const Fixture fixture;
    return outcome(fixture, pattern(reinterpret_cast<std::uintptr_t>(fixture.memory(100)), 4, repetitions));
  };
  constexpr std::size_t far = std::size_t{1} << 63;
  EXPECT_EQ(outcome_of({{3, far}}), Status::illegal_address);
  EXPECT_EQ(outcome_of({{2, ~std::size_t{0} - 7}}), Status::illegal_address);
  EXPECT_EQ(outcome_of({{far, far}, {far, far}}), Status::illegal_address);
  EXPECT_EQ(outcome_of({{1, far}, {5, 0}}), Status::success);
}

TEST(StridedBounds, WhatIsRepeatedNoTimesTouchesNothing) {
  const Fixture fixture;
  EXPECT_EQ(outcome(fixture, pattern(8, 4, {{0, 8}})), Status::success);
  EXPECT_EQ(outcome(fixture, pattern(8, 4, {{3, 8}, {0, 8}})), Status::success);
  EXPECT_EQ(outcome(fixture, pattern(8, 4, {{1, 8}})), Status::illegal_address);
}

TEST(StridedBounds, ALaunchTakesAsLongAsItsRunsAre) {
  const auto duration = [](std::int64_t width) {
    const Fixture fixture;
    const device::Stream stream = fixture.stream();
    const std::int32_t* const matrix = fixture.memory(10'000'000);
    const device::Event begin = fixture.device().create_event(device::EventKind::timing).value();
    const device::Event end = fixture.device().create_event(device::EventKind::timing).value();
    fixture.record(begin, stream);
    check(touch(fixture.device(), idle_kernel<'x'>(), {columns(AccessMode::read, matrix, 10'000, 1000, 0, width)},
                stream),
          "launch");
    fixture.record(end, stream);
    fixture.synchronize(stream);
    return fixture.device().elapsed_ms(begin, end).value();
  };
  EXPECT_LT(duration(1), duration(1000) / 2);
}

/// Pieces at 100, 200 and 230, the last two of which touch each other.
template <typename Contains>
void expect_pieces_are_respected(const Contains& contains, bool last_two_are_one) {
  EXPECT_TRUE(contains(pattern(100, 10, {{2, 100}})));
  EXPECT_TRUE(contains(pattern(120, 10, {{2, 100}})));
  EXPECT_FALSE(contains(pattern(99, 10, {{2, 101}}))) << "before the first one";
  EXPECT_FALSE(contains(pattern(121, 10, {{2, 100}}))) << "beyond the end of the first one";
  EXPECT_FALSE(contains(pattern(100, 10, {{3, 50}}))) << "between them";
  EXPECT_TRUE(contains(pattern(200, 10, {{4, 10}})));
  EXPECT_EQ(contains(pattern(200, 10, {{2, 25}})), last_two_are_one) << "225 to 235";
  EXPECT_FALSE(contains(pattern(100, 31, {{2, 105}})));
  EXPECT_EQ(contains(pattern(200, 31, {{2, 2}})), last_two_are_one);
  EXPECT_FALSE(contains(pattern(240, 10, {{3, 10}}))) << "beyond the last one";
  EXPECT_FALSE(contains(pattern(300, 10, {{2, 10}})));
  EXPECT_FALSE(contains(pattern(10, 10, {{2, 90}})));
}

TEST(StridedBounds, OfAllocationsAreTheirOwnAndOfMappingsThoseOfAll) {
  for (const auto origin : {AllocationMap::Origin::plain, AllocationMap::Origin::mapping}) {
    AllocationMap map;
    for (const std::uintptr_t begin : {100U, 200U, 230U}) map.add(begin, {.bytes = 30, .origin = origin});
    expect_pieces_are_respected([&](const MemoryAccess& access) { return map.contains(access); },
                                origin == AllocationMap::Origin::mapping);
  }
  EXPECT_FALSE(AllocationMap().contains(pattern(100, 10, {{2, 10}})));
}

TEST(StridedBounds, OfPageLockedMemoryAreThoseOfEachRange) {
  HostMemory host;
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); };
  for (const std::uintptr_t begin : {100U, 200U, 230U}) {
    ASSERT_EQ(host.register_range(at(begin), 30), Status::success);
  }
  expect_pieces_are_respected([&](const MemoryAccess& access) { return host.contains(access); }, false);
  EXPECT_FALSE(HostMemory().contains(pattern(100, 10, {{2, 10}})));
}

}  // namespace
}  // namespace gpucheck::sim
