#include <utility>

#include "base/text/units.hpp"
#include "cases/alloc/held_stream.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::pending_free {
namespace {

using namespace literals;
using device::Stream;

constexpr std::size_t block_bytes = 64_KiB;

/// A block that two other streams use and that is freed while one of them is at work.
class PendingFree {
 public:
  PendingFree(runtime::Runtime& runtime, Stream held, Stream idle)
      : runtime_(runtime), block_(allocator().allocate(block_bytes, own())), held_(runtime.device(), held) {
    for (const Stream user : {held, idle}) allocator().record_stream(block_, user);
    allocator().free(block_);
    // What the idle stream was given is only the free's own event: it comes no later than this.
    device::check(runtime.device(), runtime.device().synchronize(idle), "synchronize");
  }

  [[nodiscard]] bool is_work_done() const { return held_.is_done(); }
  /// Whether the next request of the size gets the block.
  [[nodiscard]] bool serves_next() {
    void* const next = allocator().allocate(block_bytes, own());
    allocator().free(next);
    return next == block_;
  }
  [[nodiscard]] bool serves_next_when_all_is_done() {
    device::check(runtime_.device(), runtime_.device().synchronize(), "synchronize");
    return serves_next();
  }

 private:
  [[nodiscard]] runtime::CachingAllocator& allocator() { return runtime_.caching_allocator(); }
  [[nodiscard]] Stream own() const { return runtime_.current_stream(); }

  runtime::Runtime& runtime_;
  void* block_;
  HeldStream held_;
};

/// However many of the streams are done: the last one decides.
void observe_reuse(harness::Context& context, Stream first, Stream second) {
  for (const bool first_works : {true, false}) {
    const std::string working = first_works ? "first" : "second";
    PendingFree pending(context.runtime(), first_works ? first : second, first_works ? second : first);
    context.observe("reused_while_" + working + "_works", pending.serves_next());
    context.observe("reused_after_" + working, pending.serves_next_when_all_is_done());
  }
}

/// A block whose free is pending is active, though not allocated any more, also in the peaks.
void observe_peaks(harness::Context& context, Stream first, Stream second) {
  runtime::CachingAllocator& allocator = context.runtime().caching_allocator();
  allocator.reset_peak_stats();
  PendingFree pending(context.runtime(), first, second);
  static_cast<void>(pending.serves_next());
  const auto stats = allocator.stats();
  context.observe("active_while_pending", stats.active.all.current);
  context.observe("active_peak", stats.active.all.peak);
  context.observe("active_bytes_peak", stats.active_bytes.all.peak);
  context.observe("allocated_peak", stats.allocation.all.peak);
  static_cast<void>(pending.serves_next_when_all_is_done());
}

void observe_empty_cache(harness::Context& context, Stream first, Stream second) {
  runtime::CachingAllocator& allocator = context.runtime().caching_allocator();
  const PendingFree pending(context.runtime(), first, second);
  context.observe("work_done_before_empty_cache", pending.is_work_done());
  allocator.empty_cache();
  context.observe("work_done_after_empty_cache", pending.is_work_done());
  context.observe("active_after_empty_cache", allocator.stats().active.all.current);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Stream first = runtime.streams().next();
  const Stream second = runtime.streams().next();
  runtime.caching_allocator().empty_cache();
  context.observe("error", error_text<runtime::OutOfMemoryError>([&] {
                    // Keeps the segment: the device waits for all of its work before it frees memory.
                    const runtime::Buffer<std::uint8_t> neighbour(runtime, block_bytes, runtime.current_stream());
                    observe_reuse(context, first, second);
                    observe_peaks(context, first, second);
                    observe_empty_cache(context, first, second);
                  }));
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.pending_free",
      .summary = "A freed block that several streams used serves again when the last of them is done, and not before",
      .source = "torch.Tensor.record_stream() and torch.cuda.memory_stats() of PyTorch 2.11",
      .needs = {.memory_bytes = 64_MiB, .caching_allocator = true},
      .faults = {{.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)},
                 {.name = "event_completes_early",
                  .summary = "an event says that it is done while the work before it goes on",
                  .plan = fault::event_completes_early(fault::every_call)},
                 {.name = "events_never_complete",
                  .summary = "events stay unfinished although all work is done",
                  .plan = fault::failing(fault::Operation::query_event, device::Status::not_ready, fault::every_call)},
                 {.name = "lost_work",
                  .summary = "the work that holds the streams does not run",
                  .plan = fault::kernel_lost(fault::every_call)},
                 {.name = "nobody_waits",
                  .summary = "waiting for an event, a stream or the device returns at once",
                  .plan = fault::synchronize_returns_early(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::pending_free
