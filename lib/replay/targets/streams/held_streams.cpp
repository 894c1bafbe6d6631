#include "replay/targets/streams/held_streams.hpp"

#include <utility>

#include "device/check.hpp"

namespace gpucheck::replay {

HeldStreams::~HeldStreams() {
  if (stream_) static_cast<void>(inner().destroy_stream(stream_));
}

device::Stream HeldStreams::hold(std::uint16_t number) {
  if (!stream_) {
    const auto made = inner().create_stream(device::StreamKind::non_blocking, 0);
    if (made.has_error()) device::check(made.error(), "create a stream");
    stream_ = *made;
  }
  if (events_.size() <= number) events_.resize(number + std::size_t{1});
  number_ = number;
  return stream_;
}

void HeldStreams::release(std::uint16_t number) {
  if (number >= events_.size()) return;
  for (const device::Event event : std::exchange(events_[number], {})) {
    const auto held = held_.find(event);
    // One that was waited for may be in use again, for another number.
    if (held == held_.end() || held->second != number) continue;
    held_.erase(held);
    released_.push_back(event);
  }
}

std::vector<device::Event> HeldStreams::take_released() {
  std::vector<device::Event> released = std::exchange(released_, {});
  std::erase_if(released, [this](device::Event event) { return is_held(event); });  // again
  return released;
}

device::Status HeldStreams::record(device::Event event, device::Stream stream) {
  held_.erase(event);
  if (!stream_ || stream != stream_) return StreamWork::record(event, stream);
  held_.emplace(event, number_);
  events_[number_].push_back(event);
  return ForwardingDevice::record(event, stream);  // nobody waits for this stream
}

device::Status HeldStreams::synchronize(device::Event event) {
  held_.erase(event);
  return ForwardingDevice::synchronize(event);
}

}  // namespace gpucheck::replay
