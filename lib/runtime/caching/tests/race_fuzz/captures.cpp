#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "worker.hpp"

// Graphs of a program. While a capture is open, the program keeps to what PyTorch's
// allocator needs then: a stream that is made known meanwhile has been joined by the
// capture's end, since the allocator records no event for it.
namespace gpucheck::runtime::race_fuzz {

void Worker::capture() {
  Captured captured{.graph = std::make_unique<Graph>(runtime_),
                    .captured_on = any_stream(),
                    .replayed_on = any_stream(),
                    .outputs = {},
                    .inputs = {}};
  PoolId pool;
  if (!graphs_.empty() && one_in(2)) {  // graphs with one pool replay in one order
    pool = graphs_.back().graph->pool();
    captured.replayed_on = graphs_.back().replayed_on;
  }
  const device::Stream forked = any_stream();
  if (captured.captured_on == captured.replayed_on || forked == captured.captured_on) return;
  note(
      fmt::format("capture on {:#x}, to be replayed on {:#x}", captured.captured_on.value, captured.replayed_on.value));
  const CurrentStreamGuard guard(runtime_, captured.captured_on);
  captured.graph->capture_begin(pool, device::CaptureMode::relaxed);
  capture_body(captured, forked);
  captured.graph->capture_end();
  ++coverage_.captures;
  graphs_.push_back(std::move(captured));
}

void Worker::capture_body(Captured& captured, device::Stream forked) {
  const device::Stream stream = captured.captured_on;
  const std::array capturing{stream, forked};
  const std::uint64_t nodes = 2 + draw(6);
  bool forked_away = false;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    Block block = try_allocate(any_size(), stream).value();
    work_.launch_write(block, stream);
    if (one_in(4)) {
      capture_last_use(block, stream, forked);
      forked_away = true;
      continue;
    }
    if (one_in(3)) capture_fork(block, stream, forked);
    work_.launch_read(block, stream, captured.replayed_on);
    if (one_in(3)) {
      captured.outputs.push_back(std::move(block));
    } else {
      note(fmt::format("free {}", fmt::ptr(block.data)));
      allocator_.free(block.data);
    }
    if (one_in(2)) act_beside_capture(capturing);
  }
  if (forked_away) work_.wait(stream, work_.mark(forked));
  if (!live_.empty() && live_.back().value && one_in(2)) {
    work_.launch_read(live_.back(), stream, captured.replayed_on);
    captured.inputs.push_back(std::move(live_.back()));
    live_.pop_back();
  }
}

/// Writes the block on a second stream of the capture, which is joined later, and gives
/// it up.
void Worker::capture_last_use(Block& block, device::Stream capturing, device::Stream forked) {
  note(fmt::format("fork to {:#x} for {} and free it", forked.value, fmt::ptr(block.data)));
  work_.wait(forked, work_.mark(capturing));
  work_.launch_write(block, forked);
  allocator_.record_stream(block.data, forked);
  allocator_.free(block.data);
  freed_.insert(block.data);
}

/// Writes the block on a second stream of the capture and comes back.
void Worker::capture_fork(Block& block, device::Stream capturing, device::Stream forked) {
  note(fmt::format("fork to {:#x} for {}", forked.value, fmt::ptr(block.data)));
  work_.wait(forked, work_.mark(capturing));
  work_.launch_write(block, forked);
  work_.wait(capturing, work_.mark(forked));
  allocator_.record_stream(block.data, forked);
}

/// Other work goes on while a capture is open, on each block's own stream.
void Worker::act_beside_capture(std::span<const device::Stream> capturing) {
  const device::Stream stream = any_stream();
  if (std::ranges::find(capturing, stream) != capturing.end()) return;
  if (live_.size() < variant_.max_live) {
    Block block = try_allocate(any_size(), stream).value();
    block.writer = work_.mark(stream);
    work_.write(block, stream);
    live_.push_back(std::move(block));
  }
  const auto known = std::ranges::find_if(live_, [](const Block& block) { return block.unrecorded.empty(); });
  if (known == live_.end()) return;
  Block block = std::move(*known);
  live_.erase(known);
  free(block);
}

void Worker::replay(Captured& captured) {
  const device::Stream stream = captured.replayed_on;
  note(fmt::format("replay on {:#x}", stream.value));
  for (const Block& input : captured.inputs) work_.wait(stream, input.writer);
  const CurrentStreamGuard guard(runtime_, stream);
  captured.graph->replay();
  ++coverage_.replays;
  for (const Block& output : captured.outputs) work_.launch_read(output, stream, stream);
}

/// Frees some outputs before the graph, some after it.
void Worker::drop(std::size_t index) {
  Captured captured = std::move(graphs_[index]);
  graphs_.erase(graphs_.begin() + static_cast<std::ptrdiff_t>(index));
  note("drop a graph");
  for (Block& input : captured.inputs) {
    input.readers.push_back(work_.mark(captured.replayed_on));
    if (captured.replayed_on != input.owner) input.unrecorded.push_back(captured.replayed_on);
    live_.push_back(std::move(input));
  }
  for (Block& output : captured.outputs) {
    if (one_in(3)) captured.graph->reset();
    free(output);
  }
}

}  // namespace gpucheck::runtime::race_fuzz
