#include "base/units.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case.hpp"

namespace gpucheck::cases::in_alloc {
namespace {

using namespace literals;

constexpr std::size_t tensor_bytes = std::size_t{21} * 1_MiB * sizeof(float);
constexpr std::size_t big_tensor_bytes = std::size_t{100} * 1_MiB * sizeof(float);

/// What one allocation under these settings adds to the active and to the requested bytes.
void observe_growth(harness::Context& context, const std::string& name, std::string_view settings,
                    std::size_t bytes = tensor_bytes) {
  runtime::Runtime& runtime = context.runtime();
  auto& allocator = runtime.allocator();
  allocator.set_settings(settings);
  const auto before = allocator.stats();
  const runtime::Buffer<std::uint8_t> tensor(runtime, bytes, runtime.current_stream());
  const auto after = allocator.stats();
  context.observe(name + "_active_bytes", after.active_bytes.all.current - before.active_bytes.all.current);
  context.observe(name + "_requested_bytes", after.requested_bytes.all.current - before.requested_bytes.all.current);
}

void observe_error(harness::Context& context, const std::string& name, std::string_view settings) {
  context.observe(name + "_error",
                  error_text<runtime::SettingsError>([&] { context.runtime().allocator().set_settings(settings); }));
}

void observe_roundings(harness::Context& context) {
  constexpr std::string_view by_size = "roundup_power2_divisions:[64:8,128:2,256:2,512:2,1024:1,>:1]";
  observe_growth(context, "plain", "");
  observe_growth(context, "four_divisions", "roundup_power2_divisions:4");
  observe_growth(context, "garbage_collection", "garbage_collection_threshold:0.5");
  observe_growth(context, "four_divisions_again", "roundup_power2_divisions:4");
  observe_growth(context, "garbage_collection_and_split_size", "garbage_collection_threshold:0.5,max_split_size_mb:40");
  observe_growth(context, "divisions_by_size", by_size);
  observe_growth(context, "divisions_by_size_big", by_size, big_tensor_bytes);
  observe_growth(context, "release_lock", "release_lock_on_cudamalloc:True");
  context.observe("release_lock_set", context.runtime().allocator().settings().release_lock_on_device_allocation);
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
  observe_error(context, "divisions_not_a_power_of_two", "roundup_power2_divisions:3");
  observe_error(context, "smallest_split_size", "max_split_size_mb:20");
}

void run(harness::Context& context) {
  const SettingsScope restored(context.runtime(), "");
  observe_roundings(context);
  observe_errors(context);
  context.runtime().allocator().empty_cache();
}

}  // namespace

harness::Case settings() {
  return {
      .name = "alloc.settings",
      .summary = "Settings strings change the rounding of sizes as they say, and wrong ones are rejected",
      .source = "test_cuda.py::TestCudaMallocAsync::test_allocator_settings",
      .needs = {.memory_bytes = 1_GiB, .caching_allocator = true},
      .faults = {{.name = "out_of_memory",
                  .summary = "the device fails to allocate the largest of the blocks",
                  .plan = fault::allocation_fails(fault::from_call(3))},
                 {.name = "no_device_memory",
                  .summary = "the device fails to allocate any block",
                  .plan = fault::allocation_fails(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc
