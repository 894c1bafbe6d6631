#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "cases/snapshot/support.hpp"
#include "harness/case/case.hpp"
#include "replay/page/snapshot_page.hpp"

namespace gpucheck::cases::in_snapshot::state_history {
namespace {

using Tensor = runtime::Buffer<float>;

/// The stack of what it allocates begins here, in the case's own file.
Tensor tensor_of(runtime::Runtime& runtime, std::size_t elements) {
  return tensor::ops::rand(default_generator(runtime), elements);
}

/// A thousand tensors of 128 floats, freed in random order.
void churn(harness::Context& context) {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 1000; ++i) tensors.push_back(tensor_of(context.runtime(), 128));
  std::mt19937_64 random(context.seed());
  std::shuffle(tensors.begin(), tensors.end(), random);
  while (!tensors.empty()) tensors.pop_back();
}

/// The seed's tensors: x lives from before the churn on, and stays.
Tensor tensors_and_churn(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  static_cast<void>(tensor_of(runtime, 622 * 411));
  const Tensor other = tensor_of(runtime, 310 * 410);
  Tensor x = tensor_of(runtime, seed_elements);
  churn(context);
  static_cast<void>(tensor_of(runtime, 640));
  return x;
}

std::string source_of_first_frame(const observe::Stack& stack) { return stack.empty() ? "" : stack.front().filename; }

/// Segments as another program reads them, and those of them that say nothing of frames.
void observe_segments(harness::Context& context, const std::string& json) {
  const nlohmann::json segments = nlohmann::json::parse(json).at("segments");
  context.observe("segments", segments.size());
  context.observe("segments_without_frames", std::ranges::count_if(segments, [](const nlohmann::json& segment) {
                    return !segment.contains("frames") || !segment["frames"].is_array();
                  }));
}

void run(harness::Context& context) {
  require_symbols();
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  history.record({.recording = observe::Recording::state, .stacks = observe::StackKind::brief});
  {
    Tensor x;
    observe_error_of(context, "error", [&] { x = tensors_and_churn(context); });
    const observe::MemorySnapshot snapshot = history.snapshot();
    const FoundBlock found = find_live(snapshot, seed_bytes);
    context.observe("block_at_tensor",
                    x.data() != nullptr && found.info.address == reinterpret_cast<std::uintptr_t>(x.data()));
    context.observe("source_of_first_frame", harness::Value(source_of_first_frame(found.stack)));
    observe_segments(context, json_of(snapshot));
    const auto ordinal = static_cast<std::size_t>(context.device().ordinal());
    context.observe("usage_page_names_source",
                    contains(replay::snapshot_page(read_back(pickle_of(snapshot)), "snapshot", {ordinal}),
                             "snapshot/state_history.cpp"));
  }
  runtime.allocator().empty_cache();
  const observe::MemorySnapshot last = history.snapshot();
  context.observe("events_kept", last.trace.size());
  context.observe("last_action", last_action(last));
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.state_history",
      .summary = "Recording the present state finds a block at its tensor's address and says where it was allocated",
      .source = "test_cuda.py::TestCudaMallocAsync::test_memory_snapshot",
      .faults = allocation_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::state_history
