#include "device/sim/machine/machine.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <utility>

namespace gpucheck::sim {

using device::CaptureMode;
using device::Status;

std::string device_uuid(const Options& options, int index) {
  return fmt::format("SIM-{}-{}", options.profile.name, index);
}

Machine::Machine(Options given) : options(std::move(given)), timeline(world, options.seed) {
  for (int index = 0; index < options.device_count; ++index) {
    world.contexts.push_back(std::make_unique<Context>(index, options.profile));
    world.contexts.back()->default_stream.component = timeline.new_component();
  }
}

std::uint64_t Machine::thread_number() noexcept {
  static std::atomic<std::uint64_t> threads{0};
  thread_local const std::uint64_t number = ++threads;
  return number;
}

StreamState* Machine::stream(device::Stream handle, int device) {
  if (handle == device::legacy_default_stream) return &context(device).default_stream;
  StreamState* found = streams.find(handle);
  return found != nullptr && found->device == device ? found : nullptr;
}

Status Machine::reject_unsafe() {
  if (captures.empty()) return Status::success;
  const CaptureMode mode = thread().capture_mode;
  if (mode == CaptureMode::relaxed) return Status::success;
  Status status = Status::success;
  for (const CapturePointer& capture : captures) {
    const bool own = capture->thread == thread_number();
    const bool forbids = own ? capture->mode != CaptureMode::relaxed
                             : mode == CaptureMode::global && capture->mode == CaptureMode::global;
    if (!forbids) continue;
    invalidate(capture);
    status = Status::stream_capture_unsupported;
  }
  return status;
}

Status Machine::reject_while_capturing() {
  std::for_each(captures.begin(), captures.end(), invalidate);
  return captures.empty() ? Status::success : Status::stream_capture_unsupported;
}

Status Machine::reject_legacy(int device, bool invalidates) {
  if (captures.empty()) return Status::success;
  Status status = Status::success;
  for (const StreamState* stream : context(device).blocking_streams) {
    if (!stream->capture) continue;
    if (invalidates) invalidate(stream->capture);
    status = Status::stream_capture_implicit;
  }
  return status;
}

void Machine::close(const CapturePointer& capture) {
  for (const auto& [handle, stream] : streams.objects()) {
    if (stream->capture != capture) continue;
    stream->capture.reset();
    stream->frontier.clear();
  }
  capture->ended = true;
  capture->allocations = {};
  std::erase(captures, capture);
}

void Machine::wait_for(Context& context) {
  const int device = context.default_stream.device;
  Point end = context.retired;
  end.join(context.default_stream.ready_ns, context.default_stream.clock);
  for (const auto& [handle, stream] : streams.objects()) {
    if (stream->device != device) continue;
    end.join(stream->ready_ns, stream->clock);
  }
  timeline.wait_until(end.ready_ns);
  timeline.host_learns(end.clock);
  if (world.contexts.size() != 1 || !timeline.forget_past()) return;
  // Clocks would go on listing all streams that ever were.
  context.retired.clock.clear();
  context.retired_blocking.clock.clear();
  context.default_stream.clock.clear();
  for (const auto& [handle, stream] : streams.objects()) stream->clock.clear();
  for (const auto& [handle, executable] : executables.objects()) executable->clock.clear();
}

void Machine::trim_pools() {
  for (const auto& context : world.contexts) {
    context->pool.collect(timeline.reached_ns());
    context->pool.trim_to_threshold();
  }
}

void Machine::reclaim_pools() {
  for (const auto& context : world.contexts) {
    context->pool.collect(timeline.reached_ns());
    context->pool.trim(0);
  }
}

}  // namespace gpucheck::sim
