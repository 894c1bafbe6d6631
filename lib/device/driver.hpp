#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "device/records/activity.hpp"
#include "device/records/handle_ledger.hpp"
#include "device/records/range_log.hpp"

namespace gpucheck::device {

/// Two operations touched the same memory, at least one of them wrote, and nothing
/// ordered them.
struct Race {
  std::string earlier;  ///< name of the operation that ran first in this schedule, for example "add_scalar"
  std::string later;
  Stream earlier_stream;
  Stream later_stream;
  const void* address = nullptr;  ///< first byte in common
  std::uint64_t bytes = 0;        ///< in common from there on without a gap
  std::string description;        ///< one line for a report, with both operations, streams and the memory
};

/// Finds and opens devices of one sort. Constructing a Driver touches no hardware
/// and loads no library; the first `device_count` or `open` does.
class Driver {
 public:
  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual ~Driver() = default;

  /// "cuda" or "sim": goes into every report.
  [[nodiscard]] virtual std::string_view kind() const noexcept = 0;
  /// Number of visible devices (`cudaGetDeviceCount`). Initialises the driver. On
  /// failure the code is the vendor's: no_device, insufficient_driver, ...
  [[nodiscard]] virtual Result<int> device_count() = 0;
  /// What the vendor's driver itself answers to a device-count call that does not
  /// initialise it (`cuDeviceGetCount`): initialization_error as long as nothing in
  /// this process has initialised it. insufficient_driver when no driver library
  /// can be loaded.
  [[nodiscard]] virtual Result<int> device_count_without_initialising() = 0;
  /// The environment variable that limits which devices are visible; read at
  /// initialisation.
  [[nodiscard]] virtual std::string_view visible_devices_variable() const noexcept = 0;
  /// The UUIDs of the machine's devices, visible or not, as `visible_devices_variable` may
  /// name them; nothing where that cannot be known without initialising the driver.
  [[nodiscard]] virtual std::optional<std::vector<std::string>> installed_devices() { return std::nullopt; }
  /// What a device is, without making a context on it; its greatest stream priority may be
  /// unknown then (0).
  [[nodiscard]] virtual Result<DeviceProperties> properties(int ordinal) {
    const Result<std::unique_ptr<Device>> opened = open(ordinal);
    if (!opened) return opened.error();
    return (*opened)->properties();
  }
  /// What connects a device with the others of the machine, hidden ones too. Asks the vendor's management library,
  /// which takes time.
  [[nodiscard]] virtual PeerLink peer_link(int ordinal) {
    static_cast<void>(ordinal);
    return {};
  }
  /// Opens a device. Its context is created by the first call that needs it.
  [[nodiscard]] virtual Result<std::unique_ptr<Device>> open(int ordinal) = 0;
  /// Versions for reports: `name -> version`, for example "driver": "580.159.04",
  /// "cuda_driver": "13.0", "cuda_runtime": "13.0". Empty where nothing is known.
  struct Versions {
    std::string driver;
    std::string cuda_driver;
    std::string cuda_runtime;
  };
  [[nodiscard]] virtual Versions versions() = 0;
  /// Whether it notices accesses that nothing ordered: a simulated device does, a GPU does not.
  [[nodiscard]] virtual bool notices_races() const noexcept { return false; }
  /// Races noticed so far on all devices, in the order found; each pair of operations
  /// once. Thread-safe.
  [[nodiscard]] virtual std::vector<Race> races() const { return {}; }
  /// Handles that exist on the devices themselves, where that is known. Differs from what
  /// callers created and destroyed when calls do not reach the devices, as under faults.
  /// Thread-safe.
  [[nodiscard]] virtual std::optional<LiveHandles> live_handles() const { return std::nullopt; }
  /// Begins to record what the devices do. Loads what the vendor has for that.
  [[nodiscard]] virtual ActivityRecording record_activity() { return {nullptr, "these devices keep no record"}; }

  /// Names what the calling thread does until `end_range`, for the vendor's own tools
  /// (`nvtxRangePush`). Does nothing where no such tool listens. Ranges nest.
  virtual void begin_range(const std::string& name) { static_cast<void>(name); }
  virtual void end_range() {}
  /// Names a moment (`nvtxMark`).
  virtual void mark(const std::string& name) { static_cast<void>(name); }
  /// Names what any thread does until `finish_range` (`nvtxRangeStart`). The range's number;
  /// 0 where no tool listens.
  [[nodiscard]] virtual std::uint64_t start_range(const std::string& name) {
    static_cast<void>(name);
    return 0;
  }
  virtual void finish_range(std::uint64_t range) { static_cast<void>(range); }
  /// What a tool hears of all these while `action` runs; nothing where that cannot be known,
  /// as when another tool listens. One at a time in a process.
  [[nodiscard]] virtual std::optional<std::vector<RangeEvent>> hear_ranges(const std::function<void()>& action) {
    action();
    return std::nullopt;
  }
};

}  // namespace gpucheck::device
