#include "base/text/units.hpp"
#include "cases/alloc/async/async_support.hpp"
#include "cases/alloc/held_stream.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::async_streams {
namespace {

using namespace literals;
using device::Stream;

constexpr std::size_t block_bytes = 1_MiB;

/// Whether all work is done of the stream that the block was freed on.
bool is_free_done(NotingDevice& device, void* block) {
  const device::Status status = device.query(device.freed_on(block).value());
  if (status == device::Status::not_ready) {
    static_cast<void>(device.last_error());
    return false;
  }
  device::check(device, status, "query");
  return true;
}

/// Frees a block of `own` that `user` uses too, while one of the two is at work. Observes
/// whether the free is done meanwhile and, when asked for, afterwards.
void observe_free(harness::Context& context, AsyncRuntime& async, const std::string& working, Stream held,
                  Stream user) {
  NotingDevice& device = async.device();
  const Stream beside = async.runtime().streams().next();
  void* const block = async.allocator().allocate(block_bytes, async.stream());
  device::check(device, device.synchronize(), "synchronize");
  async.allocator().record_stream(block, user);
  const HeldStream work(device, held);
  async.allocator().free(block);
  wait_beside(device, beside);
  context.observe("freed_while_" + working + "_works", is_free_done(device, block));
  device::check(device, device.synchronize(held), "synchronize");
  device::check(device, device.synchronize(device.freed_on(block).value()), "synchronize");
  context.observe("freed_when_" + working + "_is_done", is_free_done(device, block));
}

/// What cannot have an effect is said once.
void observe_warnings(harness::Context& context, AsyncRuntime& async) {
  void* const block = async.allocator().allocate(block_bytes, async.stream());
  for (int i = 0; i < 2; ++i) async.allocator().record_stream(block, async.stream());
  async.allocator().free(block);
  context.observe("warnings", harness::Value(async.runtime().warnings()));
}

void run(harness::Context& context) {
  AsyncRuntime async(context);
  const Stream user = async.runtime().streams().next();
  observe_free(context, async, "its_own_stream", async.stream(), user);
  observe_free(context, async, "another_user", user, user);
  observe_warnings(context, async);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.async_streams",
      .summary = "The cudaMallocAsync backend frees a block behind its own stream and all others that used it",
      .source = "cudaMallocAsync backend of PyTorch 2.11: record_stream()",
      .needs = {.memory_bytes = 64_MiB},
      .faults = {{.name = "no_stream_waits",
                  .summary = "a stream does not wait for the event that it is asked to wait for",
                  .plan = fault::broken(fault::Operation::wait, fault::Effect::drop, fault::every_call)},
                 {.name = "events_never_recorded",
                  .summary = "events are not recorded, so that nobody waits for them",
                  .plan = fault::event_never_recorded(fault::every_call)},
                 {.name = "streams_seem_busy",
                  .summary = "streams say that they are at work although they are done",
                  .plan = fault::stream_seems_busy(fault::every_call)},
                 {.name = "lost_work",
                  .summary = "the work that holds the block's own stream does not run",
                  .plan = fault::kernel_lost(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::async_streams
