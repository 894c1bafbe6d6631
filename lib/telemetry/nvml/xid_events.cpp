#include "telemetry/nvml/xid_events.hpp"

#include <fmt/format.h>

namespace gpucheck::telemetry::nvml {

XidEvents::XidEvents(const Library& library) : library_(library) {
  const char* const function = "nvmlEventSetCreate";
  const Return code = library_.call(function, &events_);
  if (code == Return::success) return;
  problem_ = fmt::format("{}: {}", function, library_.text(code));
  events_ = nullptr;
}

XidEvents::~XidEvents() {
  if (events_ != nullptr) static_cast<void>(library_.call("nvmlEventSetFree", events_));
}

std::string XidEvents::listen(Device device) {
  if (events_ == nullptr) return problem_;
  const char* const function = "nvmlDeviceRegisterEvents";
  const Return code = library_.call(function, device, event_xid_critical_error, events_);
  return code == Return::success ? "" : fmt::format("{}: {}", function, library_.text(code));
}

std::vector<XidEvents::Xid> XidEvents::take() const {
  constexpr unsigned at_once_ms = 0;
  constexpr std::size_t most = 1000;  // a GPU that reports errors without end is asked again at the next reading
  std::vector<Xid> xids;
  if (events_ == nullptr) return xids;
  EventData event{};
  while (xids.size() < most && library_.call("nvmlEventSetWait_v2", events_, &event, at_once_ms) == Return::success) {
    if ((event.type & event_xid_critical_error) == 0) continue;
    xids.push_back({.device = event.device, .number = static_cast<std::int64_t>(event.data)});
  }
  return xids;
}

}  // namespace gpucheck::telemetry::nvml
