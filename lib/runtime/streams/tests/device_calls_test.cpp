#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "device/forwarding/forwarding_device.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/runtime.hpp"
#include "runtime/streams/event.hpp"
#include "runtime/streams/pools/event_pool.hpp"
#include "runtime/streams/pools/stream_pool.hpp"

// What the device is asked for: a simulated one shows neither the priority of a stream nor most of an event's kind.
namespace gpucheck::runtime::test {
namespace {

using device::EventKind;
using device::StreamKind;
using testing::ElementsAre;
using testing::SizeIs;

/// Notes how streams and events are made, on a device with priorities from 0 to `greatest`.
class NotedDevice final : public device::ForwardingDevice {
 public:
  NotedDevice(std::unique_ptr<device::Device> inner, int greatest)
      : ForwardingDevice(std::move(inner)), properties_(ForwardingDevice::properties()) {
    properties_.greatest_priority = greatest;
  }
  [[nodiscard]] const device::DeviceProperties& properties() const noexcept override { return properties_; }
  [[nodiscard]] device::Result<device::Stream> create_stream(StreamKind kind, int priority) override {
    const auto made = ForwardingDevice::create_stream(kind, priority);
    streams.emplace_back(kind, priority);
    made_streams.push_back(*made);
    return made;
  }
  [[nodiscard]] device::Result<device::Event> create_event(EventKind kind) override {
    events.push_back(kind);
    return ForwardingDevice::create_event(kind);
  }

  std::vector<std::pair<StreamKind, int>> streams;
  std::vector<device::Stream> made_streams;
  std::vector<EventKind> events;

 private:
  device::DeviceProperties properties_;
};

struct NotedMachine {
  explicit NotedMachine(int greatest = -5) : device(driver->open(0).value(), greatest) {}
  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("small")});
  NotedDevice device;
};

// Four levels, the most that PyTorch has, of the six that a GPU offers: a stream of each, then the next of each.
TEST(StreamPoolCalls, MakeOneStreamOfEachPriorityInTurn) {
  NotedMachine machine;
  StreamPool pool(machine.device);
  EXPECT_THAT(machine.device.streams, SizeIs(0));
  static_cast<void>(pool.next());
  static_cast<void>(pool.next(-1));
  std::vector<std::pair<StreamKind, int>> expected;
  for (int i = 0; i < 32; ++i) {
    for (int priority = 0; priority >= -3; --priority) expected.emplace_back(StreamKind::non_blocking, priority);
  }
  EXPECT_EQ(machine.device.streams, expected);
}

struct Levels {
  int greatest;
  int levels;
};
void PrintTo(const Levels& levels, std::ostream* out) { *out << "priorities from 0 to " << levels.greatest; }

class StreamPoolLevels : public testing::TestWithParam<Levels> {};

TEST_P(StreamPoolLevels, AreThoseOfTheDevice) {
  const auto [greatest, levels] = GetParam();
  NotedMachine machine(greatest);
  StreamPool pool(machine.device);
  EXPECT_EQ(pool.greatest_priority(), 1 - levels);
  const device::Stream highest = pool.next(-100);
  EXPECT_THAT(machine.device.streams, SizeIs(32 * levels));
  EXPECT_EQ(pool.priority(highest), 1 - levels);
  EXPECT_EQ(highest, machine.device.made_streams[static_cast<std::size_t>(levels) - 1]);
  EXPECT_THROW(static_cast<void>(pool.stream(2 * (levels + 1) + 1)), Error);
  EXPECT_EQ(pool.stream(2 * levels + 1), highest);
}

INSTANTIATE_TEST_SUITE_P(, StreamPoolLevels,
                         testing::Values(Levels{0, 1}, Levels{-1, 2}, Levels{-3, 4}, Levels{-4, 4}));

// The last place of the last level, its id by hand: position 31, level 4.
TEST(StreamPoolCalls, EachStreamHasItsIdAndName) {
  NotedMachine machine;
  StreamPool pool(machine.device);
  static_cast<void>(pool.next());
  const device::Stream last = machine.device.made_streams.back();
  EXPECT_EQ(pool.stream_id(last), 31 * 32 + 4 * 2 + 1);
  EXPECT_EQ(pool.stream(31 * 32 + 4 * 2 + 1), last);
  EXPECT_EQ(pool.priority(last), -3);
  EXPECT_EQ(pool.name(last), "priority -3, stream 31");
  EXPECT_EQ(pool.name(machine.device.made_streams.front()), "priority 0, stream 0");
  EXPECT_EQ(pool.name(machine.device.default_stream()), "default");
  EXPECT_EQ(pool.priority(machine.device.default_stream()), 0);
  const device::Stream other = machine.device.create_stream(StreamKind::blocking, -2).value();
  EXPECT_EQ(pool.name(other), "external");
  EXPECT_EQ(pool.priority(other), 0);
  EXPECT_EQ(pool.stream_id(other), static_cast<std::int64_t>(other.value));
}

// Each level has a turn of its own.
TEST(StreamPoolCalls, EachLevelTakesItsTurn) {
  NotedMachine machine(-1);
  StreamPool pool(machine.device);
  const device::Stream low = pool.next(0);
  const device::Stream high = pool.next(-1);
  for (int i = 1; i < 32; ++i) static_cast<void>(pool.next(0));
  EXPECT_EQ(pool.next(0), low);
  EXPECT_NE(pool.next(-1), high);
  for (int i = 2; i < 32; ++i) EXPECT_NE(pool.next(-1), high);
  EXPECT_EQ(pool.next(-1), high);
}

// Whoever observes them hears of all, once, when the first is asked for, and may use the pool meanwhile.
TEST(StreamPoolCalls, AreHeardOfInTheirOrder) {
  NotedMachine machine(-1);
  std::vector<device::Stream> heard;
  StreamPool* asked = nullptr;
  StreamPool pool(machine.device, [&](device::Stream stream) {
    heard.push_back(stream);
    static_cast<void>(asked->next());
  });
  asked = &pool;
  const device::Stream first = pool.stream(3);
  EXPECT_EQ(first, machine.device.made_streams.at(0));
  static_cast<void>(pool.next());
  EXPECT_EQ(heard, machine.device.made_streams);
  EXPECT_THAT(heard, SizeIs(64));
}

// The idle one that came back last is taken first; one is made only where none is idle.
TEST(EventPoolCalls, AreReused) {
  NotedMachine machine;
  EventPool pool(machine.device);
  device::UniqueEvent first = pool.take();
  device::UniqueEvent second = pool.take();
  const device::Event first_raw = first.get();
  const device::Event second_raw = second.get();
  EXPECT_NE(first_raw, second_raw);
  pool.release(std::move(first));
  pool.release(std::move(second));
  const device::UniqueEvent again = pool.take();
  const device::UniqueEvent other = pool.take();
  EXPECT_EQ(again.get(), second_raw);
  EXPECT_EQ(other.get(), first_raw);
  EXPECT_THAT(machine.device.events, ElementsAre(EventKind::no_timing, EventKind::no_timing));
  const device::UniqueEvent third = pool.take();
  EXPECT_THAT(machine.device.events, SizeIs(3));
}

TEST(EventCalls, AskForTheKindThatOptionsMean) {
  NotedMachine machine;
  Runtime runtime(machine.device);
  const Stream stream = Stream::from_pool(runtime);
  const std::vector<std::pair<EventOptions, EventKind>> table{
      {{}, EventKind::no_timing},
      {{.timing = true}, EventKind::timing},
      {{.blocking = true}, EventKind::no_timing | EventKind::blocking},
      {{.timing = true, .blocking = true}, EventKind::timing | EventKind::blocking},
      {{.interprocess = true}, EventKind::no_timing | EventKind::interprocess},
      {{.blocking = true, .interprocess = true}, EventKind::no_timing | EventKind::blocking | EventKind::interprocess},
      {{.external = true}, EventKind::no_timing}};
  for (const auto& row : table) {
    machine.device.events.clear();
    Event event(row.first);
    event.record(stream);
    EXPECT_THAT(machine.device.events, ElementsAre(row.second));
  }
}

}  // namespace
}  // namespace gpucheck::runtime::test
