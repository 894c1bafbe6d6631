#include <chrono>
#include <future>

#include "base/text/units.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::settings {
namespace {

using namespace literals;

constexpr std::size_t tensor_bytes = std::size_t{21} * 1_MiB * sizeof(float);
constexpr std::size_t big_tensor_bytes = std::size_t{100} * 1_MiB * sizeof(float);

/// The list of the seed: for sizes from 64 MiB on eight divisions, from 128 MiB on two, ...
constexpr std::string_view by_size =
    "garbage_collection_threshold:0.5,"
    "roundup_power2_divisions:[64:8,128:2,256:2,512:2,1024:1,>:1]";

/// A block, or none where the device has no memory: what is observed of it then differs.
runtime::Buffer<std::uint8_t> block(runtime::Runtime& runtime, std::size_t bytes) {
  try {
    return {runtime, bytes, runtime.current_stream()};
  } catch (const runtime::OutOfMemoryError&) {
    return {};
  }
}

/// What one allocation under these settings, from the device, adds to the active, the
/// requested and the reserved bytes.
void observe_growth(harness::Context& context, const std::string& name, std::string_view settings,
                    std::size_t bytes = tensor_bytes) {
  runtime::Runtime& runtime = context.runtime();
  auto& allocator = runtime.allocator();
  allocator.set_settings(settings);
  allocator.empty_cache();
  const auto before = allocator.stats();
  const auto tensor = block(runtime, bytes);
  const auto after = allocator.stats();
  context.observe(name + "_active_bytes", after.active_bytes.all.current - before.active_bytes.all.current);
  context.observe(name + "_requested_bytes", after.requested_bytes.all.current - before.requested_bytes.all.current);
  context.observe(name + "_reserved_bytes", after.reserved_bytes.all.current - before.reserved_bytes.all.current);
}

/// Four cached blocks of 88 MiB are more than half of a limit of 648 MiB. 512 MiB more do not
/// fit under it: collecting the cached ones first makes room without a second attempt.
void observe_collection(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  auto& allocator = runtime.allocator();
  allocator.set_settings(by_size);
  allocator.empty_cache();
  const auto total = static_cast<double>(context.device().properties().total_memory_bytes);
  const MemoryFractionScope limit(runtime, static_cast<double>(648_MiB) / total);
  {
    std::vector<runtime::Buffer<std::uint8_t>> blocks;
    for (int i = 0; i < 4; ++i) blocks.push_back(block(runtime, tensor_bytes));
  }
  const auto before = allocator.stats();
  const auto big = block(runtime, big_tensor_bytes);
  const auto after = allocator.stats();
  context.observe("collected_segments", after.num_device_free - before.num_device_free);
  context.observe("reserved_bytes_after_collection", after.reserved_bytes.all.current);
  context.observe("retries_after_collection", after.num_alloc_retries - before.num_alloc_retries);
}

/// A cached block of more than max_split_size is not cut for a small request.
void observe_split_size(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  auto& allocator = runtime.allocator();
  allocator.set_settings("garbage_collection_threshold:0.5,max_split_size_mb:40");
  allocator.empty_cache();
  const auto before = allocator.stats();
  static_cast<void>(block(runtime, tensor_bytes));
  const auto small = block(runtime, 30_MiB);
  const auto after = allocator.stats();
  context.observe("split_size_device_allocations", after.num_device_alloc - before.num_device_alloc);
  context.observe("split_size_oversize_segments", after.oversize_segments.current - before.oversize_segments.current);
}

/// While it allocates, another thread asks an allocator for its statistics.
class AskingDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  void ask(const runtime::CachingAllocator& allocator) { allocator_ = &allocator; }
  [[nodiscard]] device::Result<void*> allocate(std::size_t bytes) override {
    if (allocator_ != nullptr && !answer_.valid()) {
      answer_ = std::async(std::launch::async, [this] { return allocator_->stats(); });
      answered_ = answer_.wait_for(std::chrono::seconds(2)) == std::future_status::ready;
    }
    return ForwardingDevice::allocate(bytes);
  }
  /// Whether the answer came before the allocation went on. Waits for it.
  [[nodiscard]] bool answered() const {
    if (answer_.valid()) answer_.wait();
    return answered_;
  }

 private:
  const runtime::CachingAllocator* allocator_ = nullptr;
  std::future<runtime::MemoryStatistics> answer_;  ///< outlives the call, which it may wait for
  bool answered_ = false;
};

/// Whether the allocator serves others while the device allocates.
void observe_release_lock(harness::Context& context) {
  AskingDevice device(context.driver().open(context.device().ordinal()).value());
  runtime::CachingAllocator allocator(device);
  allocator.set_settings("release_lock_on_cudamalloc:True");
  device.ask(allocator);
  const std::string error = error_text<runtime::OutOfMemoryError>(
      [&] { allocator.free(allocator.allocate(tensor_bytes, device.default_stream())); });
  context.observe("release_lock_error", error);
  context.observe("others_served_meanwhile", device.answered());
}

void observe_error(harness::Context& context, const std::string& name, std::string_view settings) {
  context.observe(name + "_error",
                  error_text<runtime::SettingsError>([&] { context.runtime().allocator().set_settings(settings); }));
}

void observe_roundings(harness::Context& context) {
  observe_growth(context, "plain", "");
  observe_growth(context, "four_divisions", "roundup_power2_divisions:4");
  observe_growth(context, "garbage_collection", "garbage_collection_threshold:0.5");
  observe_growth(context, "four_divisions_again", "roundup_power2_divisions:4");
  observe_growth(context, "garbage_collection_and_split_size", "garbage_collection_threshold:0.5,max_split_size_mb:40");
  observe_growth(context, "divisions_by_size", by_size);
  observe_growth(context, "divisions_by_size_big", by_size, big_tensor_bytes);
  observe_growth(context, "divisions_of_all_larger", "roundup_power2_divisions:[32:1,>:4]");
  observe_growth(context, "release_lock", "release_lock_on_cudamalloc:True");
  context.runtime().allocator().set_settings("release_lock_on_cudamalloc:False");
}

void observe_errors(harness::Context& context) {
  observe_error(context, "unknown_key", "foo:1,bar:2");
  observe_error(context, "garbage_collection_above_one", "garbage_collection_threshold:1.2");
  observe_error(context, "garbage_collection_zero", "garbage_collection_threshold:0.0");
  observe_error(context, "split_size_too_small", "max_split_size_mb:2");
  observe_error(context, "release_lock_none", "release_lock_on_cudamalloc:none");
  observe_error(context, "host_register_none", "pinned_use_cuda_host_register:none");
  observe_error(context, "register_threads_none", "pinned_num_register_threads:none");
  observe_error(context, "register_threads_too_many", "pinned_num_register_threads:1024");
  observe_error(context, "register_threads_most", "pinned_num_register_threads:128");
  context.runtime().allocator().set_settings("pinned_num_register_threads:1");
  observe_error(context, "another_backend", "backend:cudaMallocAsync");
  observe_error(context, "divisions_not_a_power_of_two", "roundup_power2_divisions:3");
  observe_error(context, "smallest_split_size", "max_split_size_mb:20");
}

void run(harness::Context& context) {
  const SettingsScope restored(context.runtime(), "");
  observe_roundings(context);
  observe_collection(context);
  observe_split_size(context);
  observe_release_lock(context);
  observe_errors(context);
  context.runtime().allocator().empty_cache();
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.settings",
      .summary = "Settings strings change the rounding of sizes as they say, and wrong ones are rejected",
      .source = "test_cuda.py::TestCudaMallocAsync::test_allocator_settings",
      .needs = {.memory_bytes = 1_GiB, .caching_allocator = true},
      .faults = {{.name = "no_device_memory",
                  .summary = "the device fails to allocate any block",
                  .plan = fault::allocation_fails(fault::every_call)},
                 {.name = "large_blocks_fail",
                  .summary = "the device fails to allocate the blocks from the first of 400 MiB on",
                  .plan = fault::allocation_fails(fault::from_call(7))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::settings
