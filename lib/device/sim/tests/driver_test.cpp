#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "base/text/units.hpp"
#include "device/sim/tests/fixture.hpp"

namespace gpucheck::sim {
namespace {

using device::Status;
using namespace literals;

std::unique_ptr<Driver> make(std::string_view profile_name, int device_count = 1) {
  return make_driver({.profile = profile(profile_name), .seed = 0, .device_count = device_count});
}

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total_pages = 0;
  std::uint64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

TEST(Profiles, AreKnownByName) {
  EXPECT_EQ(profile_names(), (std::vector<std::string_view>{"h100", "h200", "small"}));
  for (const std::string_view name : profile_names()) EXPECT_EQ(profile(name).name, name);
  EXPECT_THROW(static_cast<void>(profile("h1000")), UsageError);
}

// NVIDIA H100 SXM data sheet and CUDA programming guide, compute capability 9.0.
TEST(Profiles, AnH100HasTheNumbersOfAnH100) {
  const auto properties = profile("h100").properties;
  EXPECT_EQ(properties.multiprocessor_count, 132);
  EXPECT_EQ(properties.max_threads_per_multiprocessor, 2048);
  EXPECT_EQ(properties.max_threads_per_block, 1024);
  EXPECT_EQ(properties.compute_capability_major, 9);
  EXPECT_EQ(properties.l2_cache_bytes, 50_MiB);
  EXPECT_EQ(properties.greatest_priority, -5);
  EXPECT_EQ(format_bytes(properties.total_memory_bytes), "79.18 GiB");
}

// NVIDIA H200 data sheet and tuning guide; nvidia-smi shows 143,771 MiB.
TEST(Profiles, AnH200IsAnH100WithMoreAndFasterMemory) {
  const auto properties = profile("h200").properties;
  EXPECT_EQ(properties.name, "Simulated NVIDIA H200");
  EXPECT_EQ(properties.multiprocessor_count, 132);
  EXPECT_EQ(properties.l2_cache_bytes, 60_MiB);
  EXPECT_NEAR(static_cast<double>(properties.total_memory_bytes), 143'771.0 * 1024 * 1024, 1 << 30);
  EXPECT_GT(profile("h200").memory_bytes_per_ns, profile("h100").memory_bytes_per_ns);
}

TEST(Profiles, NobodyTakesThemForHardware) {
  Fixture fixture(0, 2, "h100");
  const auto second = fixture.driver().open(1).value();
  for (const device::Device* device : {&fixture.device(), second.get()}) {
    EXPECT_EQ(device->properties().uuid.rfind("SIM-", 0), 0U);
    EXPECT_EQ(device->properties().pci_bus_id.rfind("sim:", 0), 0U);
    EXPECT_NE(device->properties().name.find("Simulated"), std::string::npos);
  }
  EXPECT_NE(fixture.device().properties().uuid, second->properties().uuid);
}

TEST(DeviceMemory, OfALargeDeviceIsNotTouchedUntilUsed) {
  const std::uint64_t before = resident_bytes();
  Fixture fixture(0, 1, "h100");
  std::vector<void*> blocks;
  for (int index = 0; index < 78; ++index) blocks.push_back(fixture.device().allocate(1_GiB).value());
  EXPECT_EQ(fixture.driver().live_bytes(), 78_GiB);
  fixture.fill(static_cast<std::int32_t*>(blocks[40]), 1, 1024, fixture.stream());
  check(fixture.device().synchronize(), "synchronize");
  EXPECT_LT(resident_bytes(), before + 64_MiB);
}

// Not at once, which would cost a page fault for each page of the next allocation, but
// before a program that allocates and frees all the time has filled the host.
TEST(DeviceMemory, GoesBackToTheSystemWhenMuchWasFreed) {
#ifdef GPUCHECK_TEST_THREAD_SANITIZED
  GTEST_SKIP() << "the thread sanitizer keeps shadow memory for what was once written";
#endif
  Fixture fixture(0, 1, "h100");
  const std::uint64_t before = resident_bytes();
  void* block = fixture.device().allocate(64_MiB).value();
  check(fixture.device().fill(block, 1, 64_MiB, device::legacy_default_stream), "fill");
  check(fixture.device().synchronize(), "synchronize");
  EXPECT_GT(resident_bytes(), before + 60_MiB);
  check(fixture.device().free(block), "free");
  check(fixture.device().free(fixture.device().allocate(20_GiB).value()), "free");
  EXPECT_LT(resident_bytes(), before + 30_MiB);
}

TEST(DeviceMemory, RunsOutAtTheProfilesSizeAndRecovers) {
  Fixture fixture;
  EXPECT_EQ(fixture.device().allocate(256_MiB).error(), Status::out_of_memory);
  const auto free_bytes = fixture.device().memory_info().value().free_bytes;
  EXPECT_EQ(free_bytes, 240_MiB);
  void* all = fixture.device().allocate(free_bytes).value();
  EXPECT_EQ(fixture.device().allocate(1).error(), Status::out_of_memory);
  check(fixture.device().free(all), "free");
  EXPECT_EQ(fixture.device().memory_info().value().free_bytes, free_bytes);
}

// Holes do not matter to a device with virtual memory.
TEST(DeviceMemory, DoesNotFragment) {
  Fixture fixture;
  std::vector<void*> blocks;
  for (int index = 0; index < 120; ++index) blocks.push_back(fixture.device().allocate(2_MiB).value());
  for (std::size_t index = 0; index < blocks.size(); index += 2) check(fixture.device().free(blocks[index]), "free");
  EXPECT_TRUE(fixture.device().allocate(120_MiB).has_value());
}

TEST(Pool, GivesUnusedMemoryBackAtTheNextSynchronisation) {
  Fixture fixture;
  const auto stream = fixture.stream();
  const auto before = fixture.device().memory_info().value().free_bytes;
  void* block = fixture.device().allocate_async(1_MiB, stream).value();
  EXPECT_EQ(fixture.device().memory_info().value().free_bytes, before - 32_MiB);
  check(fixture.device().free_async(block, stream), "free_async");
  EXPECT_EQ(fixture.device().memory_info().value().free_bytes, before - 32_MiB);
  fixture.synchronize(stream);
  EXPECT_EQ(fixture.device().memory_info().value().free_bytes, before);
}

TEST(ApiCalls, AreCountedByName) {
  const auto driver = make("small");
  EXPECT_EQ(driver->api_calls().total, 0U);
  const auto device = driver->open(0).value();
  EXPECT_EQ(device->properties().multiprocessor_count, 4);  // known since it was opened
  void* block = device->allocate(64).value();
  check(device->free(block), "free");
  EXPECT_EQ(device->query(device::legacy_default_stream), Status::success);
  EXPECT_EQ(device->query(device::legacy_default_stream), Status::success);
  const ApiCalls calls = driver->api_calls();
  const std::vector<std::pair<std::string, std::uint64_t>> expected{
      {"allocate", 1}, {"free", 1}, {"initialize", 1}, {"query_stream", 2}};
  EXPECT_EQ(calls.by_name, expected);
  EXPECT_EQ(calls.total, 5U);
}

TEST(Initialisation, ComesWithTheFirstCountOrOpen) {
  const auto driver = make("small", 2);
  EXPECT_EQ(driver->device_count_without_initialising().error(), Status::initialization_error);
  EXPECT_EQ(driver->device_count().value(), 2);
  EXPECT_EQ(driver->device_count_without_initialising().value(), 2);
}

TEST(Initialisation, ReadsTheVisibleDevicesThen) {
  const auto driver = make("small", 4);
  const Environment visible(visible_devices_variable, "2,0,9,1");
  EXPECT_EQ(driver->device_count().value(), 2);
  EXPECT_EQ(driver->open(0).value()->properties().uuid, "SIM-small-2");
  EXPECT_EQ(driver->open(1).value()->properties().uuid, "SIM-small-0");
  EXPECT_EQ(driver->open(2).error(), Status::invalid_device);
}

TEST(Initialisation, TheFirstVisibleDeviceThatDoesNotExistEndsTheList) {
  const auto driver = make("small", 4);
  const Environment visible(visible_devices_variable, "3,4,0");
  EXPECT_EQ(driver->device_count().value(), 1);
  EXPECT_EQ(driver->open(0).value()->properties().uuid, "SIM-small-3");
}

TEST(Initialisation, WithoutAVisibleDeviceThereIsNoDevice) {
  const auto driver = make("small");
  const Environment visible(visible_devices_variable, "");
  EXPECT_EQ(driver->device_count().error(), Status::no_device);
  EXPECT_EQ(driver->open(0).error(), Status::no_device);
  EXPECT_EQ(driver->device_count_without_initialising().error(), Status::initialization_error);
}

TEST(Initialisation, ADeviceNamedTwiceIsInvalid) {
  const auto driver = make("small", 2);
  const Environment visible(visible_devices_variable, "1,1");
  EXPECT_EQ(driver->device_count().error(), Status::invalid_device);
}

TEST(Peers, AKernelReachesAnotherDeviceOnlyOnceEnabled) {
  for (const bool enabled : {false, true}) {
    Fixture fixture(0, 2);
    const auto second = fixture.driver().open(1).value();
    auto* theirs = static_cast<std::int32_t*>(second->allocate(64).value());
    EXPECT_TRUE(fixture.device().can_access_peer(1).value());
    EXPECT_FALSE(fixture.device().can_access_peer(0).value());
    EXPECT_EQ(fixture.device().can_access_peer(2).error(), Status::invalid_device);
    if (enabled) {
      EXPECT_EQ(fixture.device().enable_peer_access(1), Status::success);
      EXPECT_EQ(fixture.device().enable_peer_access(1), Status::peer_access_already_enabled);
    }
    fixture.fill(theirs, 1, 16, fixture.stream());
    EXPECT_EQ(fixture.device().synchronize(), enabled ? Status::success : Status::illegal_address);
    EXPECT_EQ(second->synchronize(), Status::success);
  }
}

// cudaLaunchHostFunc: on a thread of the driver's, and no call to the device from it.
TEST(HostFunctions, RunOnAnotherThreadAndMayNotCallTheDevice) {
  Fixture fixture;
  struct Seen {
    device::Device* device;
    std::thread::id thread;
    Status status = Status::success;
  } seen{.device = &fixture.device(), .thread = std::this_thread::get_id()};
  const auto stream = fixture.stream();
  const auto look = [](void* argument) {
    auto& state = *static_cast<Seen*>(argument);
    state.thread = std::this_thread::get_id();
    state.status = state.device->synchronize();
  };
  check(fixture.device().host_callback(stream, look, &seen), "host_callback");
  fixture.synchronize(stream);
  EXPECT_NE(seen.thread, std::this_thread::get_id());
  EXPECT_EQ(seen.status, Status::not_permitted);
}

TEST(HostFunctions, MayTakeALockThatACallerHolds) {
  Fixture fixture;
  const auto stream = fixture.stream();
  std::mutex mutex;
  const auto take_lock = [](void* argument) { const std::lock_guard lock(*static_cast<std::mutex*>(argument)); };
  check(fixture.device().host_callback(stream, take_lock, &mutex), "host_callback");
  {
    const std::lock_guard lock(mutex);
    for (int round = 0; round < 1000; ++round) static_cast<void>(fixture.device().memory_info().value());
    EXPECT_EQ(fixture.device().query(stream), Status::not_ready);
  }
  EXPECT_EQ(fixture.device().synchronize(stream), Status::success);
}

TEST(HostFunctions, PollingLetsThemRun) {
  Fixture fixture;
  const auto stream = fixture.stream();
  std::atomic<bool> called = false;
  const auto note = [](void* argument) { *static_cast<std::atomic<bool>*>(argument) = true; };
  check(fixture.device().host_callback(stream, note, &called), "host_callback");
  EXPECT_EQ(fixture.device().query(stream), Status::not_ready);
  EXPECT_FALSE(called);
  EXPECT_EQ(fixture.poll(stream), Status::success);
  EXPECT_TRUE(called);
}

TEST(Threads, MayUseOneDeviceTogether) {
  Fixture fixture;
  constexpr std::size_t count = 256;
  std::vector<std::thread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([&fixture, index] {
      const auto stream = fixture.stream();
      std::int32_t* values = fixture.memory(count);
      std::int32_t* landing = fixture.pinned(count);
      for (int round = 0; round < 50; ++round) {
        fixture.iota(values, count, stream, index + round);
        fixture.copy(landing, values, count * sizeof(std::int32_t), device::CopyKind::device_to_host, stream);
        fixture.synchronize(stream);
        ASSERT_EQ(landing[count - 1], index + round + static_cast<std::int32_t>(count) - 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(fixture.driver().races().empty());
}

}  // namespace
}  // namespace gpucheck::sim
