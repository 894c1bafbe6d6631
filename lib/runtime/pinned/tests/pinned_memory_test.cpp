#include "runtime/pinned/pinned_memory.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <sys/mman.h>
#include <vector>

#include "base/text/units.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/pinned/pinned_allocator.hpp"

// How page-locked memory is made and given back.
namespace gpucheck::runtime::detail {
namespace {

using namespace literals;
using device::Result;
using device::Status;
using Origin = PinnedMemory::Origin;

/// Counts what is allocated and registered, and refuses where the test wants it.
class CountingHostDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  [[nodiscard]] Result<void*> allocate_pinned(std::size_t bytes) override {
    if (refuses) return Status::out_of_memory;
    asked.push_back(bytes);
    ++allocated;
    return ForwardingDevice::allocate_pinned(bytes);
  }
  Status free_pinned(void* pointer) override {
    --allocated;
    return ForwardingDevice::free_pinned(pointer);
  }
  Status register_host(void* pointer, std::size_t bytes) override {
    if (refuses) return Status::out_of_memory;
    asked.push_back(bytes);
    ++registered;
    return ForwardingDevice::register_host(pointer, bytes);
  }
  Status unregister_host(void* pointer) override {
    --registered;
    return ForwardingDevice::unregister_host(pointer);
  }

  std::vector<std::size_t> asked;
  int allocated = 0;
  int registered = 0;
  bool refuses = false;
};

class PinnedMemoryTest : public testing::Test {
 protected:
  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("small")});
  CountingHostDevice device{driver->open(0).value()};
  std::optional<PinnedMemorySource> source{std::in_place, device};
  AllocatorSettings settings;
};

TEST_F(PinnedMemoryTest, IsTheDriversByDefault) {
  const PinnedMemory memory = source->obtain(1000, settings);
  EXPECT_EQ(memory.origin, Origin::allocated);
  EXPECT_EQ(memory.bytes, 1000U);
  EXPECT_EQ(device.asked, std::vector<std::size_t>{1000});
  source->release(memory);
  EXPECT_EQ(device.allocated, 0);
  EXPECT_EQ(device.registered, 0);
}

TEST_F(PinnedMemoryTest, OfTheHostIsRegisteredAndUnregistered) {
  settings.pinned_use_host_register = true;
  const PinnedMemory memory = source->obtain(1000, settings);
  EXPECT_EQ(memory.origin, Origin::registered);
  EXPECT_EQ(memory.bytes, 1000U);
  EXPECT_EQ(device.asked, std::vector<std::size_t>{1000});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.pointer) % 4096, 0U);
  EXPECT_EQ(device.allocated, 0);
  source->release(memory);
  EXPECT_EQ(device.registered, 0);
}

TEST_F(PinnedMemoryTest, WhatTheDriverRefusesIsItsError) {
  device.refuses = true;
  for (const bool registers : {false, true}) {
    settings.pinned_use_host_register = registers;
    try {
      static_cast<void>(source->obtain(1000, settings));
      ADD_FAILURE() << "no error";
    } catch (const device::DeviceError& error) {
      EXPECT_EQ(error.status(), Status::out_of_memory);
      EXPECT_NE(
          std::string(error.what())
              .find(registers ? "page-lock 1000 bytes of host memory" : "allocate 1000 bytes of pinned host memory"),
          std::string::npos)
          << error.what();
    }
  }
}

/// Pages of a range that the host has provided.
std::size_t resident_pages(const PinnedMemory& memory) {
  std::vector<unsigned char> pages((memory.bytes + 4095) / 4096);
  EXPECT_EQ(::mincore(memory.pointer, memory.bytes, pages.data()), 0);
  std::size_t resident = 0;
  for (const unsigned char page : pages) resident += page & 1U;
  return resident;
}

// Before the driver is asked, by each number of threads, whether or not it divides the pages; more than 32 MiB, so that
// each is mapped anew, without pages.
TEST_F(PinnedMemoryTest, AllPagesOfTheHostsAreProvided) {
  settings.pinned_use_host_register = true;
  constexpr std::size_t pages = 8'449;
  for (const std::uint64_t threads : {0U, 1U, 2U, 3U, 7U, 16U}) {
    SCOPED_TRACE(threads);
    settings.pinned_num_register_threads = threads;
    const PinnedMemory memory = source->obtain(pages * 4096 - 100, settings);
    EXPECT_EQ(resident_pages(memory), pages);
    source->release(memory);
  }
}

// Fewer pages than threads, and as many.
TEST_F(PinnedMemoryTest, MoreThreadsThanPagesAreNoHarm) {
  settings.pinned_use_host_register = true;
  settings.pinned_num_register_threads = 8;
  for (const std::size_t bytes : {1_KiB, 28_KiB, 32_KiB - 1, 32_KiB, 36_KiB}) {
    const PinnedMemory memory = source->obtain(bytes, settings);
    EXPECT_EQ(resident_pages(memory), (bytes + 4095) / 4096) << bytes;
    source->release(memory);
  }
}

// Parts at multiples of 256 bytes, as long as one fits to the last byte; what does not is made as if there were none.
TEST_F(PinnedMemoryTest, PartsOfTheReservedSegmentFollowEachOther) {
  settings.pinned_reserve_segment_size = 1_KiB;
  const PinnedMemory first = source->obtain(1, settings);
  const PinnedMemory second = source->obtain(256, settings);
  const PinnedMemory too_large = source->obtain(513, settings);
  const PinnedMemory last = source->obtain(512, settings);
  const PinnedMemory beyond = source->obtain(1, settings);
  EXPECT_EQ(device.asked, (std::vector<std::size_t>{1_KiB, 513, 1}));
  auto* const begin = static_cast<std::byte*>(first.pointer);
  EXPECT_EQ(first.origin, Origin::reserved);
  EXPECT_EQ(first.bytes, 1U);
  EXPECT_EQ(second.pointer, begin + 256);
  EXPECT_EQ(too_large.origin, Origin::allocated);
  EXPECT_EQ(last.pointer, begin + 512);
  EXPECT_EQ(last.origin, Origin::reserved);
  EXPECT_EQ(beyond.origin, Origin::allocated);
  source->release(first);
  EXPECT_EQ(device.allocated, 3) << "nothing happens to a part";
  source->release(too_large);
  source->release(beyond);
  EXPECT_EQ(device.allocated, 1);
  source.reset();
  EXPECT_EQ(device.allocated, 0);
}

TEST_F(PinnedMemoryTest, ASegmentThatIsUsedUpUnalignedIsFull) {
  settings.pinned_reserve_segment_size = 300;
  EXPECT_EQ(source->obtain(280, settings).origin, Origin::reserved);
  const PinnedMemory beyond = source->obtain(1, settings);  // the next multiple of 256 lies beyond the end
  EXPECT_EQ(beyond.origin, Origin::allocated);
  source->release(beyond);
}

TEST_F(PinnedMemoryTest, TheReservedSegmentIsMadeAsTheSettingsSay) {
  settings.pinned_reserve_segment_size = 8_KiB;
  settings.pinned_use_host_register = true;
  EXPECT_EQ(source->obtain(8_KiB, settings).origin, Origin::reserved);
  EXPECT_EQ(device.registered, 1);
  source.reset();
  EXPECT_EQ(device.registered, 0);
}

}  // namespace
}  // namespace gpucheck::runtime::detail
