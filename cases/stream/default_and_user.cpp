#include <fmt/format.h>

#include "cases/stream/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/memory/pinned_buffer.hpp"
#include "runtime/memory/transfer.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_stream::default_and_user {
namespace {

/// 1 to 5 in pinned memory, copied to the device behind work that takes a while, and each
/// increased by one: what is there then.
std::string increase_on_device(harness::Context& context, const Stream& stream) {
  constexpr std::size_t count = 5;
  runtime::Runtime& runtime = context.runtime();
  const runtime::PinnedBuffer<std::uint8_t> source(runtime, count);
  for (std::size_t i = 0; i < count; ++i) source.host_write()[i] = static_cast<std::uint8_t>(i + 1);
  keep_busy(stream);
  Buffer<std::uint8_t> bytes = runtime::to_device<std::uint8_t>(runtime, {source.data(), source.context()}, count,
                                                                runtime::Transfer::non_blocking, stream.raw());
  tensor::ops::add(runtime, bytes.data(), bytes.data(), count, std::uint8_t{1}, stream.raw());
  stream.synchronize();
  context.observe("default_idle_after_synchronize", stream.query());
  return fmt::format("{}", fmt::join(read(runtime, bytes.data(), count, stream.raw()), " "));
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Stream current = Stream::current(runtime);
  context.observe("current_at_first", fmt::format("{:#x}", current.raw().value));
  context.observe("default_is_current", current == Stream::default_of(runtime));
  const Stream user = Stream::from_pool(runtime);
  context.observe("user_is_default", user == Stream::default_of(runtime));
  context.observe("user_has_handle", user.raw() != device::Stream{});
  {
    const StreamScope guard = user.make_current();
    context.observe("current_in_scope_is_user", Stream::current(runtime) == user);
  }
  context.observe("current_after_scope", fmt::format("{:#x}", Stream::current(runtime).raw().value));
  context.observe("user_idle", user.query());
  std::string on_device;
  context.observe("error", error_text<Error>([&] { on_device = increase_on_device(context, current); }));
  context.observe("on_device", on_device);
}

}  // namespace

harness::Case define() {
  return {
      .name = "stream.default_and_user",
      .summary =
          "The default stream is current and has no handle; a user's stream differs, and is current in its scope",
      .source = "test_cuda.py::TestCuda::test_streams",
      .needs = {.default_stream = true},
      .faults = {{.name = "wrong_default_stream",
                  .summary = "the default stream is another one",
                  .plan =
                      fault::broken(fault::Operation::default_stream, fault::Effect::wrong_answer, fault::every_call)},
                 {.name = "streams_not_created",
                  .summary = "streams that were said to be created are the default one",
                  .plan = fault::broken(fault::Operation::create_stream, fault::Effect::drop, fault::every_call)},
                 {.name = "stream_seems_busy",
                  .summary = "an idle stream says that it has work left",
                  .plan = fault::stream_seems_busy(fault::nth_call(1))},
                 {.name = "returns_early",
                  .summary = "waiting for a stream returns before its work is done",
                  .plan = fault::synchronize_returns_early(fault::nth_call(1))},
                 {.name = "lost_transfer",
                  .summary = "the transfer to the device never happens",
                  .plan = fault::copy_lost(fault::nth_call(1))},
                 {.name = "lost_kernel",
                  .summary = "the addition never happens",
                  .plan = fault::kernel_lost(fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_stream::default_and_user
