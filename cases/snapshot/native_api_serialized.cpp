#include "cases/snapshot/support.hpp"
#include "harness/case/case.hpp"
#include "observe/history/scope.hpp"

namespace gpucheck::cases::in_snapshot::native_api_serialized {
namespace {

using observe::ContextLevel;

std::string frames_text(const replay::StackTable& table, replay::StackId stack) {
  std::string text;
  for (const std::uint32_t frame : table.stacks[stack]) {
    text.append(table.frames[frame].name).append(" ").append(table.frames[frame].filename).append("\n");
  }
  return text;
}

/// What a reader of the file finds of the seed's tensor.
struct FoundInFile {
  bool is_there = false;
  std::string frames;  ///< names and files
};
FoundInFile find_in_file(const replay::Snapshot& snapshot) {
  for (const replay::SnapshotSegment& segment : snapshot.segments) {
    for (const replay::SnapshotBlock& block : segment.blocks) {
      if (block.state != replay::SnapshotBlockState::active_allocated || block.requested_size != seed_bytes) continue;
      return {true, frames_text(snapshot.stacks, block.stack)};
    }
  }
  return {};
}

/// The youngest event of a device; one of another kind when there is none.
replay::SnapshotEvent last_event(const replay::Snapshot& snapshot, std::size_t device) {
  if (snapshot.device_traces.size() <= device || snapshot.device_traces[device].empty()) {
    return {};
  }
  return snapshot.device_traces[device].back();
}

void check(harness::Context& context, const std::string& name, ContextLevel level) {
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  history.record({.context = level, .max_entries = 10});
  const observe::Scope script(history, "the_script_fn");
  runtime::Buffer<float> x;
  observe_error_of(context, name + "_error", [&] { x = random_tensor(runtime, seed_elements); });
  const replay::Snapshot snapshot = read_back(pickle_of(history.snapshot()));
  const FoundInFile found = find_in_file(snapshot);
  const auto ordinal = static_cast<std::size_t>(context.device().ordinal());
  const replay::SnapshotEvent last = last_event(snapshot, ordinal);
  context.observe(name + "_block_found", found.is_there);
  context.observe(name + "_names_rand", contains(found.frames, "::rand("));
  context.observe(name + "_names_scope", contains(found.frames, "the_script_fn"));
  context.observe(name + "_names_source", contains(found.frames, "snapshot/native_api_serialized.cpp"));
  context.observe(name + "_last_is_alloc", last.action == replay::SnapshotAction::alloc);
  context.observe(name + "_last_size", last.size);
}

void run(harness::Context& context) {
  require_symbols();
  check(context, "with_context", ContextLevel::all);
  check(context, "without_context", ContextLevel::none);
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.native_api_serialized",
      .summary = "A snapshot written as a pickle and read back has the tensor's block, its stack and its event",
      .source = "test_cuda.py::TestCudaMallocAsync::test_cpp_memory_snapshot_pickle",
      .faults = allocation_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::native_api_serialized
