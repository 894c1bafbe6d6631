#include <chrono>

#include "base/text/units.hpp"
#include "cases/alloc/pluggable/pluggable_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::pluggable_latency {
namespace {

using namespace literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t pairs = 500;

/// Median time of an allocation and its free, in nanoseconds; counts the pairs made.
std::int64_t median_pair_ns(const runtime::PluggableLibrary& library, std::size_t bytes, device::Stream stream,
                            std::int64_t& made) {
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < pairs; ++i) {
    const Clock::time_point start = Clock::now();
    void* const pointer = library.allocate(bytes, stream);
    if (pointer == nullptr) continue;
    library.free(pointer, bytes, stream);
    times.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
  }
  made += static_cast<std::int64_t>(times.size());
  if (times.empty()) return 0;
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const runtime::PluggableLibrary& library = runtime.pluggable_library();
  const device::Stream stream = runtime.current_stream();
  std::int64_t made = 0;
  context.observe("pair_of_4_kib_ns", median_pair_ns(library, 4_KiB, stream, made));
  context.observe("pair_of_2_mib_ns", median_pair_ns(library, 2_MiB, stream, made));
  context.observe("pairs_timed", made);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.pluggable_latency",
      .summary = "How long the library takes for a small and a large block; says nothing of whether that is good",
      .source = "PyTorch's pluggable allocator interface",
      .needs = pluggable_needs(),
      .faults = {no_memory(1)},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::pluggable_latency
