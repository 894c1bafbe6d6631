#include "cases/snapshot/support.hpp"

#include <algorithm>
#include <sstream>

#include "device/fault/common_plans.hpp"
#include "observe/stacks/native_stack.hpp"
#include "replay/formats/file.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_snapshot {

void require_symbols() {
  observe::ProgramCounters counters;
  observe::unwind(counters);
  observe::Symbolizer symbolizer;
  const observe::Stack stack = symbolizer.frames(counters.view());
  if (names(stack, "require_symbols") && names(stack, "snapshot/support.cpp")) return;
  throw harness::Skip("this program has no symbols or line tables (it was stripped), so that no stack can be named");
}

runtime::Buffer<float> random_tensor(runtime::Runtime& runtime, std::size_t elements) {
  return tensor::ops::rand(default_generator(runtime), elements);
}

void combine(runtime::Runtime& runtime, const runtime::Buffer<float>& x) {
  const device::Stream stream = runtime.current_stream();
  runtime::Buffer<float> left(runtime, x.size(), stream);
  tensor::ops::add(runtime, x.data(), left.data(), x.size(), 1.0F, stream);
  runtime::Buffer<float> right(runtime, x.size(), stream);
  tensor::ops::add(runtime, x.data(), right.data(), x.size(), 1.0F, stream);
  runtime::Buffer<float> sum(runtime, x.size(), stream);
  tensor::ops::add(runtime, left.data(), sum.data(), x.size(), 1.0F, stream);
}

std::string json_of(const observe::MemorySnapshot& snapshot) {
  std::ostringstream text;
  observe::write_json(snapshot, text);
  return text.str();
}

std::string pickle_of(const observe::MemorySnapshot& snapshot) {
  std::ostringstream bytes;
  observe::write_pickle(snapshot, bytes);
  return bytes.str();
}

replay::Snapshot read_back(const std::string& bytes) { return replay::read_snapshot_bytes("snapshot", bytes); }

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

FoundBlock find_live(const observe::MemorySnapshot& snapshot, std::uint64_t requested_bytes) {
  for (const observe::SnapshotSegment& segment : snapshot.segments) {
    for (std::size_t i = 0; i < segment.info.blocks.size(); ++i) {
      const runtime::BlockInfo& block = segment.info.blocks[i];
      if (block.state != runtime::BlockState::active_allocated || block.requested_size != requested_bytes) continue;
      return {block, snapshot.stacks[segment.block_stacks[i]]};
    }
  }
  return {};
}

std::string last_action(const observe::MemorySnapshot& snapshot) {
  return snapshot.trace.empty() ? "" : runtime::name_of(snapshot.trace.back().action);
}

bool names(const observe::Stack& stack, std::string_view text) {
  return std::ranges::any_of(stack, [text](const observe::Frame& frame) {
    return contains(frame.name, text) || contains(frame.filename, text);
  });
}

std::vector<harness::Fault> allocation_faults() {
  return {{.name = "allocation_fails",
           .summary = "the device fails to allocate memory that it has",
           .plan = fault::allocation_fails(fault::every_call)},
          {.name = "allocation_dropped",
           .summary = "the device says that it allocated memory, but did not",
           .plan = fault::allocation_lost(fault::every_call)},
          {.name = "kernel_fails",
           .summary = "the device fails to draw the numbers",
           .plan = fault::failing(fault::Operation::launch_kernel, device::Status::invalid_value, fault::every_call)}};
}

}  // namespace gpucheck::cases::in_snapshot
