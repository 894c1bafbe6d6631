#include <cerrno>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "device/sim/memory/virtual_memory.hpp"
#include "device/topics/virtual_memory.hpp"

// Where reservations and what is mapped in them begin and end.
namespace gpucheck::sim {
namespace {

constexpr std::uint64_t granule = device::mapping_granularity;

TEST(VirtualMemoryEdges, ARangeLiesWithinOneReservation) {
  VirtualMemory memory;
  const std::uintptr_t begin = memory.reserve(4 * granule).value();
  EXPECT_EQ(begin % granule, 0U);
  EXPECT_TRUE(memory.is_unmapped({begin, 4 * granule}));
  EXPECT_FALSE(memory.is_unmapped({begin, 5 * granule}));
  EXPECT_TRUE(memory.is_unmapped({begin + granule, 3 * granule}));
  EXPECT_FALSE(memory.is_unmapped({begin + granule, 4 * granule}));
  EXPECT_TRUE(memory.is_unmapped({begin + 3 * granule, granule}));
  EXPECT_FALSE(memory.is_unmapped({begin + 3 * granule, 2 * granule}));
  EXPECT_FALSE(memory.map({begin + 3 * granule, 2 * granule}));
  EXPECT_TRUE(memory.owns(begin));
  EXPECT_TRUE(memory.owns(begin + 4 * granule - 1));
  EXPECT_FALSE(memory.owns(begin + 4 * granule));
  EXPECT_FALSE(memory.owns(begin - 1));
}

TEST(VirtualMemoryEdges, NeighboursOfWhatIsMappedAreFree) {
  VirtualMemory memory;
  const std::uintptr_t begin = memory.reserve(4 * granule).value();
  ASSERT_TRUE(memory.map({begin + granule, granule}));
  EXPECT_TRUE(memory.is_unmapped({begin, granule}));
  EXPECT_FALSE(memory.is_unmapped({begin, 2 * granule}));
  EXPECT_FALSE(memory.is_unmapped({begin + granule, granule}));
  EXPECT_TRUE(memory.is_unmapped({begin + 2 * granule, 2 * granule}));
  EXPECT_FALSE(memory.is_unmapped({begin, 4 * granule}));
  EXPECT_FALSE(memory.unmap({begin + granule, 2 * granule}));
  EXPECT_FALSE(memory.unmap({begin, 2 * granule}));
  EXPECT_TRUE(memory.unmap({begin + granule, granule}));
  EXPECT_TRUE(memory.is_unmapped({begin, 4 * granule}));
}

bool is_of_this_process(std::uintptr_t address) {
  unsigned char resident = 0;
  return ::mincore(reinterpret_cast<void*>(address), 1, &resident) == 0 || errno != ENOMEM;
}

TEST(VirtualMemoryEdges, AddressesGoBackToTheSystem) {
  std::uintptr_t released = 0;
  std::uintptr_t left = 0;
  {
    VirtualMemory memory;
    released = memory.reserve(2 * granule).value();
    left = memory.reserve(2 * granule).value();
    EXPECT_TRUE(is_of_this_process(released));
    EXPECT_FALSE(memory.release({released, granule}));
    EXPECT_FALSE(memory.release({released + granule, granule}));
    EXPECT_TRUE(memory.release({released, 2 * granule}));
    EXPECT_FALSE(is_of_this_process(released));
    EXPECT_FALSE(is_of_this_process(released + granule));
    EXPECT_FALSE(memory.owns(released));
    EXPECT_TRUE(is_of_this_process(left));
  }
  EXPECT_FALSE(is_of_this_process(left));
  EXPECT_FALSE(is_of_this_process(left + granule));
}

}  // namespace
}  // namespace gpucheck::sim
