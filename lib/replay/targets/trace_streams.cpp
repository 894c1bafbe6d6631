#include "replay/targets/trace_streams.hpp"

#include "device/check.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"

namespace gpucheck::replay {

namespace {

/// Of the work on an occupied stream; no trace does without waiting for so long.
constexpr std::uint64_t occupied_ns = 300'000'000;

}  // namespace

TraceStreams::TraceStreams(runtime::Runtime& runtime, std::uint32_t count)
    : device_(runtime.device()), streams_{device_.default_stream()}, states_(count) {
  while (streams_.size() < count) streams_.push_back(runtime.streams().next());
}

void TraceStreams::note_use(std::uint16_t index) { states_[index].is_used = is_waited_for_ = true; }

void TraceStreams::occupy(std::uint16_t index) {
  State& state = states_[index];
  if (state.is_occupied) return;
  device::check(device::launch(device_, device::kernels::Spin{occupied_ns}, 1, streams_[index]), "occupy a stream");
  state.is_occupied = true;
}

void TraceStreams::wait_for_used() {
  if (is_capturing_) return;
  for (std::size_t index = 0; index < states_.size(); ++index) {
    if (!states_[index].is_used || states_[index].is_occupied) continue;
    device::check(device_.synchronize(streams_[index]), "wait for a stream");
  }
}

void TraceStreams::wait_for_all() {
  device::check(device_.synchronize(), "synchronize");
  for (State& state : states_) state.is_occupied = false;
}

}  // namespace gpucheck::replay
