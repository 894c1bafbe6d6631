#include <fmt/format.h>
#include <string_view>

#include "base/text/units.hpp"
#include "cases/alloc/pluggable/pluggable_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::pluggable_leaks {
namespace {

using namespace literals;

struct Size {
  std::string_view name;
  std::size_t bytes;
};
constexpr Size sizes[] = {{"4_kib", 4_KiB}, {"64_kib", 64_KiB}, {"1_mib", 1_MiB}, {"32_mib", 32_MiB}};
constexpr std::size_t warm_up_rounds = 4;
/// So many that a loss of one page of 4 KiB in each is more than what a library may need for
/// its own books, and than the 2 MiB in which a driver counts.
constexpr std::size_t rounds = 2048;

/// Rounds in which the library allocated a block.
std::size_t allocate_and_free(const runtime::PluggableLibrary& library, std::size_t bytes, device::Stream stream,
                              std::size_t count) {
  std::size_t allocated = 0;
  for (std::size_t i = 0; i < count; ++i) {
    void* const pointer = library.allocate(bytes, stream);
    if (pointer == nullptr) continue;
    ++allocated;
    library.free(pointer, bytes, stream);
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
  std::size_t allocated = 0;
  for (const Size& size : sizes) {
    // A library may keep what is freed: that much is not lost.
    allocated += allocate_and_free(library, size.bytes, stream, warm_up_rounds);
    const std::uint64_t before = free_bytes(context.device());
    allocated += allocate_and_free(library, size.bytes, stream, rounds);
    const std::uint64_t after = free_bytes(context.device());
    context.observe(fmt::format("bytes_lost_of_{}", size.name), before > after ? before - after : 0);
  }
  context.observe("rounds", allocated);
}

}  // namespace

harness::Case define() {
  harness::Needs needs = pluggable_needs();
  needs.memory_bytes = 4_GiB;
  needs.exclusive = true;
  return {
      .name = "alloc.pluggable_leaks",
      .summary = "Allocating and freeing a block of any size over and over costs the device no memory",
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

}  // namespace gpucheck::cases::in_alloc::pluggable_leaks
