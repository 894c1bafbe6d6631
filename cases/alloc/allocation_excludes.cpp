#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/text/units.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::allocation_excludes {
namespace {

using namespace literals;

constexpr std::size_t cached_bytes = 512;
constexpr std::size_t segment_bytes = 32_MiB;

/// Calls back from inside the next allocation.
class CallingDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  void call_back(std::function<void()> action) { action_ = std::move(action); }
  [[nodiscard]] device::Result<void*> allocate(std::size_t bytes) override {
    if (const auto action = std::exchange(action_, nullptr)) action();
    return ForwardingDevice::allocate(bytes);
  }

 private:
  std::function<void()> action_;
};

/// An allocator that has a free block of another stream's in its cache.
struct Setup {
  explicit Setup(std::unique_ptr<device::Device> inner) : device(std::move(inner)) { serve_from_cache(); }
  void serve_from_cache() { allocator.free(allocator.allocate(cached_bytes, device.default_stream())); }

  CallingDevice device;
  runtime::CachingAllocator allocator{device};
};

/// A second thread that asks for the cached block, and whether it got it.
class SecondThread {
 public:
  /// The thread may never come back from an allocator that is broken: what it uses lives with it.
  explicit SecondThread(const std::shared_ptr<Setup>& setup) {
    std::promise<std::string> end;
    error_ = end.get_future();
    thread_ = std::thread([setup, end = std::move(end)]() mutable {
      end.set_value(error_text<Error>([&] { setup->serve_from_cache(); }));
    });
  }
  ~SecondThread() { is_done_within(std::chrono::milliseconds(0)) ? thread_.join() : thread_.detach(); }
  SecondThread(const SecondThread&) = delete;
  SecondThread& operator=(const SecondThread&) = delete;

  [[nodiscard]] bool was_served_within(std::chrono::milliseconds limit) const {
    return is_done_within(limit) && error_.get().empty();
  }

 private:
  [[nodiscard]] bool is_done_within(std::chrono::milliseconds limit) const {
    return error_.wait_for(limit) == std::future_status::ready;
  }

  std::shared_future<std::string> error_;
  std::thread thread_;
};

/// What became of the second thread, which asks while the device allocates for the first one.
struct Outcome {
  std::string error;  ///< of the first thread
  bool served_meanwhile = false;
  bool served_afterwards = false;
};

Outcome allocate_beside(harness::Context& context, std::string_view settings) {
  const auto setup = std::make_shared<Setup>(context.driver().open(context.device().ordinal()).value());
  setup->allocator.set_settings(settings);
  const device::UniqueStream stream = device::own<device::UniqueStream>(
      setup->device, setup->device.create_stream(device::StreamKind::non_blocking, 0));
  std::unique_ptr<SecondThread> other;
  Outcome outcome;
  // Long enough for a thread that is not kept waiting; one that is costs all of it.
  const std::chrono::milliseconds limit(settings.empty() ? 200 : 5000);
  setup->device.call_back([&] {
    other = std::make_unique<SecondThread>(setup);
    outcome.served_meanwhile = other->was_served_within(limit);
  });
  outcome.error =
      error_text<Error>([&] { setup->allocator.free(setup->allocator.allocate(segment_bytes, stream.get())); });
  outcome.served_afterwards = other != nullptr && other->was_served_within(std::chrono::seconds(5));
  return outcome;
}

void run(harness::Context& context) {
  const Outcome usual = allocate_beside(context, "");
  context.observe("error", harness::Value(usual.error));
  context.observe("served_while_the_device_allocates", usual.served_meanwhile);
  context.observe("served_afterwards", usual.served_afterwards);
  // That this is seen at all: an allocator that lets go of its lock serves the other thread. On a device without memory
  // there is no other thread: that is an error to be observed, not the end of the case.
  Outcome released;
  context.observe("error_of_a_released_lock", error_text<Error>([&] {
                    released = allocate_beside(context, "release_lock_on_cudamalloc:True");
                    if (!released.error.empty()) throw Error(released.error);
                  }));
  context.observe("served_by_a_released_lock", released.served_meanwhile);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.allocation_excludes",
      .summary = "While the device allocates for one thread no other is served, not even from the cache; then all are",
      .source = "release_lock_on_cudamalloc of PyTorch 2.11, which is off by default",
      .needs = {.memory_bytes = 64_MiB, .own_process = true},
      .faults = {{.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::from_call(2))}},
      .deadline = std::chrono::seconds(20),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::allocation_excludes
