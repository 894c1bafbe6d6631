#include "observe/device_trace/event_timer.hpp"

#include <utility>

#include "device/check.hpp"

namespace gpucheck::observe {

using device::Status;
using device::UniqueEvent;

namespace {

std::uint64_t at(std::uint64_t origin_ns, float milliseconds) {
  return milliseconds <= 0 ? origin_ns
                           : origin_ns + static_cast<std::uint64_t>(static_cast<double>(milliseconds) * 1e6);
}

}  // namespace

EventTimer::~EventTimer() {
  for (Timed& timed : timed_) {
    if (device_.synchronize(timed.end.get()) != Status::success) return;  // the device is lost: so are its times
    const auto start = device_.elapsed_ms(origin_->event.get(), timed.start.get());
    const auto end = device_.elapsed_ms(origin_->event.get(), timed.end.get());
    if (!start || !end) continue;
    timed.activity.start_ns = at(origin_->host_ns, *start);
    timed.activity.end_ns = at(origin_->host_ns, *end);
    recorder_.add(std::move(timed.activity));
  }
}

void EventTimer::capture_begun() noexcept {
  const std::lock_guard lock(mutex_);
  ++open_captures_;
}

void EventTimer::capture_ended() noexcept {
  const std::lock_guard lock(mutex_);
  if (open_captures_ > 0) --open_captures_;
}

std::optional<UniqueEvent> EventTimer::record(device::Stream stream) {
  const auto event = device_.create_event(device::EventKind::timing);
  if (!event) return std::nullopt;
  UniqueEvent owned = device::own<UniqueEvent>(device_, event);
  if (device_.record(owned.get(), stream) != Status::success) return std::nullopt;
  return owned;
}

void EventTimer::set_origin() {
  const auto created = device_.create_stream(device::StreamKind::non_blocking, 0);
  if (!created) return;
  const device::UniqueStream stream = device::own<device::UniqueStream>(device_, created);
  std::optional<UniqueEvent> event = record(stream.get());
  if (!event || device_.synchronize(event->get()) != Status::success) return;
  origin_ = Origin{.event = std::move(*event), .host_ns = recorder_.now_ns()};
}

std::optional<UniqueEvent> EventTimer::before(device::Stream stream) {
  const std::lock_guard lock(mutex_);
  if (open_captures_ > 0) return std::nullopt;
  if (!origin_) set_origin();
  return origin_ ? record(stream) : std::nullopt;
}

void EventTimer::after(std::optional<UniqueEvent> start, device::Activity activity, device::Stream stream) {
  if (!start) return;
  const std::lock_guard lock(mutex_);
  std::optional<UniqueEvent> end = record(stream);
  if (!end) return;
  activity.stream = recorder_.number_of(stream);
  timed_.push_back({std::move(activity), std::move(*start), std::move(*end)});
}

}  // namespace gpucheck::observe
