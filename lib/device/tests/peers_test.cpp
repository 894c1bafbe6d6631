#include "device/tests/suites.hpp"

// cudaDeviceCanAccessPeer, cudaDeviceEnablePeerAccess. What is enabled stays so in the
// process: each test runs in a child.
namespace gpucheck::device::contract {
namespace {

constexpr std::size_t size = 1000;

/// Fills an array of `device` and waits for it.
DeviceArray<std::int32_t> filled(Device& device, std::int32_t value) {
  DeviceArray<std::int32_t> array(device, device.allocate(size * sizeof(std::int32_t)), size);
  check(device::launch(device, kernels::Fill<std::int32_t>{array.data(), value}, size, device.default_stream()),
        "fill");
  check(device.synchronize(), "synchronize");
  return array;
}

/// out[i] = in[i] + 1, by a kernel of `device`.
Status add_one(Device& device, const DeviceArray<std::int32_t>& in, const DeviceArray<std::int32_t>& out) {
  check(
      device::launch(device, kernels::AddScalar<std::int32_t>{in.data(), out.data(), 1}, size, device.default_stream()),
      "add_scalar");
  return device.synchronize();
}

/// Why two devices cannot be tested; empty when they can.
std::string why_no_pair(Driver& driver) {
  if (driver.device_count().value() < 2) return "needs two devices";
  const auto first = driver.open(0).value();
  return first->can_access_peer(1).value() ? "" : "the first two devices cannot reach each other's memory";
}

TEST_P(Peers, AKernelReachesAPeersMemoryOnceThatIsEnabled) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto other = driver().open(1).value();
    const auto theirs = filled(*other, 4);
    const auto ours = filled(device(), 0);
    found.expect(device().enable_peer_access(1), Status::success, "enable_peer_access");
    found.expect(add_one(device(), theirs, ours), Status::success, "a kernel that reads the peer's memory");
    found.expect(read(ours, device().default_stream()) == std::vector<std::int32_t>(size, 5), "it read what is there");
  });
}

TEST_P(Peers, EnablingItTwiceIsAnError) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    found.expect(device().enable_peer_access(1), Status::success, "enable_peer_access");
    found.expect(device().enable_peer_access(1), Status::peer_access_already_enabled, "enable_peer_access again");
    found.expect(device().last_error(), Status::peer_access_already_enabled, "last_error");
    found.expect(device().synchronize(), Status::success, "the error is not sticky");
  });
}

TEST_P(Peers, WithoutItThePeersAddressesAreIllegal) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto other = driver().open(1).value();
    const auto theirs = filled(*other, 4);
    const auto ours = filled(device(), 0);
    found.expect(add_one(device(), theirs, ours), Status::illegal_address, "a kernel that reads the other's memory");
  });
}

// "Note that access granted by this call is unidirectional".
TEST_P(Peers, ItIsForOneDirectionOnly) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto other = driver().open(1).value();
    const auto theirs = filled(*other, 0);
    const auto ours = filled(device(), 4);
    found.expect(device().enable_peer_access(1), Status::success, "enable_peer_access");
    found.expect(add_one(*other, ours, theirs), Status::illegal_address, "the peer's kernel that reads this memory");
  });
}

// cudaMemcpyPeerAsync's page: without peer access the copy goes through the host.
TEST_P(Peers, ACopyBetweenDevicesNeedsNone) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto other = driver().open(1).value();
    const auto theirs = filled(*other, 4);
    const auto ours = filled(device(), 0);
    const Stream stream = device().default_stream();
    found.expect(device().copy(ours.data(), theirs.data(), ours.bytes(), CopyKind::device_to_device, stream),
                 Status::success, "copy");
    found.expect(read(ours, stream) == std::vector<std::int32_t>(size, 4), "the copy arrived");
  });
}

}  // namespace

void Peers::SetUp() {
  Contract::SetUp();
  if (IsSkipped() || HasFatalFailure() || testing::internal::InDeathTestChild()) return;
  if (const std::string why = why_no_pair(driver()); !why.empty()) GTEST_SKIP() << why;
}

}  // namespace gpucheck::device::contract
