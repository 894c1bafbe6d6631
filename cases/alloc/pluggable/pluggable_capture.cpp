#include "cases/alloc/pluggable/pluggable_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::pluggable_capture {
namespace {

using Integer = std::int64_t;

constexpr std::size_t element_count = 512;
constexpr std::size_t bytes = element_count * sizeof(Integer);

/// Captures "values = 0, 1, 2, ...; values += 3" in memory allocated during the capture.
device::Result<device::Graph> capture(runtime::Runtime& runtime, LibraryBlocks& live, device::Stream stream) {
  device::Device& device = runtime.device();
  // Relaxed: a library knows nothing of captures, and may make calls that others reject.
  device::check(device, device.begin_capture(stream, device::CaptureMode::relaxed), "begin_capture");
  const LibraryBlock block = live.allocate(bytes, stream);
  if (block.data != nullptr) {
    auto* values = reinterpret_cast<Integer*>(block.data);
    tensor::ops::iota(runtime, values, element_count, Integer{0}, stream);
    tensor::ops::add(runtime, values, values, element_count, Integer{3}, stream);
  }
  return device.end_capture(stream);
}

/// Takes and fills other memory, as a program does between replays.
void disturb(runtime::Runtime& runtime, device::Stream stream) {
  LibraryBlocks others(runtime);
  for (std::size_t i = 0; i < 8; ++i) {
    const LibraryBlock other = others.allocate(bytes, stream);
    if (other.data != nullptr) tensor::ops::fill(runtime, other.data, other.bytes, std::uint8_t{255}, stream);
  }
}

std::size_t wrong_elements(runtime::Runtime& runtime, const LibraryBlock& block, device::Stream stream) {
  const std::vector<Integer> seen = read(runtime, reinterpret_cast<Integer*>(block.data), element_count, stream);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < element_count; ++i) wrong += seen[i] != static_cast<Integer>(i) + 3;
  return wrong;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  device::Device& device = context.device();
  const device::Stream stream = runtime.streams().next();
  LibraryBlocks live(runtime);
  const device::Result<device::Graph> captured = capture(runtime, live, stream);
  context.observe("allocation_succeeded", !live.blocks().empty());
  context.observe("capture_status", static_cast<std::int64_t>(captured ? device::Status::success : captured.error()));
  if (!captured || live.blocks().empty()) return;
  const auto graph = device::own<device::UniqueGraph>(device, captured);
  const auto executable = device::own<device::UniqueGraphExec>(device, device.instantiate(graph.get()));
  std::size_t wrong = 0;
  for (int i = 0; i < 3; ++i) {
    device::check(device, device.launch(executable.get(), stream), "launch graph");
    disturb(runtime, stream);
    wrong += wrong_elements(runtime, live.blocks().front(), stream);
  }
  context.observe("wrong_after_three_replays", wrong);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.pluggable_capture",
      .summary = "Memory allocated while a stream is captured leaves the capture whole, and serves the graph's replays",
      .source = "PyTorch's pluggable allocator interface",
      .needs = pluggable_needs(),
      .faults = {no_memory(1),
                 lost_kernels(),
                 {.name = "capture_invalidated",
                  .summary = "something that the library did invalidated the capture",
                  .plan = fault::failing(fault::Operation::end_capture, device::Status::stream_capture_invalidated,
                                         fault::nth_call(1))},
                 {.name = "lost_replay",
                  .summary = "launching the graph does nothing",
                  .plan = fault::replay_lost(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::pluggable_capture
