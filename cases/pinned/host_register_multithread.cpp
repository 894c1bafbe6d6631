#include <atomic>
#include <thread>

#include "cases/pinned/host_register_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "harness/case/counting_device.hpp"

namespace gpucheck::cases::in_pinned::host_register_multithread {
namespace {

constexpr std::size_t thread_count = 4;

/// What the threads found, added up.
struct Findings {
  std::atomic<std::int64_t> plain_not_pinned = 0;
  std::atomic<std::int64_t> pinned = 0;
  std::atomic<std::int64_t> intact = 0;
  std::atomic<std::int64_t> finished = 0;
};

/// Each thread sets the settings, as in the seed: meanwhile the others allocate.
void work(runtime::Runtime& runtime, Findings& found) {
  use_host_register(runtime);
  const std::vector<float> plain(20, 1.0F);
  if (!runtime::is_pinned(runtime.device(), plain.data())) ++found.plain_not_pinned;
  for (const std::size_t size : register_sizes) {
    const runtime::PinnedBuffer<float> ones = pinned_ones(runtime, size);
    if (is_pinned_throughout(runtime, ones)) ++found.pinned;
    // Memory allocated to two threads would show the other's mark.
    const auto mark = static_cast<float>(reinterpret_cast<std::uintptr_t>(&ones) >> 4U);
    ones.host_write().back() = mark;
    std::this_thread::yield();
    if (are_ones_and(ones.host_read(), mark)) ++found.intact;
  }
  ++found.finished;
}

/// The text of the runtime's errors. @throws whatever else a thread threw, that the system
/// has no thread left for example.
std::string run_threads(runtime::Runtime& runtime, Findings& found) {
  struct End {
    std::string error;
    std::exception_ptr thrown;
  };
  std::vector<End> ends(thread_count);
  {
    std::vector<std::jthread> threads;
    for (End& end : ends) {
      threads.emplace_back(guarded(end.thrown, [&] { end.error = error_text<Error>([&] { work(runtime, found); }); }));
    }
  }
  std::string all;
  for (const End& end : ends) {
    if (end.thrown) std::rethrow_exception(end.thrown);
    all += end.error;
  }
  return all;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  Findings found;
  std::string errors;
  {
    const HostRegisterScope scope(runtime);
    errors = run_threads(runtime, found);
  }
  const std::int64_t allocated = runtime.pinned_allocator().stats().allocated_bytes.current;
  const auto registered = static_cast<std::int64_t>(context.registered_host_memory().bytes);
  context.observe("bytes_not_registered", allocated - registered);
  context.observe("errors", harness::Value(errors));
  context.observe("threads_finished", found.finished.load());
  context.observe("plain_not_pinned", found.plain_not_pinned.load());
  context.observe("tensors_pinned", found.pinned.load());
  context.observe("tensors_intact", found.intact.load());
  context.observe("release_error", error_text<Error>([&] { runtime.pinned_allocator().empty_cache(); }));
  context.observe("blocks_left", runtime.pinned_allocator().stats().allocations.current);
}

}  // namespace

harness::Case define() {
  return {
      .name = "pinned.host_register_multithread",
      .summary = "Four threads pin memory at the same time, each with eight threads of its own that touch pages",
      .source = "test_cuda.py::TestCuda::test_pinned_memory_with_cudaregister_multithread",
      .faults = {{.name = "not_page_locked",
                  .summary = "the driver says that it page-locked memory and did not",
                  .plan = fault::registration_lost(fault::nth_call(3))},
                 {.name = "page_locking_fails",
                  .summary = "the driver cannot page-lock memory",
                  .plan = fault::registration_fails(fault::nth_call(2))},
                 {.name = "hang",
                  .summary = "page-locking never returns",
                  .plan = fault::broken(fault::Operation::register_host, fault::Effect::hang, fault::nth_call(2))},
                 {.name = "pinned_memory_unknown",
                  .summary = "the driver does not recognise page-locked memory",
                  .plan = fault::pinned_memory_unknown(fault::every_call)}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pinned::host_register_multithread
