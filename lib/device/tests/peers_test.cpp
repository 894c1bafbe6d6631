#include "device/tests/suites.hpp"

// cudaDeviceCanAccessPeer, cudaDeviceEnablePeerAccess. What is enabled stays so in the
// process: each test runs in a child.
namespace gpucheck::device::contract {
namespace {

/// Fills an array of `device` and waits for it.
DeviceArray<std::int32_t> filled(Device& device, std::int32_t value) {
  DeviceArray<std::int32_t> array(device, device.allocate(small_size * sizeof(std::int32_t)), small_size);
  check(device::launch(device, kernels::Fill<std::int32_t>{array.data(), value}, small_size, device.default_stream()),
        "fill");
  check(device.synchronize(), "synchronize");
  return array;
}

/// out[i] = in[i] + 1, by a kernel of `device`.
Status add_one(Device& device, const DeviceArray<std::int32_t>& in, const DeviceArray<std::int32_t>& out) {
  check(device::launch(device, kernels::AddScalar<std::int32_t>{in.data(), out.data(), 1}, small_size,
                       device.default_stream()),
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
    found.expect(read(ours, device().default_stream()) == std::vector<std::int32_t>(small_size, 5),
                 "it read what is there");
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
    found.expect(read(ours, stream) == std::vector<std::int32_t>(small_size, 4), "the copy arrived");
  });
}

/// A busy stream of the first device with an event behind its work, and a stream of the second.
struct TwoDevices {
  TwoDevices(Device& one, Device& two)
      : first(one),
        second(two),
        busy_stream(own<UniqueStream>(one, one.create_stream(StreamKind::non_blocking, 0))),
        other_stream(own<UniqueStream>(two, two.create_stream(StreamKind::non_blocking, 0))),
        event(own<UniqueEvent>(one, one.create_event(EventKind::timing))) {
    constexpr auto nanoseconds = std::chrono::nanoseconds(busy).count();
    check(device::launch(one, kernels::Spin{static_cast<std::uint64_t>(nanoseconds)}, 1, busy_stream.get()), "spin");
    check(one.record(event.get(), busy_stream.get()), "record");
  }

  Device& first;
  Device& second;
  UniqueStream busy_stream;
  UniqueStream other_stream;
  UniqueEvent event;
};

// Programming guide, "Multi-device system", stream and event behavior: "cudaEventSynchronize()
// and cudaEventQuery() will succeed even if the input event is associated to a device that is
// different from the current device."
TEST_P(Peers, AnEventOfAnotherDeviceCanBeAskedAndWaitedFor) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto other = driver().open(1).value();
    const TwoDevices devices(device(), *other);
    found.expect(other->query(devices.event.get()), Status::not_ready, "query a busy event of another device");
    found.expect(other->synchronize(devices.event.get()), Status::success, "synchronize it");
    found.expect(other->query(devices.event.get()), Status::success, "query it again");
    found.expect(device().query(devices.busy_stream.get()), Status::success, "its stream is done");
  });
}

// "cudaStreamWaitEvent() will succeed even if the input stream and input event are associated
// to different devices. cudaStreamWaitEvent() can therefore be used to synchronize multiple
// devices with each other."
TEST_P(Peers, AnEventOrdersStreamsOfTwoDevices) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto other = driver().open(1).value();
    const auto theirs = filled(*other, 0);
    const auto ours = filled(device(), 1);
    const TwoDevices devices(device(), *other);
    check(device::launch(device(), kernels::Fill<std::int32_t>{ours.data(), 7}, small_size, devices.busy_stream.get()),
          "fill");
    check(device().record(devices.event.get(), devices.busy_stream.get()), "record");
    found.expect(other->wait(devices.other_stream.get(), devices.event.get()), Status::success, "wait");
    found.expect(other->query(devices.other_stream.get()), Status::not_ready, "the waiting stream is held");
    check(other->copy(theirs.data(), ours.data(), ours.bytes(), CopyKind::device_to_device, devices.other_stream.get()),
          "copy");
    check(other->synchronize(devices.other_stream.get()), "synchronize");
    std::vector<std::int32_t> seen(small_size);
    check(other->copy(seen.data(), theirs.data(), theirs.bytes(), CopyKind::device_to_host, devices.other_stream.get()),
          "copy");
    found.expect(seen == std::vector<std::int32_t>(small_size, 7), "the copy came after the kernel");
    for (const Race& race : driver().races()) found.add(race.description);
  });
}

// "cudaEventRecord() will fail if the input event and input stream are associated to
// different devices. cudaEventElapsedTime() will fail if the two input events are associated
// to different devices."
TEST_P(Peers, AnEventBelongsToItsDevice) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto other = driver().open(1).value();
    const TwoDevices devices(device(), *other);
    found.expect(other->record(devices.event.get(), devices.other_stream.get()) != Status::success,
                 "recording it in another device's stream fails");
    found.expect(device().query(devices.event.get()), Status::not_ready, "it still is what was recorded before");
    const auto theirs = own<UniqueEvent>(*other, other->create_event(EventKind::timing));
    check(other->record(theirs.get(), devices.other_stream.get()), "record");
    check(other->synchronize(theirs.get()), "synchronize");
    check(device().synchronize(devices.event.get()), "synchronize");
    found.expect(!device().elapsed_ms(devices.event.get(), theirs.get()), "no time between two devices' events");
    found.expect(!device().elapsed_ms(theirs.get(), devices.event.get()), "nor the other way round");
  });
}

// "A memory copy will succeed even if it is issued to a stream that is not associated to the
// current device". That a kernel launch will fail, as the guide also says, is not so: an H200
// takes it, and runs it on the stream's device.
TEST_P(Peers, AnotherDevicesStreamTakesCopies) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto other = driver().open(1).value();
    const auto theirs = filled(*other, 0);
    const auto ours = filled(device(), 5);
    const TwoDevices devices(device(), *other);
    const Stream stream = devices.other_stream.get();
    found.expect(device().copy(theirs.data(), ours.data(), ours.bytes(), CopyKind::device_to_device, stream),
                 Status::success, "a copy is taken");
    std::vector<std::int32_t> seen(small_size);
    check(other->copy(seen.data(), theirs.data(), theirs.bytes(), CopyKind::device_to_host, stream), "copy");
    found.expect(seen == std::vector<std::int32_t>(small_size, 5), "the copy came in the stream's order");
    for (const Race& race : driver().races()) found.add(race.description);
  });
}

}  // namespace

void Peers::SetUp() {
  Contract::SetUp();
  if (IsSkipped() || HasFatalFailure() || testing::internal::InDeathTestChild()) return;
  if (const std::string why = why_no_pair(driver()); !why.empty()) GTEST_SKIP() << why;
}

}  // namespace gpucheck::device::contract
