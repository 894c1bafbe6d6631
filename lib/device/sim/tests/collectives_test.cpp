#include <algorithm>

#include "device/owned.hpp"
#include "device/sim/tests/fixture.hpp"

// What the race detector knows of collectives, and what becomes of them where a device is broken.
namespace gpucheck::sim {
namespace {

using device::Collective;
using device::CollectiveKind;
using device::CopyKind;
using device::ElementType;
using device::Status;

constexpr std::size_t elements = 16;
constexpr Collective broadcast{
    .kind = CollectiveKind::broadcast, .type = ElementType::int32, .count = elements, .root = 1};

/// Two devices that communicate.
struct Two {
  Two()
      : fixture(0, 2),
        other(fixture.driver().open(1).value()),
        streams{fixture.stream(), other->create_stream(device::StreamKind::non_blocking, 0).value()},
        communicator(fixture.device().create_communicator({0, 1}).value()) {
    for (device::Device* const device : {&fixture.device(), other.get()}) {
      sent.push_back(static_cast<std::int32_t*>(device->allocate(elements * sizeof(std::int32_t)).value()));
      received.push_back(static_cast<std::int32_t*>(device->allocate(elements * sizeof(std::int32_t)).value()));
    }
  }
  Status run() {
    return fixture.device().communicate(communicator, broadcast,
                                        {{sent[0], received[0], streams[0]}, {sent[1], received[1], streams[1]}});
  }
  void fill_theirs(std::int32_t value, device::Stream stream) {
    check(device::launch(*other, device::kernels::Fill<std::int32_t>{sent[1], value}, elements, stream), "fill");
  }
  std::int32_t first_received() {
    std::int32_t seen = 0;
    check(fixture.device().copy(&seen, received[0], sizeof(seen), CopyKind::device_to_host, streams[0]), "copy");
    check(fixture.device().synchronize(streams[0]), "synchronize");
    return seen;
  }

  Fixture fixture;
  std::unique_ptr<device::Device> other;
  std::vector<device::Stream> streams;
  device::Communicator communicator;
  std::vector<std::int32_t*> sent;
  std::vector<std::int32_t*> received;
};

TEST(SimulatedCollective, ComesAfterWhatEachStreamWasGiven) {
  Two two;
  two.fill_theirs(5, two.streams[1]);
  ASSERT_EQ(two.run(), Status::success);
  EXPECT_EQ(two.first_received(), 5);
  EXPECT_TRUE(two.fixture.driver().races().empty());
}

TEST(SimulatedCollective, RacesWithAStreamThatDoesNotWait) {
  Two two;
  two.fill_theirs(5, two.streams[1]);
  ASSERT_EQ(two.run(), Status::success);
  two.fill_theirs(6, two.other->create_stream(device::StreamKind::non_blocking, 0).value());
  const std::vector<device::Race> races = two.fixture.driver().races();
  EXPECT_TRUE(std::ranges::any_of(races, [](const device::Race& race) {
    return race.earlier == "broadcast" || race.later == "broadcast";
  })) << (races.empty() ? "no race" : races.front().description + races.back().description);
}

TEST(SimulatedCollective, WhoTookPartKnowsWhatTheOthersHadDone) {
  Two two;
  two.fill_theirs(5, two.streams[1]);
  ASSERT_EQ(two.run(), Status::success);
  check(two.fixture.device().synchronize(two.streams[0]), "synchronize");
  // Not ordered after the other rank's part, which reads: but after what was written before it.
  std::int32_t seen = 0;
  check(two.other->copy(&seen, two.sent[1], sizeof(seen), CopyKind::device_to_host,
                        two.other->create_stream(device::StreamKind::non_blocking, 0).value()),
        "copy");
  EXPECT_TRUE(two.fixture.driver().races().empty());
}

/// The host, which knows it, gives each stream what comes after.
TEST(SimulatedCollective, ComesAfterWhatTheHostHasWaitedFor) {
  Two two;
  const device::Stream another = two.other->create_stream(device::StreamKind::non_blocking, 0).value();
  two.fill_theirs(5, another);
  check(two.other->synchronize(another), "synchronize");
  ASSERT_EQ(two.run(), Status::success);
  EXPECT_EQ(two.first_received(), 5);
  EXPECT_TRUE(two.fixture.driver().races().empty());
}

TEST(SimulatedCollective, BringsNothingWhereADeviceIsBroken) {
  Two two;
  check(two.fixture.device().fill(two.received[0], 0, elements * sizeof(std::int32_t), two.streams[0]), "fill");
  two.fill_theirs(5, two.streams[1]);
  auto* const nowhere = reinterpret_cast<std::int32_t*>(std::uintptr_t{0x100});
  check(device::launch(*two.other, device::kernels::Fill<std::int32_t>{nowhere, 1}, 1, two.streams[1]), "fill");
  ASSERT_EQ(two.run(), Status::success);
  EXPECT_EQ(two.first_received(), 0);
  EXPECT_EQ(two.fixture.device().communicator_status(two.communicator), Status::illegal_address);
}

}  // namespace
}  // namespace gpucheck::sim
