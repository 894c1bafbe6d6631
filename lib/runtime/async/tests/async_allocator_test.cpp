#include "runtime/async/async_allocator.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "base/text/units.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/tests/simulated.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::runtime::test {

namespace ops = tensor::ops;
namespace {

using namespace literals;

class Async : public testing::Test {
 protected:
  void keep_busy(device::Stream stream) {
    ASSERT_EQ(device::launch(machine_.device(), device::kernels::Spin{50'000'000}, 1, stream), device::Status::success);
  }
  std::string oom_text(std::uint64_t bytes) {
    try {
      allocator_.free(allocator_.allocate(bytes, main_));
    } catch (const OutOfMemoryError& error) {
      return error.what();
    }
    return {};
  }
  std::int64_t read(const Buffer<std::int64_t>& buffer, device::Stream stream) {
    std::int64_t value = -1;
    device::check(
        machine_.device().copy(&value, buffer.data(), sizeof(value), device::CopyKind::device_to_host, stream), "copy");
    device::check(machine_.device().synchronize(stream), "synchronize");
    return value;
  }

  Simulated machine_;
  Runtime runtime_{machine_.device(), AllocatorChoice{.kind = AllocatorChoice::Kind::async, .library = {}}};
  DeviceAllocator& allocator_ = runtime_.allocator();
  device::Stream main_ = machine_.default_stream();
};

// The words and numbers that PyTorch 2.11 gave on an H100 with 40 bytes allocated; free
// memory is the simulated card's.
TEST_F(Async, OutOfMemoryTextAsRecordedFromPyTorch) {
  void* held = allocator_.allocate(40, main_);
  const std::string free = format_bytes(machine_.device().memory_info().value().free_bytes);
  EXPECT_EQ(oom_text(1024_GiB),
            "Allocation on device 0 would exceed allowed memory. (out of memory)\n"
            "Currently allocated     : 40 bytes\n"
            "Requested               : 1024.00 GiB\n"
            "Device limit            : 79.18 GiB\n"
            "Free (according to CUDA): " +
                free +
                "\n"
                "PyTorch limit (set by user-supplied memory fraction)\n"
                "                        : 17179869184.00 GiB");
  EXPECT_EQ(oom_text(std::uint64_t{1} << 60), "CUDA out of memory. Tried to allocate more than 1EB memory.");
  allocator_.free(held);
  EXPECT_EQ(machine_.device().last_error(), device::Status::success);
}

TEST_F(Async, StatisticsAreTheDriversAndOnlyForAll) {
  void* pointer = allocator_.allocate(10_MiB, main_);
  MemoryStatistics stats = allocator_.stats();
  EXPECT_EQ(stats.allocated_bytes.all.current, 10_MiB);
  EXPECT_EQ(stats.active_bytes.all.current, 10_MiB);
  EXPECT_GE(stats.reserved_bytes.all.current, std::int64_t{10_MiB});
  for (const auto& [name, value] : flatten(stats)) {
    const bool may_move = name == "allocated_bytes.all.current" || name == "allocated_bytes.all.peak" ||
                          name == "active_bytes.all.current" || name == "active_bytes.all.peak" ||
                          name == "reserved_bytes.all.current" || name == "reserved_bytes.all.peak";
    EXPECT_TRUE(may_move || value == 0) << name << " " << value;
  }
  allocator_.free(pointer);
  EXPECT_EQ(allocator_.live_allocations().count, 0);
  ASSERT_EQ(machine_.device().synchronize(), device::Status::success);
  stats = allocator_.stats();
  EXPECT_EQ(stats.allocated_bytes.all.current, 0);
  EXPECT_EQ(stats.allocated_bytes.all.peak, 10_MiB);
  EXPECT_GE(stats.reserved_bytes.all.current, std::int64_t{10_MiB});  // the pool keeps it
  allocator_.reset_peak_stats();
  EXPECT_EQ(allocator_.stats().allocated_bytes.all.peak, 0);
  allocator_.empty_cache();
  EXPECT_EQ(allocator_.stats().reserved_bytes.all.current, 0);
}

TEST_F(Async, TheFractionLimitsWhatIsAllocatedHere) {
  const std::uint64_t total = machine_.device().properties().total_memory_bytes;
  allocator_.set_memory_fraction(0.5);
  void* held = allocator_.allocate(total / 4, main_);
  EXPECT_NE(oom_text(total / 4 + 1_MiB), "");
  EXPECT_EQ(oom_text(total / 4 - 1_MiB), "");
  allocator_.free(held);
  EXPECT_THROW(allocator_.set_memory_fraction(1.5), UsageError);
  EXPECT_EQ(allocator_.memory_fraction(), 0.5);
}

TEST_F(Async, TheFractionIsFromNothingToAllMemory) {
  for (const double allowed : {0.0, 1.0}) {
    allocator_.set_memory_fraction(allowed);
    EXPECT_EQ(allocator_.memory_fraction(), allowed);
  }
  for (const double refused : {-0x1p-1074, 1 + 0x1p-52, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(allocator_.set_memory_fraction(refused), UsageError) << refused;
  }
  EXPECT_EQ(allocator_.memory_fraction(), 1.0);
  allocator_.set_memory_fraction(0.0);
  EXPECT_NE(oom_text(1), "");
}

TEST_F(Async, ABlockOfSeveralStreamsIsFreedBehindAllOfThem) {
  const device::Stream side = runtime_.streams().next();
  Buffer<std::int64_t> block(runtime_, 1_MiB / 8, main_);
  device::check(machine_.device().synchronize(), "synchronize");
  keep_busy(side);
  ops::fill(runtime_, block.data(), block.size(), std::int64_t{1}, side);
  block.record_stream(side);
  block = {};
  const Buffer<std::int64_t> next(runtime_, 1_MiB / 8, main_);
  ops::fill(runtime_, const_cast<std::int64_t*>(next.data()), next.size(), std::int64_t{2}, main_);
  ASSERT_EQ(machine_.device().synchronize(), device::Status::success);
  EXPECT_EQ(read(next, main_), 2);
  EXPECT_TRUE(machine_.driver().races().empty());
}

TEST_F(Async, RecordingTheOwnStreamWarnsOnce) {
  void* pointer = allocator_.allocate(64, main_);
  allocator_.record_stream(pointer, main_);
  allocator_.record_stream(pointer, main_);
  allocator_.free(pointer);
  ASSERT_EQ(runtime_.warnings().size(), 1);
  EXPECT_NE(runtime_.warnings()[0].find("matches the recorded stream"), std::string::npos);
}

TEST_F(Async, WhatItCannotDoNamesTheFunction) {
  const auto text = [&](auto action) -> std::string {
    try {
      action();
    } catch (const UnsupportedError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(text([&] {
              allocator_.add_out_of_memory_observer({});
            }).find("cudaMallocAsync does not yet support attachOutOfMemoryObserver"),
            0U);
  EXPECT_EQ(text([&] {
              static_cast<void>(allocator_.has_exactly_live({1, 0}, {}));
            }).find("cudaMallocAsync does not yet support checkPoolLiveAllocations"),
            0U);
  EXPECT_EQ(text([&] {
              static_cast<void>(allocator_.snapshot());
            }).find("Calling snapshot with backend:cudaMallocAsync is not meaningful."),
            0U);
}

TEST_F(Async, NativeOnlySettingsWarnAndAnotherBackendIsRejected) {
  allocator_.set_settings("max_split_size_mb:40");
  ASSERT_EQ(runtime_.warnings().size(), 1);
  EXPECT_NE(runtime_.warnings()[0].find("backend:cudaMallocAsync ignores max_split_size_mb"), std::string::npos);
  EXPECT_THROW(allocator_.set_settings("backend:native"), SettingsError);
  EXPECT_NO_THROW(allocator_.set_settings("backend:cudaMallocAsync"));
}

TEST_F(Async, RejectsWhatItDidNotAllocate) {
  int on_stack = 0;
  EXPECT_THROW(allocator_.free(&on_stack), Error);
  void* pointer = allocator_.allocate(64, main_);
  allocator_.free(pointer);
  EXPECT_THROW(allocator_.free(pointer), Error);
}

TEST_F(Async, AGraphOwnsTheMemoryOfItsCapture) {
  const device::Stream side = runtime_.streams().next();
  Graph graph(runtime_, {.registers_default_generator = false});
  Buffer<std::int64_t> result;
  Buffer<std::int64_t> from_before(runtime_, 8, main_);
  {
    const CurrentStreamGuard on_side(runtime_, side);
    graph.capture_begin();
    Buffer<std::int64_t> temporary(runtime_, 8, side);
    ops::iota(runtime_, temporary.data(), 8, std::int64_t{5}, side);
    result = Buffer<std::int64_t>(runtime_, 8, side);
    ops::add(runtime_, temporary.data(), result.data(), 8, std::int64_t{1}, side);
    from_before = {};
    EXPECT_EQ(runtime_.warnings().size(), 1);  // freed once the capture is over
    // A second capture in the process, here or on another device.
    EXPECT_THROW(allocator_.begin_allocate_to_pool({9, 0}, on_this_thread()), Error);
    Simulated elsewhere;
    Runtime other(elsewhere.device(), AllocatorChoice{.kind = AllocatorChoice::Kind::async, .library = {}});
    EXPECT_THROW(other.allocator().begin_allocate_to_pool({9, 0}, on_this_thread()), Error);
    temporary = {};
    graph.capture_end();
  }
  EXPECT_EQ(allocator_.live_allocations().count, 1);
  for (int i = 0; i < 3; ++i) {
    const CurrentStreamGuard on_side(runtime_, side);
    graph.replay();
    EXPECT_EQ(read(result, side), 6);
  }
  result = {};
  graph.reset();
  EXPECT_EQ(allocator_.live_allocations().count, 0);
  EXPECT_TRUE(machine_.driver().races().empty());
}

TEST_F(Async, StreamsThatOnlyFreedInACaptureAreJoinedAtItsEnd) {
  const device::Stream side = runtime_.streams().next();
  const device::Stream fork = runtime_.streams().next();
  Graph graph(runtime_);
  const CurrentStreamGuard on_side(runtime_, side);
  EventPool events(machine_.device());
  const auto order = [&](device::Stream later, device::Stream earlier) {
    const device::UniqueEvent event = events.take();
    device::check(machine_.device().record(event.get(), earlier), "record");
    device::check(machine_.device().wait(later, event.get()), "wait");
  };
  graph.capture_begin();
  order(fork, side);
  {
    Buffer<std::int64_t> block(runtime_, 8, fork);
    ops::fill(runtime_, block.data(), 8, std::int64_t{1}, fork);
    block.record_stream(side);
    order(side, fork);
    ops::add(runtime_, block.data(), block.data(), 8, std::int64_t{1}, side);
  }  // freed on a third stream, behind both
  EXPECT_NO_THROW(graph.capture_end());
  EXPECT_NO_THROW(graph.replay());
  EXPECT_EQ(machine_.device().synchronize(), device::Status::success);
}

TEST_F(Async, ACaptureEndsWithItsRuntime) {
  {
    Runtime other(machine_.device(), AllocatorChoice{.kind = AllocatorChoice::Kind::async, .library = {}});
    other.allocator().begin_allocate_to_pool({9, 0}, on_this_thread());
    EXPECT_THROW(allocator_.begin_allocate_to_pool({10, 0}, on_this_thread()), Error);
  }
  allocator_.begin_allocate_to_pool({10, 0}, on_this_thread());
  allocator_.end_allocate_to_pool({10, 0});
}

}  // namespace
}  // namespace gpucheck::runtime::test
