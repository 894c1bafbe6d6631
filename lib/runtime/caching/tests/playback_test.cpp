#include <algorithm>
#include <gtest/gtest.h>
#include <unordered_set>
#include <utility>
#include <vector>

#include "device/forwarding/forwarding_device.hpp"
#include "device/owned.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/caching/caching_allocator.hpp"
#include "runtime/caching/frees/playback_device.hpp"
#include "runtime/caching/tables/arena_table.hpp"

// What a player of recorded calls takes from the allocator: nothing but what is done with frees and pools.
namespace gpucheck::runtime::test {
namespace {

/// Holds the events of one stream, and counts how often any event is asked for.
class Playback final : public device::ForwardingDevice, public PlaybackDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  void hold(device::Stream stream) { stream_ = stream; }
  /// The oldest of those that are held.
  void release_one() {
    released_.push_back(order_.front());
    held_.erase(order_.front());
    order_.erase(order_.begin());
  }
  using ForwardingDevice::record;
  device::Status record(device::Event event, device::Stream stream) override {
    if (stream == stream_) {
      held_.insert(event);
      order_.push_back(event);
    }
    return ForwardingDevice::record(event, stream);
  }
  using ForwardingDevice::query;
  device::Status query(device::Event event) override {
    ++queries;
    return ForwardingDevice::query(event);
  }
  [[nodiscard]] bool is_held(device::Event event) const override { return held_.contains(event); }
  [[nodiscard]] std::vector<device::Event> take_released() override { return std::exchange(released_, {}); }

  std::size_t queries = 0;

 private:
  device::Stream stream_;
  std::unordered_set<device::Event> held_;
  std::vector<device::Event> order_;
  std::vector<device::Event> released_;
};

struct PlaybackTest : testing::Test {
  device::UniqueStream make_stream() {
    return device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
  }
  void free_held(void* pointer) {
    allocator.record_stream(pointer, user.get());
    allocator.free(pointer);
  }
  [[nodiscard]] std::int64_t active() const { return allocator.stats().active.all.current; }

  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("h100")});
  Playback device{driver->open(0).value()};
  device::UniqueStream owner = make_stream();
  device::UniqueStream user = make_stream();
  CachingAllocator allocator{device};
};

TEST_F(PlaybackTest, FreesThatWaitAreNotAskedFor) {
  constexpr std::int64_t count = 500;
  device.hold(user.get());
  std::vector<void*> blocks;
  for (std::int64_t i = 0; i < count; ++i) blocks.push_back(allocator.allocate(512, owner.get()));
  for (void* block : blocks) {
    free_held(block);
    allocator.free(allocator.allocate(1024, owner.get()));
  }
  EXPECT_EQ(active(), count);
  EXPECT_EQ(device.queries, 0U) << "one for each free and allocation would be their square";
  for (std::int64_t left = count; left > 0; --left) {
    device.release_one();
    allocator.free(allocator.allocate(1024, owner.get()));
    ASSERT_EQ(active(), left - 1);
  }
  EXPECT_EQ(device.queries, 0U);
}

TEST_F(PlaybackTest, HeldEventsEndWhereAllStreamsAreWaitedFor) {
  device.hold(user.get());
  free_held(allocator.allocate(512, owner.get()));
  EXPECT_EQ(active(), 1);
  allocator.empty_cache();
  EXPECT_EQ(active(), 0);
  EXPECT_EQ(allocator.stats().reserved_bytes.all.current, 0);
  device.release_one();  // too late to mean anything
  allocator.free(allocator.allocate(512, owner.get()));
  EXPECT_EQ(active(), 0);
}

TEST_F(PlaybackTest, OtherStreamsEventsAreAskedForAsEver) {
  free_held(allocator.allocate(512, owner.get()));
  ASSERT_EQ(device.synchronize(), device::Status::success);
  allocator.free(allocator.allocate(1024, owner.get()));
  EXPECT_EQ(device.queries, 1U);
  EXPECT_EQ(active(), 0);
}

TEST(ConfinedArenas, AreNeverClosed) {
  detail::ArenaTable arenas;
  arenas.confine_to_one_thread();
  detail::Pool pool;
  detail::Arena& arena = arenas.get_or_make(pool, {});
  arenas.close_all();
  arena.lock.lock();  // would wait for ever
  arena.lock.unlock();
  arenas.reopen_all();
}

// What the ledger looks at for each new peak, and for each report.
TEST(ConfinedArenas, CountInOnePlaceHoweverManyTheyAre) {
  const auto places = [](std::size_t arena_count) {
    detail::ArenaTable arenas;
    arenas.confine_to_one_thread();
    std::vector<detail::Pool> pools(arena_count);
    for (detail::Pool& pool : pools) static_cast<void>(arenas.get_or_make(pool, {}));
    EXPECT_EQ(arenas.all().size(), arena_count);
    return arenas.counters().size();
  };
  EXPECT_EQ(places(1), 1U);
  EXPECT_EQ(places(5000), 1U);
}

TEST_F(PlaybackTest, CountsThePeaksThatSeveralThreadsWouldHaveCounted) {
  const std::unique_ptr<sim::Driver> other_driver = sim::make_driver({.profile = sim::profile("h100")});
  const std::unique_ptr<device::Device> other = other_driver->open(0).value();
  CachingAllocator shared{*other};
  std::vector<void*> here;
  std::vector<void*> there;
  for (std::uint64_t step = 0; step < 600; ++step) {
    const PoolId pool{0, 1 + step % 20};
    for (auto* const both : {&allocator, &shared}) {
      if (step < 20) both->retain_pool(pool);
      both->begin_allocate_to_pool(pool, on_this_thread());
    }
    const std::size_t bytes = 512 * (1 + (step * 7919) % 5000);
    here.push_back(allocator.allocate(bytes, {}));
    there.push_back(shared.allocate(bytes, {}));
    for (auto* const both : {&allocator, &shared}) both->end_allocate_to_pool(pool);
    if (step % 3 != 0) {
      const std::size_t freed = (step * 31) % here.size();
      allocator.free(std::exchange(here[freed], nullptr));
      shared.free(std::exchange(there[freed], nullptr));
    }
    if (step == 300) allocator.reset_peak_stats();
    if (step == 300) shared.reset_peak_stats();
    ASSERT_EQ(flatten(allocator.stats()), flatten(shared.stats())) << "step " << step;
  }
}

TEST_F(PlaybackTest, APoolThatEndsIsFoundAmongThoseThatDoNot) {
  const auto use = [&](PoolId pool) {
    allocator.retain_pool(pool);
    allocator.begin_allocate_to_pool(pool, on_this_thread());
    void* const block = allocator.allocate(512, {});
    allocator.end_allocate_to_pool(pool);
    allocator.release_pool(pool);
    return block;
  };
  std::vector<void*> blocks;
  for (std::uint64_t pool = 1; pool <= 3; ++pool) blocks.push_back(use({0, pool}));
  allocator.free(blocks[0]);
  allocator.free(blocks[1]);
  allocator.release_pool({0, 2});
  allocator.empty_cache(PoolId{0, 1});
  EXPECT_EQ(allocator.snapshot().size(), 3U) << "still used";
  allocator.empty_cache(PoolId{0, 2});
  EXPECT_EQ(allocator.snapshot().size(), 2U);
  EXPECT_THROW(allocator.release_pool({0, 2}), Error) << "gone";
  allocator.release_pool({0, 3});
  allocator.empty_cache();
  EXPECT_EQ(allocator.snapshot().size(), 2U) << "a block is in use";
  allocator.free(blocks[2]);
  allocator.empty_cache();
  EXPECT_EQ(allocator.snapshot().size(), 1U);
}

}  // namespace
}  // namespace gpucheck::runtime::test
