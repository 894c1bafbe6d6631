#include "telemetry/nvml/xid_events.hpp"

#include <fmt/format.h>

namespace gpucheck::telemetry::nvml {
namespace {

XidEvents::Listening no_listening(const Library& library, const char* function, Return code) {
  return {.problem = fmt::format("{}: {}", function, library.text(code)), .has_failed = is_failure(code)};
}

}  // namespace

XidEvents::XidEvents(const Library& library) : library_(library) {
  const char* const function = "nvmlEventSetCreate";
  const Return code = library_.call(function, &events_);
  if (code == Return::success) return;
  none_ = no_listening(library_, function, code);
  events_ = nullptr;
}

XidEvents::~XidEvents() {
  if (events_ != nullptr) static_cast<void>(library_.call("nvmlEventSetFree", events_));
}

XidEvents::Listening XidEvents::listen(Device device) {
  if (events_ == nullptr) return none_;
  const char* const function = "nvmlDeviceRegisterEvents";
  const Return code = library_.call(function, device, event_xid_critical_error, events_);
  if (code != Return::success) return no_listening(library_, function, code);
  is_listening_ = true;
  return {};
}

XidEvents::Taken XidEvents::take() const {
  const char* const function = "nvmlEventSetWait_v2";
  constexpr auto timeout = static_cast<Return>(10);  // NVML_ERROR_TIMEOUT of nvml.h: there is none
  constexpr unsigned at_once_ms = 0;
  constexpr std::size_t most = 1000;  // a GPU that reports errors without end is asked again at the next reading
  Taken taken;
  if (!is_listening_) return taken;
  EventData event{};
  Return code = Return::success;
  while (taken.xids.size() < most) {
    code = library_.call(function, events_, &event, at_once_ms);
    if (code != Return::success) break;
    if ((event.type & event_xid_critical_error) == 0) continue;
    taken.xids.push_back({.device = event.device, .number = static_cast<std::int64_t>(event.data)});
  }
  if (code != timeout && is_failure(code)) taken.problem = fmt::format("{}: {}", function, library_.text(code));
  return taken;
}

}  // namespace gpucheck::telemetry::nvml
