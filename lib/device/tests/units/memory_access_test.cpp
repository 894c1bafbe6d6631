#include "device/values/memory_access.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "base/splitmix.hpp"
#include "device/values/kernel.hpp"

namespace gpucheck::device {
namespace {

using Numbers = std::vector<std::int64_t>;
using Bytes = std::set<std::uintptr_t>;

constexpr std::uintptr_t somewhere = 0x10000;
const void* const first = reinterpret_cast<const void*>(somewhere);

MemoryAccess view(const Numbers& sizes, const Numbers& strides, std::size_t element_bytes = 4) {
  return strided(AccessMode::write, first, element_bytes, sizes, strides);
}

std::ptrdiff_t offset_of(const MemoryAccess& access) {
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(access.address) - somewhere);
}

std::vector<Repetition> repetitions_of(const MemoryAccess& access) {
  return {access.repetitions.begin(), access.repetitions.end()};
}

/// The bytes that are touched, as the members' comments say.
Bytes bytes_of(const MemoryAccess& access) {
  std::vector<std::uintptr_t> runs{reinterpret_cast<std::uintptr_t>(access.address)};
  for (const auto& [count, stride] : access.repetitions) {
    std::vector<std::uintptr_t> all;
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::uintptr_t run : runs) all.push_back(run + i * stride);
    }
    runs = std::move(all);
  }
  Bytes bytes;
  for (const std::uintptr_t run : runs) {
    for (std::size_t i = 0; i < access.bytes; ++i) bytes.insert(run + i);
  }
  return bytes;
}

/// The bytes of a view's elements, one element after the other.
Bytes bytes_of(const Numbers& sizes, const Numbers& strides, std::size_t element_bytes) {
  std::vector<std::int64_t> elements{0};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::vector<std::int64_t> all;
    for (std::int64_t index = 0; index < sizes[i]; ++index) {
      for (const std::int64_t element : elements) all.push_back(element + index * strides[i]);
    }
    elements = std::move(all);
  }
  Bytes bytes;
  for (const std::int64_t element : elements) {
    for (std::size_t i = 0; i < element_bytes; ++i) {
      bytes.insert(somewhere + static_cast<std::uintptr_t>(element) * element_bytes + i);
    }
  }
  return bytes;
}

TEST(MemoryAccess, WithoutRepetitionsIsOneRun) {
  const std::int32_t* const element = nullptr;
  EXPECT_TRUE(reads(element, 8).repetitions.empty());
  const MemoryAccess access{first, 8, AccessMode::write, 4};
  EXPECT_TRUE(access.repetitions.empty());
  EXPECT_EQ(extent_bytes(access), 8U);
  EXPECT_EQ(traffic_bytes(access), 8U);
}

TEST(MemoryAccess, SaysModeAndAlignment) {
  const double* const numbers = nullptr;
  const Numbers sizes{2};
  const Numbers strides{2};
  EXPECT_EQ(reads_strided(numbers, sizes, strides).mode, AccessMode::read);
  EXPECT_EQ(writes_strided(numbers, sizes, strides).mode, AccessMode::write);
  EXPECT_EQ(updates_strided(numbers, sizes, strides).mode, AccessMode::read_write);
  for (const MemoryAccess& access : {reads_strided(numbers, sizes, strides), writes_strided(numbers, sizes, strides),
                                     updates_strided(numbers, sizes, strides)}) {
    EXPECT_EQ(access.bytes, sizeof(double));
    EXPECT_EQ(access.alignment, alignof(double));
    EXPECT_EQ(repetitions_of(access), (std::vector<Repetition>{{2, 16}}));
  }
  EXPECT_EQ(strided(AccessMode::read, first, 4, sizes, strides).alignment, 1U);
}

TEST(MemoryAccess, OfAScalarOrOneElementIsTheElement) {
  for (const MemoryAccess& access : {view({}, {}), view({1}, {7}), view({1, 1, 1}, {0, -3, 9})}) {
    EXPECT_EQ(access.address, first);
    EXPECT_EQ(access.bytes, 4U);
    EXPECT_TRUE(access.repetitions.empty());
  }
}

TEST(MemoryAccess, OfNoElementsIsNothing) {
  for (const MemoryAccess& access : {view({0}, {1}), view({3, 0}, {1, 1}), view({0, 3}, {5, 2})}) {
    EXPECT_EQ(access.bytes, 0U);
    EXPECT_EQ(extent_bytes(access), 0U);
    EXPECT_EQ(traffic_bytes(access), 0U);
  }
}

TEST(MemoryAccess, OfWhatLiesWithoutGapsIsOneRun) {
  for (const MemoryAccess& access : {view({2, 3, 4}, {12, 4, 1}), view({4, 2, 3}, {1, 12, 4}), view({24}, {1})}) {
    EXPECT_EQ(access.bytes, 96U);
    EXPECT_TRUE(access.repetitions.empty());
  }
}

TEST(MemoryAccess, OfHalfTheColumnsHasOneRunForEachRow) {
  const MemoryAccess left = view({8, 4}, {10, 1});
  EXPECT_EQ(left.bytes, 16U);
  EXPECT_EQ(repetitions_of(left), (std::vector<Repetition>{{8, 40}}));
  EXPECT_EQ(extent_bytes(left), 7U * 40 + 16);
  EXPECT_EQ(traffic_bytes(left), 8U * 16);
  // Transposed it is the same memory.
  EXPECT_EQ(repetitions_of(view({4, 8}, {1, 10})), repetitions_of(left));
}

TEST(MemoryAccess, DimensionsThatContinueEachOtherAreOne) {
  EXPECT_EQ(repetitions_of(view({3, 5}, {10, 2})), (std::vector<Repetition>{{15, 8}}));
  EXPECT_EQ(repetitions_of(view({3, 5}, {11, 2})), (std::vector<Repetition>{{3, 44}, {5, 8}}));
}

TEST(MemoryAccess, OfABroadcastIsTheMemoryOnce) {
  EXPECT_TRUE(view({5}, {0}).repetitions.empty());
  EXPECT_EQ(view({5}, {0}).bytes, 4U);
  EXPECT_EQ(repetitions_of(view({3, 5, 2}, {4, 0, 2})), (std::vector<Repetition>{{6, 8}}));
}

TEST(MemoryAccess, OfNegativeStridesBeginsAtTheLowestAddress) {
  const MemoryAccess flipped = view({4}, {-2});
  EXPECT_EQ(offset_of(flipped), -24);
  EXPECT_EQ(repetitions_of(flipped), (std::vector<Repetition>{{4, 8}}));
  EXPECT_EQ(offset_of(view({4}, {-1})), -12);
  EXPECT_EQ(view({4}, {-1}).bytes, 16U);
  EXPECT_EQ(offset_of(view({3, 4}, {20, -2})), -24);
}

TEST(MemoryAccess, OfWindowsThatOverlapIsWhatTheyCover) {
  const MemoryAccess windows = view({6, 3}, {1, 1});  // of three elements, each one further
  EXPECT_EQ(windows.bytes, 8U * 4);
  EXPECT_TRUE(windows.repetitions.empty());
  EXPECT_EQ(repetitions_of(view({6, 3}, {2, 2})), (std::vector<Repetition>{{8, 8}}));
  // Three steps further each time: of three elements none is missed, of two one.
  EXPECT_EQ(repetitions_of(view({4, 3}, {6, 2})), (std::vector<Repetition>{{12, 8}}));
  EXPECT_EQ(repetitions_of(view({4, 2}, {6, 2})), (std::vector<Repetition>{{4, 24}, {2, 8}}));
}

TEST(MemoryAccess, OfAsManyDimensionsAsFitHasNoGaps) {
  const Numbers sizes{2, 2, 2, 2};
  const Numbers strides{135, 45, 15, 5};
  const MemoryAccess access = view(sizes, strides);
  EXPECT_EQ(access.repetitions.used, Repetitions::most);
  EXPECT_EQ(bytes_of(access), bytes_of(sizes, strides, 4));
}

TEST(MemoryAccess, OfMoreDimensionsThanFitTakesTheInnermostGaps) {
  const MemoryAccess access = view({2, 2, 2, 2, 2}, {135, 45, 15, 5, 2});
  EXPECT_EQ(access.bytes, 12U);
  EXPECT_EQ(repetitions_of(access), (std::vector<Repetition>{{2, 540}, {2, 180}, {2, 60}, {2, 20}}));
}

TEST(MemoryAccess, BeyondAnAddressSpaceIsTheLargestNumber) {
  constexpr std::uint64_t largest = ~std::uint64_t{0};
  constexpr std::int64_t far = std::int64_t{1} << 62;
  EXPECT_EQ(extent_bytes(view({far}, {1})), largest);
  EXPECT_EQ(extent_bytes(view({far}, {2})), largest);
  EXPECT_EQ(extent_bytes(view({3}, {far})), largest);
  EXPECT_EQ(extent_bytes(view({3}, {-far})), largest);
  EXPECT_EQ(extent_bytes(view({far, far}, {2, 4})), largest);
  EXPECT_EQ(traffic_bytes(view({far, far}, {9, 2})), largest);
}

TEST(MemoryAccess, CountsWhatWasMadeByHand) {
  MemoryAccess access{first, 4, AccessMode::read, 1, {2, {Repetition{3, 0}, Repetition{5, 8}}}};
  EXPECT_EQ(extent_bytes(access), 36U);
  EXPECT_EQ(traffic_bytes(access), 20U);
  access.repetitions.all[0].count = 0;
  EXPECT_EQ(extent_bytes(access), 0U);
  EXPECT_EQ(traffic_bytes(access), 0U);
}

TEST(MemoryAccess, TouchesTheBytesOfItsElementsAndNoOthers) {
  std::uint64_t draws = 0;
  const auto below = [&](std::int64_t limit) { return static_cast<std::int64_t>(splitmix(++draws)) & (limit - 1); };
  for (int i = 0; i < 3000; ++i) {
    Numbers sizes;
    Numbers strides;
    for (std::int64_t left = below(8) % 5; left > 0; --left) {
      sizes.push_back(1 + below(4));
      strides.push_back(below(32) - 12);
    }
    const auto element_bytes = static_cast<std::size_t>(1 + below(4));
    const MemoryAccess access = view(sizes, strides, element_bytes);
    const Bytes bytes = bytes_of(access);
    ASSERT_EQ(bytes, bytes_of(sizes, strides, element_bytes))
        << testing::PrintToString(sizes) << " by " << testing::PrintToString(strides) << ", draw " << i;
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(access.address), *bytes.begin());
    ASSERT_EQ(extent_bytes(access), *bytes.rbegin() - *bytes.begin() + 1);
    for (std::size_t inner = 1; inner < access.repetitions.used; ++inner) {
      ASSERT_GT(access.repetitions.all[inner - 1].stride, access.repetitions.all[inner].stride);
    }
  }
}

}  // namespace
}  // namespace gpucheck::device
