#include "base/units.hpp"
#include "cases/alloc/pluggable_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case.hpp"

namespace gpucheck::cases::in_alloc {
namespace {

using namespace literals;

constexpr std::size_t block_bytes = 32_MiB;
constexpr std::size_t warm_up_rounds = 4;
constexpr std::size_t rounds = 48;

/// Rounds in which the library allocated a block.
std::size_t allocate_and_free(const runtime::PluggableLibrary& library, device::Stream stream, std::size_t count) {
  std::size_t allocated = 0;
  for (std::size_t i = 0; i < count; ++i) {
    void* const pointer = library.allocate(block_bytes, stream);
    if (pointer == nullptr) continue;
    ++allocated;
    library.free(pointer, block_bytes, stream);
  }
  return allocated;
}

std::uint64_t free_bytes(device::Device& device) {
  device::check(device, device.synchronize(), "synchronize");
  return device.memory_info().value().free_bytes;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const runtime::PluggableLibrary& library = runtime.pluggable_library();
  const device::Stream stream = runtime.current_stream();
  // A library may keep what is freed: that much is not lost.
  const std::size_t warm = allocate_and_free(library, stream, warm_up_rounds);
  const std::uint64_t before = free_bytes(context.device());
  const std::size_t allocated = allocate_and_free(library, stream, rounds);
  const std::uint64_t after = free_bytes(context.device());
  context.observe("rounds", warm + allocated);
  context.observe("bytes_lost", before > after ? before - after : 0);
}

}  // namespace

harness::Case pluggable_leaks() {
  harness::Needs needs = pluggable_needs();
  needs.memory_bytes = 4_GiB;
  needs.exclusive = true;
  return {
      .name = "alloc.pluggable_leaks",
      .summary = "Allocating and freeing the same block over and over costs the device no memory",
      .source = "PyTorch's pluggable allocator interface",
      .needs = needs,
      .faults = {no_memory(1),
                 {.name = "free_lost",
                  .summary = "memory that the library frees never arrives at the device",
                  .plan = fault::free_lost(fault::every_call)}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc
