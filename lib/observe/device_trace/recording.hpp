#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/records/activity.hpp"
#include "device/values/status.hpp"

namespace gpucheck::observe {

/// One call of a device's interface.
struct HostCall {
  std::uint64_t number = 0;    ///< unique in its trace, not 0
  std::string_view operation;  ///< its name in `device::Operation`
  std::string subject;         ///< what it was about, a kernel's name for example; may be empty
  int device = 0;
  std::uint64_t thread = 0;  ///< 1 for the first thread that called, and so on
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  device::Status status = device::Status::success;
};

enum class MemoryKind { device, pinned };

/// How much memory was allocated from then on.
struct MemoryLevel {
  std::uint64_t time_ns = 0;
  int device = 0;
  MemoryKind kind = MemoryKind::device;
  std::uint64_t bytes = 0;
};

/// A device that took part, and the number of its default stream in activities.
struct TracedDevice {
  int ordinal = 0;
  std::string name;
  std::uint64_t default_stream = 0;
};

/// What a case did and what the devices did for it. All times are of one clock.
struct DeviceTrace {
  std::string title;        ///< the case's name
  std::string device_kind;  ///< "cuda", "sim"
  std::string source;       ///< of the devices' times: "simulator", "cupti", "events"
  std::string note;         ///< why the source is not a better one; else empty
  std::vector<TracedDevice> devices;
  std::vector<HostCall> calls;
  std::vector<device::Activity> activities;
  std::vector<MemoryLevel> levels;
};

}  // namespace gpucheck::observe
