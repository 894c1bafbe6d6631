#include "runtime/random/generator_state.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"
#include "device/check.hpp"
#include "device/launch.hpp"
#include "runtime/random/kernels/graph_random.hpp"
#include "runtime/streams/pools/is_capturing.hpp"

namespace gpucheck::runtime {
namespace {

/// What one call draws of a sequence: its numbers come in fours.
constexpr std::uint64_t draw_multiple = 4;

constexpr std::uint64_t rounded(std::uint64_t increment) {
  return (increment + draw_multiple - 1) / draw_multiple * draw_multiple;
}

}  // namespace

void require_no_capture(Runtime& runtime, std::string_view what) {
  if (!detail::is_capturing(runtime.device(), runtime.current_stream())) return;
  throw Error(
      fmt::format("{} during CUDA graph capture. If you need this call to be captured, please file an issue. "
                  "Current cudaStreamCaptureStatus: cudaStreamCaptureStatusActive",
                  what));
}

bool GeneratorState::is_capturing() const { return detail::is_capturing(runtime_.device(), runtime_.current_stream()); }

std::uint64_t GeneratorState::seed() const {
  const std::scoped_lock lock(mutex_);
  return seed_;
}

std::uint64_t GeneratorState::offset() const {
  const bool capturing = is_capturing();
  const std::scoped_lock lock(mutex_);
  return capturing ? captured_offset_ : offset_;
}

void GeneratorState::set_seed(std::uint64_t seed) {
  const bool capturing = is_capturing();
  const std::scoped_lock lock(mutex_);
  if (!capturing) {
    seed_ = seed;
    offset_ = 0;
  } else if (seed != seed_) {
    throw Error(
        "CUDAGeneratorImpl::set_current_seed can be called during stream capture only if new seed is the same as the "
        "original seed.");
  }
}

void GeneratorState::set_offset(std::uint64_t offset) {
  if (offset % draw_multiple != 0) throw Error("offset must be a multiple of 4");
  const bool capturing = is_capturing();
  const std::scoped_lock lock(mutex_);
  (capturing ? captured_offset_ : offset_) = offset;
}

device::kernels::PhiloxStart GeneratorState::take(std::uint64_t increment) {
  const bool capturing = is_capturing();
  const std::scoped_lock lock(mutex_);
  if (!capturing) {
    if (in_capture_) throw Error("Offset increment outside graph capture encountered unexpectedly.");
    const device::kernels::PhiloxStart start{.seed = seed_, .offset = offset_};
    offset_ += rounded(increment);
    return start;
  }
  if (!in_capture_) throw Error("Attempt to increase offset for a CUDA generator not in capture mode.");
  const device::kernels::PhiloxStart start{
      .offset = captured_offset_, .seed_at = seed_on_device_.data(), .offset_at = offset_on_device_.data()};
  captured_offset_ += rounded(increment);
  return start;
}

void GeneratorState::register_graph(const Graph& graph) {
  require_no_capture(runtime_, "Cannot register the state during capturing stage.");
  const std::scoped_lock lock(mutex_);
  if (graphs_.empty()) {
    const device::Stream stream = runtime_.current_stream();
    Buffer<std::int64_t> seed(runtime_, 1, stream);
    offset_on_device_ = Buffer<std::int64_t>(runtime_, 1, stream);
    seed_on_device_ = std::move(seed);
  }
  if (std::ranges::find(graphs_, &graph) == graphs_.end()) graphs_.push_back(&graph);
}

void GeneratorState::unregister_graph(const Graph& graph) noexcept {
  const std::scoped_lock lock(mutex_);
  std::erase(graphs_, &graph);
  if (!graphs_.empty()) return;
  seed_on_device_ = {};
  offset_on_device_ = {};
}

void GeneratorState::begin_capture() {
  const std::scoped_lock lock(mutex_);
  in_capture_ = true;
  captured_offset_ = 0;
}

std::uint64_t GeneratorState::end_capture() {
  const std::scoped_lock lock(mutex_);
  in_capture_ = false;
  return captured_offset_;
}

void GeneratorState::begin_replay(std::uint64_t increment) {
  if (increment == 0) return;  // the device is asked nothing: replays are to cost what launches cost
  require_no_capture(runtime_, "Cannot prepare for replay during capturing stage.");
  device::Device& device = runtime_.device();
  const std::scoped_lock lock(mutex_);
  const device::kernels::SetGraphRandom set{seed_, offset_, seed_on_device_.data(), offset_on_device_.data()};
  device::check_and_clear(device, device::launch(device, set, 1, runtime_.current_stream()), set.name);
  offset_ += increment;
}

}  // namespace gpucheck::runtime
