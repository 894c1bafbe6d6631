#include "device/sim/memory/address_space.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unordered_map>

namespace gpucheck::sim {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr std::uintptr_t base = std::uintptr_t{1} << 40;
constexpr std::uint64_t total = std::uint64_t{1} << 38;
constexpr std::uintptr_t context = base + total - AddressSpace::context_bytes;

AddressSpace fresh() {
  AddressSpace space;
  space.assign({base, total});
  return space;
}

TEST(AddressSpace, PlacesEveryAllocationWhereAnH100Does) {
  std::ifstream file(GPUCHECK_TEST_DATA "/h100_addresses.txt");
  AddressSpace space;
  std::unordered_map<std::uintptr_t, std::uint64_t> sizes;
  int allocations = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "process") space = fresh();
    std::uint64_t size = 0;
    std::int64_t at = 0;
    if (word == "a") {
      in >> size >> at;
      const std::uintptr_t expected = context + static_cast<std::uintptr_t>(at * static_cast<std::int64_t>(mib));
      ASSERT_EQ(space.allocate(size * mib), expected) << "allocation " << allocations << ": " << line;
      sizes[expected] = size * mib;
      ++allocations;
    } else if (word == "f") {
      in >> at;
      const std::uintptr_t address = context + static_cast<std::uintptr_t>(at * static_cast<std::int64_t>(mib));
      space.free({address, sizes.at(address)});
    }
  }
  EXPECT_EQ(allocations, 764);
}

TEST(AddressSpace, TakesBackNeighboursOfDifferentRegionsAtOnce) {
  AddressSpace space = fresh();
  const auto upper = space.allocate(32 * mib);
  const auto lower = space.allocate(32 * mib);
  ASSERT_EQ(upper, context - 32 * mib);
  ASSERT_EQ(lower, context - 64 * mib);
  space.free({*lower, 64 * mib});
  EXPECT_EQ(space.allocate(64 * mib), context - 64 * mib);
}

TEST(AddressSpace, HasNoRoomForMoreThanThereIs) {
  AddressSpace space = fresh();
  EXPECT_EQ(space.allocate(2 * total), std::nullopt);
}

}  // namespace
}  // namespace gpucheck::sim
