#include "observe/device_trace/trace_recorder.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace gpucheck::observe {
namespace {

/// 1 for the first thread of the process that asks, and so on.
std::uint64_t thread_number() noexcept {
  static std::atomic<std::uint64_t> threads = 0;
  thread_local const std::uint64_t number = ++threads;
  return number;
}

std::uint64_t level_before(const std::vector<MemoryLevel>& levels, int device, MemoryKind kind) {
  const auto same = [&](const MemoryLevel& level) { return level.device == device && level.kind == kind; };
  const auto last = std::find_if(levels.rbegin(), levels.rend(), same);
  return last == levels.rend() ? 0 : last->bytes;
}

}  // namespace

TraceRecorder::TraceRecorder(device::Driver& driver, std::string title) {
  device::ActivityRecording recording = driver.record_activity();
  recorder_ = std::move(recording.recorder);
  trace_.title = std::move(title);
  trace_.device_kind = driver.kind();
  trace_.source = recorder_ != nullptr ? recorder_->source() : "events";
  trace_.note = std::move(recording.problem);
}

std::uint64_t TraceRecorder::now_ns() {
  if (recorder_ != nullptr) return recorder_->now_ns();
  const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since_boot).count());
}

std::uint64_t TraceRecorder::number_of(device::Stream stream) {
  return recorder_ != nullptr ? recorder_->number_of(stream) : stream.value;
}

HostCall TraceRecorder::begin_call() {
  HostCall call;
  call.number = ++calls_;
  call.thread = thread_number();
  if (recorder_ != nullptr) recorder_->begin_call(call.number);
  call.start_ns = now_ns();
  return call;
}

void TraceRecorder::end_call(HostCall call) {
  call.end_ns = now_ns();
  if (recorder_ != nullptr) recorder_->end_call();
  const std::lock_guard lock(mutex_);
  trace_.calls.push_back(std::move(call));
}

void TraceRecorder::add(device::Activity activity) {
  const std::lock_guard lock(mutex_);
  trace_.activities.push_back(std::move(activity));
}

void TraceRecorder::add(TracedDevice device) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(trace_.devices, device.ordinal, &TracedDevice::ordinal) != trace_.devices.end()) return;
  trace_.devices.push_back(std::move(device));
}

void TraceRecorder::memory_changed(int device, MemoryKind kind, std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t now = now_ns();
  const std::uint64_t before = level_before(trace_.levels, device, kind);
  trace_.levels.push_back(
      {.time_ns = now, .device = device, .kind = kind, .bytes = before + static_cast<std::uint64_t>(bytes)});
}

DeviceTrace TraceRecorder::finish() {
  if (recorder_ != nullptr) {
    std::vector<device::Activity> seen = recorder_->finish();
    std::ranges::move(seen, std::back_inserter(trace_.activities));
  }
  return std::move(trace_);
}

}  // namespace gpucheck::observe
