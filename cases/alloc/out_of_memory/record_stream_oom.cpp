#include <algorithm>

#include "base/text/units.hpp"
#include "cases/sampling.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"
#include "tensor/view_ops.hpp"

namespace gpucheck::cases::in_alloc::record_stream_oom {
namespace {

using namespace literals;
using runtime::Buffer;
using tensor::Layout;
using tensor::View;

constexpr int rounds = 100;
/// The accumulator and this many blocks fit under the limit.
constexpr std::uint64_t blocks_in_flight = 3;
/// Long enough that the first shortage comes while the side stream has done nothing yet.
constexpr std::uint64_t delay_ns = 20'000'000;

/// The share of the device's memory that leaves room for the accumulator and few blocks.
double limited_fraction(device::Device& device, std::uint64_t block_bytes) {
  const std::uint64_t limit = (blocks_in_flight + 1) * block_bytes + 1_MiB;
  return static_cast<double>(limit) / static_cast<double>(device.properties().total_memory_bytes);
}

/// 160 MiB as in the seed, or less on a device that has little.
std::uint64_t block_bytes(harness::Context& context) {
  const std::uint64_t share = context.device().properties().total_memory_bytes / 8;
  return std::min(160_MiB, share / 2_MiB * 2_MiB);
}

/// Less one of the sampled elements, which makes them odd in number: the middle of the memory
/// is then one of them.
Layout elements(harness::Context& context, std::uint64_t bytes) {
  Layout layout = sampled_floats(context, bytes);
  --layout.sizes[0];
  return layout;
}

class Accumulation {
 public:
  Accumulation(runtime::Runtime& runtime, std::uint64_t bytes, Layout layout)
      : runtime_(runtime),
        layout_(layout),
        side_(runtime.streams().next()),
        ready_(device::own<device::UniqueEvent>(runtime.device(),
                                                runtime.device().create_event(device::EventKind::no_timing))),
        sum_(runtime, bytes / sizeof(float), side_) {
    fill(sum_, 0.0F, side_);
    device::check(device::launch(runtime.device(), device::kernels::Spin{delay_ns}, 1, side_), "spin");
  }

  /// A block of `value`, made on the current stream and added on the side stream.
  void add(float value) {
    const device::Stream main = runtime_.current_stream();
    Buffer<float> block(runtime_, sum_.size(), main);
    fill(block, value, main);
    device::Device& device = runtime_.device();
    device::check(device, device.record(ready_.get(), main), "record");
    device::check(device, device.wait(side_, ready_.get()), "wait");
    const View<float> sum{sum_.data(), layout_};
    tensor::ops::add(runtime_, sum.read_only(), {block.data(), layout_}, sum, side_);
    block.record_stream(side_);
  }

  /// How many elements were looked at, and how many of them are not `expected`.
  tensor::ops::Tally verify(float expected) {
    Buffer<tensor::ops::Tally> tally(runtime_, 1, side_);
    write(runtime_, tally.data(), {tensor::ops::Tally{}}, side_);
    tensor::ops::verify(runtime_, sum_.data(), layout_.extent(), expected, layout_.strides[0], tally.data(), side_);
    return read_one(runtime_, tally.data(), side_);
  }

 private:
  void fill(Buffer<float>& buffer, float value, device::Stream stream) {
    tensor::ops::fill_strided(runtime_, buffer.data(), layout_.extent(), value, layout_.strides[0], stream);
  }

  runtime::Runtime& runtime_;
  Layout layout_;
  device::Stream side_;
  device::UniqueEvent ready_;
  Buffer<float> sum_;
};

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  const std::uint64_t bytes = block_bytes(context);
  const Layout layout = elements(context, bytes);
  allocator.empty_cache();
  {
    const MemoryFractionScope limit(runtime, limited_fraction(context.device(), bytes));
    Accumulation accumulation(runtime, bytes, layout);
    const auto before = allocator.stats();
    float expected = 0.0F;
    context.observe("error", error_text<runtime::OutOfMemoryError>([&] {
                      for (int round = 1; round <= rounds; ++round) {
                        accumulation.add(static_cast<float>(round));
                        expected += static_cast<float>(round);
                      }
                    }));
    const auto after = allocator.stats();
    context.observe("blocks_allocated", after.allocation.all.allocated - before.allocation.all.allocated);
    context.observe("num_alloc_retries", after.num_alloc_retries - before.num_alloc_retries);
    context.observe("num_sync_all_streams", after.num_sync_all_streams - before.num_sync_all_streams);
    context.observe("num_ooms", after.num_ooms - before.num_ooms);
    const auto tally = accumulation.verify(expected);
    context.observe("every_sum_verified", tally.verified == layout.count());
    context.observe("wrong_sums", tally.wrong);
  }
  allocator.empty_cache();
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.record_stream_oom",
      .summary = "A shortage waits for blocks that other streams still use, and takes no block away from them",
      .source = "test_cuda.py::TestCuda::test_caching_allocator_record_stream_oom",
      .needs = {.memory_bytes = 160_MiB},
      .faults = {{.name = "events_complete_too_early",
                  .summary = "an event that is not complete says that it is",
                  .plan = fault::event_completes_early(fault::every_call)},
                 {.name = "events_never_recorded",
                  .summary = "events are not recorded, so that they say at once that they are complete",
                  .plan = fault::event_never_recorded(fault::every_call)},
                 {.name = "lost_addition",
                  .summary = "one block is never added",
                  .plan = fault::kernel_lost(fault::nth_call(50))},
                 {.name = "flipped_bit",
                  .summary = "one bit flips in memory that a kernel wrote",
                  .plan = fault::kernel_flips_bit(fault::nth_call(60))},
                 {.name = "lost_verification",
                  .summary = "the sums are never looked at",
                  .plan = fault::kernel_lost(fault::nth_call(2 + 2 * rounds + 1))},
                 {.name = "device_stays_full",
                  .summary = "the device has no memory for the retry",
                  .plan = fault::allocation_fails({.first = 5, .times = 2})}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::record_stream_oom
