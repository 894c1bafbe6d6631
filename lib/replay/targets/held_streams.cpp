#include "replay/targets/held_streams.hpp"

#include "device/check.hpp"

namespace gpucheck::replay {

HeldStreams::~HeldStreams() {
  for (const Held& held : streams_) {
    if (held.stream) static_cast<void>(inner().destroy_stream(held.stream));
  }
}

device::Stream HeldStreams::hold(std::uint16_t number) {
  if (streams_.size() <= number) streams_.resize(number + std::size_t{1});
  Held& held = streams_[number];
  if (!held.stream) {
    const auto made = inner().create_stream(device::StreamKind::non_blocking, 0);
    if (made.has_error()) device::check(made.error(), "create a stream");
    held.stream = *made;
  }
  held.is_held = true;
  return held.stream;
}

void HeldStreams::release(std::uint16_t number) {
  if (number >= streams_.size()) return;
  streams_[number].is_held = false;
  std::erase_if(recorded_, [number](const auto& event) { return event.second == number; });
}

device::Status HeldStreams::record(device::Event event, device::Stream stream) {
  recorded_.erase(event);
  for (std::size_t number = 0; number < streams_.size(); ++number) {
    if (streams_[number].is_held && streams_[number].stream == stream) {
      recorded_.emplace(event, static_cast<std::uint16_t>(number));
    }
  }
  return ForwardingDevice::record(event, stream);
}

device::Status HeldStreams::query(device::Event event) {
  return recorded_.contains(event) ? device::Status::not_ready : ForwardingDevice::query(event);
}

device::Status HeldStreams::synchronize(device::Event event) {
  recorded_.erase(event);
  return ForwardingDevice::synchronize(event);
}

}  // namespace gpucheck::replay
