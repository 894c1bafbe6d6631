#include <cstdint>
#include <vector>

#include "base/text/units.hpp"
#include "cases/pinned/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pinned::reserved_segment {
namespace {

using namespace literals;
using Bytes = runtime::PinnedBuffer<std::uint8_t>;

/// The setting takes memory from the driver that stays until the runtime ends: the case has one of its own each time.
class ReservedMiB {
 public:
  explicit ReservedMiB(device::Device& device) : runtime_(device) {
    runtime_.set_settings("pinned_reserve_segment_size_mb:1");
  }
  /// Blocks that stay allocated.
  const std::uint8_t* allocate(std::size_t bytes) { return blocks_.emplace_back(runtime_, bytes).data(); }

 private:
  runtime::Runtime runtime_;
  std::vector<Bytes> blocks_;
};

/// Blocks as small as can be, of which none may spoil the alignment of the next.
std::int64_t misaligned_blocks(device::Device& device) {
  constexpr std::uintptr_t alignment = 256;
  ReservedMiB reserved(device);
  std::int64_t misaligned = 0;
  for (const std::size_t bytes : {1U, 1U, 2U, 64U, 512U}) {
    misaligned += reinterpret_cast<std::uintptr_t>(reserved.allocate(bytes)) % alignment == 0 ? 0 : 1;
  }
  return misaligned;
}

/// Two halves are all of it; a third is not in it.
void observe_halves(harness::Context& context) {
  ReservedMiB reserved(context.device());
  const std::uint8_t* const first = reserved.allocate(512_KiB);
  const std::uint8_t* const second = reserved.allocate(512_KiB);
  const std::uint8_t* const third = reserved.allocate(512_KiB);
  const auto in_segment = [&](const std::uint8_t* block) { return block >= first && block < first + 1_MiB; };
  context.observe("second_half_follows_the_first", second == first + 512_KiB);
  context.observe("third_half_is_in_the_segment", in_segment(third));
}

void run(harness::Context& context) {
  context.observe("error", error_text<Error>([&] {
                    context.observe("misaligned_blocks", misaligned_blocks(context.device()));
                    observe_halves(context);
                  }));
}

}  // namespace

harness::Case define() {
  return {
      .name = "pinned.reserved_segment",
      .summary = "The reserved segment of pinned memory is given out in aligned parts, to its last byte",
      .source = "pinned_reserve_segment_size_mb of PyTorch 2.11",
      .faults = {{.name = "pinned_allocation_fails",
                  .summary = "the driver fails to allocate pinned memory",
                  .plan = fault::failing(fault::Operation::allocate_pinned, device::Status::out_of_memory,
                                         fault::every_call)},
                 {.name = "second_segment_fails",
                  .summary = "the driver fails to allocate the second segment",
                  .plan = fault::failing(fault::Operation::allocate_pinned, device::Status::out_of_memory,
                                         fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pinned::reserved_segment
