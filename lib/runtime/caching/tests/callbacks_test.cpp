#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "base/text/units.hpp"
#include "runtime/tests/simulated.hpp"
#include "runtime/trace/gpu_trace_sink.hpp"

// Nothing that a user has called is called with a lock held: it may use the allocator, and may
// wait for another thread that does.
namespace gpucheck::runtime::test {
namespace {

using namespace literals;

class CallbacksTest : public testing::Test {
 protected:
  ~CallbacksTest() override {
    for (std::thread& thread : threads_) thread.join();
  }

  /// To be called in a callback: another thread uses the allocators meanwhile.
  void use_the_allocators() {
    std::promise<void> done;
    std::future<void> used = done.get_future();
    threads_.emplace_back([this, done = std::move(done)]() mutable {
      allocator_.free(allocator_.allocate(512, side_));
      static_cast<void>(allocator_.snapshot());
      PinnedAllocator& pinned = machine_.runtime().pinned_allocator();
      pinned.free(pinned.allocate(512, side_).context);
      done.set_value();
    });
    ++calls_;
    if (used.wait_for(std::chrono::seconds(20)) != std::future_status::ready) ADD_FAILURE() << "a lock is held";
  }
  /// Makes the next allocation a failing one.
  void exhaust() { EXPECT_THROW(static_cast<void>(allocator_.allocate(800_GiB, stream_)), OutOfMemoryError); }

  Simulated machine_;
  CachingAllocator& allocator_ = machine_.allocator();
  device::Stream stream_ = machine_.side_stream();
  device::Stream side_ = machine_.side_stream();
  int calls_ = 0;

 private:
  std::vector<std::thread> threads_;
};

TEST_F(CallbacksTest, PoolFilter) {
  const PoolId pool = graph_pool_handle();
  allocator_.begin_allocate_to_pool(pool, [this](device::Stream asked) {
    if (asked != stream_) return false;
    use_the_allocators();
    return true;
  });
  void* block = allocator_.allocate(512, stream_);
  allocator_.end_allocate_to_pool(pool);
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(allocator_.snapshot(pool).size(), 1U);
  allocator_.free(block);
  allocator_.release_pool(pool);
}

TEST_F(CallbacksTest, PoolFilterThatEndsItsOwnRouting) {
  const PoolId pool = graph_pool_handle();
  allocator_.begin_allocate_to_pool(pool, [&](device::Stream) {
    allocator_.end_allocate_to_pool(pool);
    return true;
  });
  void* block = allocator_.allocate(512, stream_);
  EXPECT_EQ(allocator_.snapshot(pool).size(), 0U);
  allocator_.free(block);
  allocator_.release_pool(pool);
}

TEST_F(CallbacksTest, PoolFilterOfPinnedMemory) {
  PinnedAllocator& pinned = machine_.runtime().pinned_allocator();
  const PoolId pool = graph_pool_handle();
  pinned.begin_allocate_to_pool(pool, [this](device::Stream asked) {
    if (asked != stream_) return false;
    use_the_allocators();
    return true;
  });
  void* context = pinned.allocate(512, stream_).context;
  pinned.end_allocate_to_pool(pool);
  EXPECT_EQ(calls_, 1);
  pinned.free(context);
  pinned.release_pool(pool);
}

TEST_F(CallbacksTest, OutOfMemoryObserver) {
  allocator_.add_out_of_memory_observer([this](const OutOfMemoryReport&) { use_the_allocators(); });
  exhaust();
  EXPECT_EQ(calls_, 1);
}

TEST_F(CallbacksTest, ProcessMemoryQuery) {
  allocator_.set_process_memory_query([this] {
    use_the_allocators();
    return std::optional<std::uint64_t>();
  });
  exhaust();
  EXPECT_EQ(calls_, 1);
}

TEST_F(CallbacksTest, FreeMemoryCallback) {
  // What it does allocates, on another thread, and so asks again.
  std::atomic<bool> asked = false;
  allocator_.add_free_memory_callback([&] {
    if (!asked.exchange(true)) use_the_allocators();
    return false;
  });
  allocator_.free(allocator_.allocate(512, stream_));
  EXPECT_EQ(calls_, 1);
}

TEST_F(CallbacksTest, GpuTraceSink) {
  struct Sink final : runtime::GpuTraceSink {
    explicit Sink(std::function<void()> use) : use_allocators(std::move(use)) {}
    void memory_allocation(std::uintptr_t) noexcept override { call(); }
    void memory_deallocation(std::uintptr_t) noexcept override { call(); }
    void call() {
      if (std::this_thread::get_id() == thread) use_allocators();
    }
    std::function<void()> use_allocators;
    std::thread::id thread = std::this_thread::get_id();
  };
  Sink sink([this] { use_the_allocators(); });
  allocator_.set_gpu_trace_sink(&sink);
  allocator_.free(allocator_.allocate(512, stream_));
  allocator_.set_gpu_trace_sink(nullptr);
  EXPECT_EQ(calls_, 2);
}

}  // namespace
}  // namespace gpucheck::runtime::test
