#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "device/driver.hpp"
#include "runtime/devices/device_name.hpp"

namespace gpucheck::runtime {

/// Which device is meant: none in particular, a number, a text, a name.
using DeviceArgument = std::variant<std::monostate, int, std::string, DeviceName>;

/// What may be left out of a DeviceArgument, or be in it.
struct IndexRule {
  bool optional = false;   ///< without a number the current device is meant
  bool allow_cpu = false;  ///< the host may be meant, whose number is -1
};

struct ComputeCapability {
  int major = 0;
  int minor = 0;
  bool operator==(const ComputeCapability&) const = default;
};

/// PyTorch's questions about devices by number, name or nothing (`torch.cuda.get_device_name`
/// and its like). The driver must outlive it. Thread-safe.
class Devices {
 public:
  /// Touches no driver.
  explicit Devices(device::Driver& driver) noexcept : driver_(driver) {}

  /// How many there are to use, by what the visible-devices variable says now; where the
  /// machine's devices cannot be known without it, the driver is initialised and asked. Once
  /// the driver is initialised the next answer holds for good. @throws DeviceError.
  [[nodiscard]] int count();
  /// The calling thread's current device. @throws Error when there is none of its number;
  /// DeviceError, as all that follow: they initialise the driver.
  [[nodiscard]] int current();
  /// @throws Error for a device that is not there.
  void set_current(int index);
  /// The number that is meant. @throws Error, with PyTorch's text, for a text that does not name a device; UsageError
  /// (in PyTorch ValueError) for a device that is not a GPU where it must be one, and for no number where there must be
  /// one.
  [[nodiscard]] int index_of(const DeviceArgument& argument, IndexRule rule = {});

  /// The properties of the current device unless another is named. @throws Error for a device that is not there.
  [[nodiscard]] device::DeviceProperties properties(const DeviceArgument& argument = {});
  [[nodiscard]] std::string name(const DeviceArgument& argument = {});
  [[nodiscard]] ComputeCapability capability(const DeviceArgument& argument = {});

 private:
  /// @throws Error for a device that is not there.
  void check_index(int index);
  /// Nothing where the driver has to be asked.
  [[nodiscard]] std::optional<int> count_without_driver();

  device::Driver& driver_;
  std::mutex mutex_;
  std::optional<int> count_;  ///< once it holds for good
};

/// A UUID as text: 8-4-4-4-12 hexadecimal digits.
[[nodiscard]] std::string uuid_text(const std::array<std::uint8_t, 16>& bytes);

}  // namespace gpucheck::runtime
