#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/values/handles.hpp"

namespace gpucheck::device {

enum class ActivityKind {
  kernel,
  copy,
  fill,
  host_function,  ///< run by the driver, in stream order
};

/// One thing that a device did.
struct Activity {
  ActivityKind kind = ActivityKind::kernel;
  std::string name;          ///< a kernel's own name; "copy", "fill" and the like
  int device = 0;            ///< its ordinal
  std::uint64_t stream = 0;  ///< `ActivityRecorder::number_of` the stream
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t bytes = 0;  ///< copied or filled
  std::uint64_t call = 0;   ///< the call that asked for it; 0 when that is not known
};

/// Records what devices do, from its making to `finish`. At most one at a time in a
/// process. Thread-safe, but for `finish`.
class ActivityRecorder {
 public:
  ActivityRecorder() = default;
  ActivityRecorder(const ActivityRecorder&) = delete;
  ActivityRecorder& operator=(const ActivityRecorder&) = delete;
  virtual ~ActivityRecorder() = default;

  /// Where the times come from: "simulator", "cupti".
  [[nodiscard]] virtual std::string_view source() const noexcept = 0;
  /// The clock of all times of this recorder, in nanoseconds.
  [[nodiscard]] virtual std::uint64_t now_ns() = 0;
  /// What this thread asks of devices until `end_call` belongs to `call`, which is not 0.
  virtual void begin_call(std::uint64_t call) = 0;
  virtual void end_call() = 0;
  /// The number by which activities know a stream of the calling thread's device.
  [[nodiscard]] virtual std::uint64_t number_of(Stream stream) = 0;
  /// What was done so far, in no particular order: wait for the devices first.
  [[nodiscard]] virtual std::vector<Activity> finish() = 0;
};

/// A recorder, or why there is none.
struct ActivityRecording {
  std::unique_ptr<ActivityRecorder> recorder;
  std::string problem;
};

}  // namespace gpucheck::device
