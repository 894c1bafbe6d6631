#include <fmt/format.h>
#include <memory>
#include <regex>
#include <thread>

#include "device/tests/suites.hpp"

// cudaGetDeviceProperties, versions and peers: what a device says of itself.
namespace gpucheck::device::contract {
namespace {

bool matches(const std::string& text, const char* pattern) { return std::regex_match(text, std::regex(pattern)); }

TEST_P(Properties, TheDeviceIsTheOneThatWasOpened) { EXPECT_EQ(device().ordinal(), 0); }

TEST_P(Properties, NameTheDevice) {
  const DeviceProperties& properties = device().properties();
  EXPECT_FALSE(properties.name.empty());
  EXPECT_FALSE(properties.uuid.empty());
  EXPECT_FALSE(properties.pci_bus_id.empty());
  // A simulated device must not pass for a GPU.
  if (!GetParam().hardware) return;
  EXPECT_TRUE(matches(properties.uuid, "GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")) << properties.uuid;
  EXPECT_TRUE(matches(properties.pci_bus_id, "[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.0")) << properties.pci_bus_id;
}

TEST_P(Properties, GiveTheUuidInBytesToo) {
  const DeviceProperties& properties = device().properties();
  EXPECT_NE(properties.uuid_bytes, decltype(properties.uuid_bytes){});
  if (!GetParam().hardware) return;
  std::string digits;
  for (const std::uint8_t byte : properties.uuid_bytes) digits += fmt::format("{:02x}", byte);
  std::string text = properties.uuid.substr(std::string_view("GPU-").size());
  std::erase(text, '-');
  EXPECT_EQ(digits, text);
}

TEST_P(Properties, DescribeAMachineThatCanExist) {
  const DeviceProperties& properties = device().properties();
  EXPECT_GT(properties.total_memory_bytes, 0U);
  EXPECT_GT(properties.multiprocessor_count, 0);
  EXPECT_GT(properties.l2_cache_bytes, 0U);
  EXPECT_EQ(properties.warp_size, 32);
  EXPECT_EQ(properties.max_threads_per_multiprocessor % properties.warp_size, 0);
  EXPECT_GE(properties.max_threads_per_multiprocessor, properties.max_threads_per_block);
  // What every GPU gives without being asked for more (CUDA programming guide, compute capabilities).
  EXPECT_GE(properties.max_shared_bytes_per_block, 48U << 10);
  EXPECT_GT(properties.compute_capability_major, 0);
  EXPECT_LE(properties.greatest_priority, 0);
}

/// From these limits are worked out: a mistaken unit would make every GPU pass, or none.
TEST_P(Properties, TellWhatTheDeviceCouldDoAtItsBest) {
  const DeviceProperties& properties = device().properties();
  EXPECT_GT(properties.multiprocessor_clock_khz, 500'000U);
  EXPECT_LT(properties.multiprocessor_clock_khz, 10'000'000U);
  EXPECT_GT(properties.memory_clock_khz, 500'000U);
  EXPECT_LT(properties.memory_clock_khz, 50'000'000U);
  EXPECT_GE(properties.memory_bus_bits, 32);
  EXPECT_LE(properties.memory_bus_bits, 16'384);
  // A container may hide what the kernel reports of its devices.
  EXPECT_GE(properties.host_link.generation, 0);
  EXPECT_LE(properties.host_link.lanes, 32);
}

/// Whichever object a thread used first, on this thread and on another.
TEST_P(Properties, AreTheSameForEveryObjectOfTheDevice) {
  const DeviceProperties& first = device().properties();
  const auto expect_same = [&] {
    const std::unique_ptr<Device> second = driver().open(0).value();
    const DeviceProperties& properties = second->properties();
    EXPECT_EQ(properties.uuid, first.uuid);
    EXPECT_EQ(properties.total_memory_bytes, first.total_memory_bytes);
    EXPECT_EQ(properties.max_shared_bytes_per_block, first.max_shared_bytes_per_block);
    EXPECT_EQ(properties.greatest_priority, first.greatest_priority);
  };
  expect_same();
  std::thread(expect_same).join();
}

// Every GPU since compute capability 3.5 has more than one priority (CUDA programming guide, stream priorities).
TEST_P(Properties, SomeStreamsComeBeforeOthers) { EXPECT_LT(device().properties().greatest_priority, 0); }

TEST_P(Properties, ADeviceThatIsNotThereCannotBeOpened) {
  const int count = driver().device_count().value();
  EXPECT_EQ(status_of(driver().open(count)), Status::invalid_device);
  EXPECT_EQ(status_of(driver().open(-1)), Status::invalid_device);
}

TEST_P(Properties, VersionsAreNumbersOrUnknown) {
  const Driver::Versions versions = driver().versions();
  for (const std::string& version : {versions.driver, versions.cuda_driver, versions.cuda_runtime}) {
    EXPECT_TRUE(matches(version, "|[0-9]+(\\.[0-9]+)+")) << version;
  }
}

TEST_P(Properties, ADeviceIsNoPeerOfItself) { EXPECT_FALSE(device().can_access_peer(0).value()); }

// cuCtxEnablePeerAccess, on which cudaDeviceEnablePeerAccess stands: "peer access
// unsupported" if the device cannot directly access memory of the peer, which a device
// is not of itself (the test above). The runtime's own page says cudaErrorInvalidDevice
// for that, which no H100 was seen to return.
TEST_P(Properties, PeerAccessToItselfFails) {
  EXPECT_EQ(device().enable_peer_access(0), Status::peer_access_unsupported);
}

TEST_P(Properties, ADeviceThatIsNotThereIsNoPeer) {
  const int count = driver().device_count().value();
  EXPECT_EQ(status_of(device().can_access_peer(count)), Status::invalid_device);
  EXPECT_EQ(device().enable_peer_access(count), Status::invalid_device);
}

}  // namespace
}  // namespace gpucheck::device::contract
