#include "replay/targets/streams/trace_streams.hpp"

#include <algorithm>
#include <utility>

#include "device/check.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"

namespace gpucheck::replay {

namespace {

/// How long the work on an occupied stream takes; no trace does without waiting for so long.
constexpr std::uint64_t occupied_ns = 300'000'000;

}  // namespace

TraceStreams::TraceStreams(runtime::Runtime& runtime, StreamWork& work, std::uint32_t count)
    : device_(work), streams_{device_.default_stream()}, states_(count) {
  while (streams_.size() < count) streams_.push_back(runtime.streams().next());
  for (std::size_t index = 0; index < streams_.size(); ++index) {
    indices_.emplace(streams_[index], static_cast<std::uint16_t>(index));
  }
}

void TraceStreams::note_use(std::uint16_t index) {
  if (!states_[index].is_used) unfinished_.push_back(index);  // what it got before was not waited for
  states_[index].is_used = is_waited_for_ = true;
}

void TraceStreams::occupy(std::uint16_t index) {
  State& state = states_[index];
  if (state.is_occupied) return;
  device::check(device::launch(device_, device::kernels::Spin{occupied_ns}, 1, streams_[index]), "occupy a stream");
  state.is_occupied = true;
  occupied_.push_back(index);
}

void TraceStreams::wait_for_used() {
  if (is_capturing_ || (unfinished_.empty() && !device_.has_streams())) return;
  for (const device::Stream stream : device_.take_streams()) {
    if (const auto place = indices_.find(stream); place != indices_.end() && states_[place->second].is_used) {
      unfinished_.push_back(place->second);
    }
  }
  std::ranges::sort(unfinished_);
  for (const std::uint16_t index : std::exchange(unfinished_, {})) {
    // What is occupied is idle after the next wait for all.
    if (!states_[index].is_occupied) device::check(device_.synchronize(streams_[index]), "wait for a stream");
  }
}

void TraceStreams::wait_for_all() {
  device::check(device_.synchronize(), "synchronize");
  for (const std::uint16_t index : std::exchange(occupied_, {})) states_[index].is_occupied = false;
  unfinished_.clear();
  static_cast<void>(device_.take_streams());
}

}  // namespace gpucheck::replay
