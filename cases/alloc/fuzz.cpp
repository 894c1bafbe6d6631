#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "base/text/units.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_alloc::fuzz {
namespace {

using namespace literals;
using runtime::Buffer;

/// Uniform in [low, high); the same on every machine, unlike std::uniform_int_distribution.
std::uint64_t draw(std::mt19937_64& random, std::uint64_t low, std::uint64_t high) {
  __extension__ using Wide = unsigned __int128;
  return low + static_cast<std::uint64_t>((Wide{random()} * Wide{high - low}) >> 64);
}

/// Blocks that are alive, each filled with a number of its own (never 0, which fresh
/// memory often holds), and the device's tally of what was found in them when they were
/// freed.
class LiveBlocks {
 public:
  LiveBlocks(runtime::Runtime& runtime, std::size_t stride)
      : runtime_(runtime), stride_(stride), tally_(runtime, 1, runtime.current_stream()) {
    write(runtime, tally_.data(), {tensor::ops::Tally{}}, runtime.current_stream());
  }

  void allocate(std::size_t elements) {
    const device::Stream stream = runtime_.current_stream();
    Block block{Buffer<std::int32_t>(runtime_, elements, stream), static_cast<std::int32_t>(allocated_ + 1)};
    std::int32_t* data = block.memory.data();
    tensor::ops::fill_strided(runtime_, data, elements, block.value, stride_, stream, tensor::ops::Claim::all);
    if (stride_ > 1) tensor::ops::fill(runtime_, data + elements - 1, 1, block.value, stream);
    ++allocated_;
    elements_ += elements;
    blocks_.push_back(std::move(block));
  }

  /// Has the device check a block's contents, then frees the block.
  void free(std::size_t index) {
    Block block = std::move(blocks_[index]);
    blocks_[index] = std::move(blocks_.back());
    blocks_.pop_back();
    const std::size_t elements = block.memory.size();
    verify(block.memory.data(), elements, block.value, stride_);
    if (stride_ > 1) verify(block.memory.data() + elements - 1, 1, block.value, 1);
    elements_ -= elements;
  }

  [[nodiscard]] std::size_t count() const noexcept { return blocks_.size(); }
  [[nodiscard]] std::uint64_t elements() const noexcept { return elements_; }
  [[nodiscard]] std::uint64_t allocated() const noexcept { return allocated_; }
  [[nodiscard]] std::uint64_t elements_to_verify() const noexcept { return to_verify_; }
  [[nodiscard]] tensor::ops::Tally tally() const {
    return read_one(runtime_, tally_.data(), runtime_.current_stream());
  }

 private:
  struct Block {
    Buffer<std::int32_t> memory;
    std::int32_t value = 0;
  };

  void verify(const std::int32_t* data, std::size_t elements, std::int32_t value, std::size_t stride) {
    tensor::ops::verify(runtime_, data, elements, value, stride, tally_.data(), runtime_.current_stream(),
                        tensor::ops::Claim::all);
    to_verify_ += (elements + stride - 1) / stride;
  }

  runtime::Runtime& runtime_;
  std::size_t stride_;
  Buffer<tensor::ops::Tally> tally_;
  std::vector<Block> blocks_;
  std::uint64_t elements_ = 0;
  std::uint64_t allocated_ = 0;
  std::uint64_t to_verify_ = 0;
};

/// For an observation, which takes numbers with a sign: a tally that never arrived may be anything.
std::int64_t at_most_64_bits(std::uint64_t number) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max()));
}

/// One random action, weighted as in the seed: allocate 1, free 1 (when there is
/// anything to free), empty the cache 0.1.
enum class Action { allocate, free, empty_cache };

Action choose(std::mt19937_64& random, bool can_free) {
  const std::uint64_t ticket = draw(random, 0, can_free ? 21 : 11);
  if (ticket < 10) return Action::allocate;
  return can_free && ticket < 20 ? Action::free : Action::empty_cache;
}

std::size_t stride_in_elements(harness::Context& context) {
  std::int64_t bytes = context.parameter<std::int64_t>("sample_stride_bytes");
  if (bytes == 0) bytes = context.driver().kind() == "sim" ? std::int64_t{64_KiB} : std::int64_t{sizeof(std::int32_t)};
  return std::max<std::size_t>(1, static_cast<std::size_t>(bytes) / sizeof(std::int32_t));
}

void run(harness::Context& context) {
  const auto elements = [&](const char* name) {
    return static_cast<std::uint64_t>(context.parameter<std::int64_t>(name)) / sizeof(std::int32_t);
  };
  const std::uint64_t smallest = elements("minimum_bytes");
  const std::uint64_t largest = std::max(smallest + 1, elements("maximum_bytes"));
  const std::uint64_t max_live = elements("live_bytes");

  runtime::Runtime& runtime = context.runtime();
  std::mt19937_64 random(static_cast<std::uint64_t>(context.parameter<std::int64_t>("seed")));
  std::uint64_t cache_releases = 0;
  {
    LiveBlocks blocks(runtime, stride_in_elements(context));
    for (std::int64_t i = 0; i < context.parameter<std::int64_t>("iterations"); ++i) {
      while (blocks.elements() >= max_live) blocks.free(draw(random, 0, blocks.count()));
      switch (choose(random, blocks.count() > 0)) {
        case Action::allocate:
          blocks.allocate(draw(random, smallest, largest));
          break;
        case Action::free:
          blocks.free(draw(random, 0, blocks.count()));
          break;
        case Action::empty_cache:
          runtime.allocator().empty_cache();
          ++cache_releases;
          break;
      }
    }
    while (blocks.count() > 0) blocks.free(blocks.count() - 1);

    const tensor::ops::Tally tally = blocks.tally();
    context.observe("blocks_allocated", blocks.allocated());
    context.observe("every_element_verified",
                    blocks.elements_to_verify() > 0 && tally.verified == blocks.elements_to_verify());
    context.observe("wrong_elements", at_most_64_bits(tally.wrong));
    context.observe("elements_verified", at_most_64_bits(tally.verified));
    context.observe("cache_releases", cache_releases);
  }
  context.observe("allocated_bytes_at_end", runtime.allocator().live_allocations().bytes);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.fuzz",
      .summary = "Random allocations, frees and cache releases: no block ever changes another's contents",
      .source = "test_cuda.py::TestCudaMallocAsync::test_allocator_fuzz",
      .needs = {.memory_bytes = 2_GiB},
      .parameters =
          {{.name = "iterations",
            .summary = "random actions",
            .default_value = std::int64_t{10'000},
            .minimum = 1,
            .maximum = 1e9},
           {.name = "seed", .summary = "chooses the actions", .default_value = std::int64_t{123}, .minimum = 0},
           {.name = "minimum_bytes",
            .summary = "smallest block",
            .default_value = std::int64_t{2_MiB},
            .unit = "bytes",
            .minimum = 4},
           {.name = "maximum_bytes",
            .summary = "largest block (not reached)",
            .default_value = std::int64_t{200_MiB},
            .unit = "bytes",
            .minimum = 8},
           {.name = "live_bytes",
            .summary = "blocks are freed while as much as this is alive",
            .default_value = std::int64_t{1_GiB},
            .unit = "bytes",
            .minimum = 4},
           {.name = "sample_stride_bytes",
            .summary = "write and verify one element in so many bytes, and the edges; 0: every byte on a GPU, one "
                       "element in 64 KiB on the simulated device",
            .default_value = std::int64_t{0},
            .unit = "bytes",
            .minimum = 0}},
      .faults = {{.name = "memory_allocated_twice",
                  .summary = "the device allocates memory that is in use",
                  .plan = fault::memory_allocated_twice(fault::from_call(5))},
                 {.name = "flipped_bit",
                  .summary = "one bit changes in memory that a kernel wrote",
                  .plan = fault::kernel_flips_bit(fault::nth_call(2))},
                 {.name = "lost_fill",
                  .summary = "a block is never filled",
                  .plan = fault::kernel_lost(fault::nth_call(1))},
                 {.name = "lost_verification",
                  .summary = "kernels stop running half way, so that blocks are not looked at",
                  .plan = fault::kernel_lost(fault::from_call(5000))},
                 {.name = "lost_tally",
                  .summary = "the result is never copied back to the host",
                  .plan = fault::copy_lost(fault::nth_call(2))}},
      .deadline = std::chrono::seconds(120),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::fuzz
