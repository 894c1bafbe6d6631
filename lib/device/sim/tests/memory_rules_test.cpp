#include <array>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

#include "device/sim/tests/fixture.hpp"

// Memory to its last byte and to the moment it is freed: what may be touched, who waits, and
// what a failure before it does to a call.
namespace gpucheck::sim {
namespace {

using device::CopyKind;
using device::Device;
using device::Status;
using device::Stream;

constexpr std::size_t memory_bytes = 64;
constexpr std::uint64_t long_time_ns = 50'000'000;

/// Virtual time, in which work gets done, without a call that waits or asks.
void let_time_pass(Device& device) {
  constexpr int calls = 2000;
  for (int i = 0; i < calls; ++i) check(status_of(device.exchange_capture_mode(device::CaptureMode::global)), "time");
}

void spin(const Fixture& fixture, Stream stream) { fixture.run(device::kernels::Spin{long_time_ns}, 1, stream); }

/// Work that will fail on the device.
void write_nowhere(const Fixture& fixture, Stream stream) {
  fixture.fill(reinterpret_cast<std::int32_t*>(std::uintptr_t{0x100}), 1, 1, stream);
}

TEST(MemoryRules, CopiesReachToTheLastByteAndNoFurther) {
  const Fixture fixture;
  Device& device = fixture.device();
  std::vector<std::byte> pageable(2 * memory_bytes);
  auto* const memory = fixture.memory<std::byte>(memory_bytes);
  auto* const pinned = fixture.pinned<std::byte>(memory_bytes);
  for (std::byte* const place : {memory, pinned}) {
    const CopyKind to = place == memory ? CopyKind::host_to_device : CopyKind::host_to_host;
    const CopyKind from = place == memory ? CopyKind::device_to_host : CopyKind::host_to_host;
    const Stream stream = fixture.stream();
    for (const std::size_t offset : {std::size_t{0}, memory_bytes - 1}) {
      EXPECT_EQ(device.copy(place + offset, pageable.data(), memory_bytes - offset, to, stream), Status::success);
      EXPECT_EQ(device.copy(pageable.data(), place + offset, memory_bytes - offset, from, stream), Status::success);
      EXPECT_EQ(device.copy(place + offset, pageable.data(), memory_bytes - offset + 1, to, stream),
                Status::invalid_value);
      EXPECT_EQ(device.copy(pageable.data(), place + offset, memory_bytes - offset + 1, from, stream),
                Status::invalid_value);
    }
    EXPECT_EQ(device.fill(place, 1, memory_bytes, stream), Status::success);
    EXPECT_EQ(device.fill(place, 1, memory_bytes + 1, stream), Status::invalid_value);
    EXPECT_EQ(device.synchronize(), Status::success);
  }
}

TEST(MemoryRules, PageableMemoryIsNeverADevices) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  std::vector<std::byte> pageable(memory_bytes);
  auto* const memory = fixture.memory<std::byte>(memory_bytes);
  auto* const pinned = fixture.pinned<std::byte>(memory_bytes);
  for (std::byte* const place : {memory, pinned}) {
    EXPECT_EQ(device.copy(pageable.data(), place, memory_bytes, CopyKind::device_to_device, stream),
              Status::invalid_value);
    EXPECT_EQ(device.copy(place, pageable.data(), memory_bytes, CopyKind::device_to_device, stream),
              Status::invalid_value);
    EXPECT_EQ(device.copy(pageable.data(), place, memory_bytes, CopyKind::host_to_device, stream),
              Status::invalid_value);
    EXPECT_EQ(device.copy(place, pageable.data(), memory_bytes, CopyKind::device_to_host, stream),
              Status::invalid_value);
  }
}

TEST(MemoryRules, KernelsReachWhatIsAllocatedAndNoFurther) {
  constexpr std::size_t count = memory_bytes / sizeof(std::int32_t);
  for (const std::size_t beyond : {std::size_t{0}, std::size_t{1}}) {
    const Fixture fixture;
    const Stream stream = fixture.stream();
    fixture.fill(fixture.memory(count), 1, count + beyond, stream);
    EXPECT_EQ(fixture.device().synchronize(stream), beyond == 0 ? Status::success : Status::illegal_address);
  }
}

TEST(MemoryRules, WhatAStreamFreedItsLaterWorkDoesNotReach) {
  for (const bool freed : {false, true}) {
    const Fixture fixture;
    Device& device = fixture.device();
    const Stream stream = fixture.stream();
    auto* const memory = static_cast<std::int32_t*>(device.allocate_async(memory_bytes, stream).value());
    fixture.fill(memory, 1, 1, stream);
    if (freed) check(device.free_async(memory, stream), "free_async");
    fixture.fill(memory, 1, 1, stream);
    EXPECT_EQ(device.synchronize(stream), freed ? Status::illegal_address : Status::success);
  }
}

TEST(MemoryRules, MemoryThatComesBackWithoutAWaitHasNoPast) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream one = fixture.stream();
  const Stream other = fixture.stream();
  auto* const memory = fixture.memory(1000);
  fixture.fill(memory, 1, 1000, one);
  check(device.free_async(memory, one), "free_async");
  let_time_pass(device);
  auto* const again = fixture.memory(1000);
  ASSERT_EQ(again, memory);
  fixture.fill(again, 2, 1000, other);
  EXPECT_TRUE(fixture.driver().races().empty());
}

TEST(MemoryRules, FreesMeetWhatFailedBeforeThem) {
  struct Free {
    std::string_view name;
    Status (*call)(Device& device, void* memory, void* pinned, void* registered);
  };
  constexpr std::array frees{
      Free{"free", [](Device& device, void* memory, void*, void*) { return device.free(memory); }},
      Free{"free_pinned", [](Device& device, void*, void* pinned, void*) { return device.free_pinned(pinned); }},
      Free{"unregister_host",
           [](Device& device, void*, void*, void* registered) { return device.unregister_host(registered); }},
  };
  for (const Free& free : frees) {
    SCOPED_TRACE(free.name);
    const Fixture fixture;
    Device& device = fixture.device();
    void* const memory = fixture.memory(1);
    void* const pinned = fixture.pinned(1);
    std::vector<std::byte> registered(memory_bytes);
    check(device.register_host(registered.data(), memory_bytes), "register_host");
    const Stream stream = fixture.stream();
    spin(fixture, stream);
    write_nowhere(fixture, stream);
    EXPECT_EQ(free.call(device, memory, pinned, registered.data()), Status::illegal_address);
  }
}

TEST(MemoryRules, UnregisteringWaitsForTheWorkThatUsesTheMemory) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  std::vector<std::byte> registered(memory_bytes);
  auto* const memory = fixture.memory<std::byte>(memory_bytes);
  check(device.register_host(registered.data(), memory_bytes), "register_host");
  check(device.fill(memory, 7, memory_bytes, stream), "fill");
  spin(fixture, stream);
  fixture.copy(registered.data(), memory, memory_bytes, CopyKind::device_to_host, stream);
  EXPECT_EQ(device.unregister_host(registered.data()), Status::success);
  EXPECT_EQ(registered, std::vector<std::byte>(memory_bytes, std::byte{7}));
  EXPECT_EQ(device.synchronize(), Status::success);
}

TEST(MemoryRules, ACopyThatIsWaitedForMeetsWhatFailedBeforeIt) {
  const Fixture fixture;
  const Stream stream = fixture.stream();
  std::vector<std::byte> pageable(memory_bytes);
  auto* const memory = fixture.memory<std::byte>(memory_bytes);
  write_nowhere(fixture, stream);
  EXPECT_EQ(fixture.device().copy(pageable.data(), memory, memory_bytes, CopyKind::device_to_host, stream),
            Status::illegal_address);
}

// "For transfers from pageable host memory to device memory ... the function will return once
// the pageable buffer has been copied to the staging memory"; up to 64 KiB it does not wait.
TEST(MemoryRules, ACopyFromPageableMemoryHasReadItWhenItReturns) {
  constexpr std::size_t staged = std::size_t{64} << 10;
  for (const std::size_t size : {std::size_t{1}, staged - 1, staged, staged + 1, 2 * staged}) {
    SCOPED_TRACE(size);
    const Fixture fixture;
    Device& device = fixture.device();
    const Stream stream = fixture.stream();
    auto* const memory = fixture.memory<std::byte>(size);
    std::vector<std::byte> pageable(size, std::byte{1});
    spin(fixture, stream);
    fixture.copy(memory, pageable.data(), size, CopyKind::host_to_device, stream);
    EXPECT_EQ(device.query(stream), size <= staged ? Status::not_ready : Status::success);
    pageable.assign(size, std::byte{2});
    std::vector<std::byte> seen(size);
    fixture.copy(seen.data(), memory, size, CopyKind::device_to_host, stream);
    EXPECT_EQ(seen, std::vector<std::byte>(size, std::byte{1}));
  }
}

// That a large one is waited for is not a promise to build on: it orders nothing.
TEST(MemoryRules, ACopyFromPageableMemoryOrdersNothing) {
  for (const std::size_t size : {std::size_t{1} << 10, std::size_t{1} << 20}) {
    const Fixture fixture;
    const Stream one = fixture.stream();
    const Stream other = fixture.stream();
    auto* const memory = fixture.memory<std::byte>(size);
    const std::vector<std::byte> pageable(size);
    fixture.copy(memory, pageable.data(), size, CopyKind::host_to_device, one);
    check(fixture.device().fill(memory, 1, size, other), "fill");
    EXPECT_EQ(fixture.driver().races().size(), 1U) << size;
  }
}

TEST(MemoryRules, APoolLetsNoStreamWaitForAnotherWhileThereIsMemory) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream slow = fixture.stream();
  const Stream quick = fixture.stream();
  constexpr std::size_t size = std::size_t{1} << 20;
  void* const memory = device.allocate_async(size, slow).value();
  spin(fixture, slow);
  check(device.free_async(memory, slow), "free_async");
  EXPECT_NE(device.allocate_async(size, quick).value(), memory);
  EXPECT_EQ(device.synchronize(quick), Status::success);
  EXPECT_EQ(device.query(slow), Status::not_ready);
  EXPECT_EQ(device.allocate_async(size, slow).value(), memory) << "the stream that freed it may have it at once";
}

TEST(MemoryRules, APoolGivesTheSmallestBlockThatFits) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  constexpr std::size_t size = std::size_t{1} << 20;
  constexpr std::array sizes{4 * size, size, 2 * size, 3 * size};
  std::array<void*, sizes.size()> blocks{};
  for (std::size_t i = 0; i < sizes.size(); ++i) blocks[i] = device.allocate_async(sizes[i], stream).value();
  spin(fixture, stream);
  for (void* const block : blocks) check(device.free_async(block, stream), "free_async");
  for (const std::size_t i : {1U, 2U, 3U, 0U}) EXPECT_EQ(device.allocate_async(sizes[i], stream).value(), blocks[i]);
}

TEST(MemoryRules, APoolIsTrimmedToExactlyWhatItMayKeep) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  check(device.set_async_pool_threshold(~std::uint64_t{0}), "set_async_pool_threshold");
  check(device.free_async(device.allocate_async(memory_bytes, stream).value(), stream), "free_async");
  check(device.synchronize(), "synchronize");
  const std::uint64_t reserved = device.async_pool_usage().value().reserved_bytes;
  ASSERT_GT(reserved, 0U);
  for (const std::uint64_t keep : {reserved + 1, reserved}) {
    check(device.trim_async_pool(keep), "trim_async_pool");
    EXPECT_EQ(device.async_pool_usage().value().reserved_bytes, reserved);
  }
  check(device.trim_async_pool(reserved - 1), "trim_async_pool");
  EXPECT_EQ(device.async_pool_usage().value().reserved_bytes, 0U);
}

TEST(MemoryRules, RegisteredRangesMayTouch) {
  const Fixture fixture;
  Device& device = fixture.device();
  std::vector<std::byte> host(3 * memory_bytes);
  const auto kind = [&](std::size_t at) { return device.pointer_info(host.data() + at).value().kind; };
  check(device.register_host(host.data() + memory_bytes, memory_bytes), "register_host");
  EXPECT_EQ(kind(memory_bytes - 1), device::MemoryKind::unregistered);
  EXPECT_EQ(kind(memory_bytes), device::MemoryKind::host);
  EXPECT_EQ(kind(2 * memory_bytes - 1), device::MemoryKind::host);
  EXPECT_EQ(kind(2 * memory_bytes), device::MemoryKind::unregistered);
  for (const std::size_t begin : {std::size_t{1}, 2 * memory_bytes - 1}) {
    EXPECT_EQ(device.register_host(host.data() + begin, memory_bytes), Status::host_memory_already_registered);
  }
  for (const std::size_t begin : {std::size_t{0}, 2 * memory_bytes}) {
    EXPECT_EQ(device.register_host(host.data() + begin, memory_bytes), Status::success);
  }
  for (const std::size_t begin : {std::size_t{0}, memory_bytes, 2 * memory_bytes}) {
    EXPECT_EQ(device.unregister_host(host.data() + begin), Status::success);
  }
}

TEST(MemoryRules, AMappingThatFailsTakesNoMemory) {
  const Fixture fixture;
  Device& device = fixture.device();
  constexpr std::size_t size = device::mapping_granularity;
  void* const addresses = device.reserve_addresses(size).value();
  const auto free_bytes = [&] { return device.memory_info().value().free_bytes; };
  const std::uint64_t before = free_bytes();
  check(device.map_memory(addresses, size), "map_memory");
  EXPECT_EQ(free_bytes(), before - size);
  EXPECT_EQ(device.map_memory(addresses, size), Status::invalid_value) << "it is mapped";
  EXPECT_EQ(free_bytes(), before - size);
  EXPECT_EQ(device.unmap_memory(addresses, size), Status::success);
  EXPECT_EQ(free_bytes(), before);
}

TEST(MemoryRules, MemoryThatIsMappedAnewHasNoPast) {
  for (const bool waits : {true, false}) {
    const Fixture fixture;
    Device& device = fixture.device();
    const Stream one = fixture.stream();
    const Stream other = fixture.stream();
    constexpr std::size_t size = device::mapping_granularity;
    auto* const memory = static_cast<std::int32_t*>(device.reserve_addresses(size).value());
    check(device.map_memory(memory, size), "map_memory");
    fixture.fill(memory, 1, 10, one);
    if (waits) check(device.synchronize(one), "synchronize");
    check(device.unmap_memory(memory, size), "unmap_memory");
    EXPECT_EQ(fixture.driver().races().size(), waits ? 0U : 1U) << "unmapping is a write by the host";
    check(device.map_memory(memory, size), "map_memory");
    fixture.fill(memory, 2, 10, other);
    EXPECT_EQ(fixture.driver().races().size(), waits ? 0U : 1U);
  }
}

}  // namespace
}  // namespace gpucheck::sim
