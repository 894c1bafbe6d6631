#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "device/device.hpp"
#include "device/fault/flip_bit.hpp"

namespace gpucheck::fault {

/// What is broken of a device's memory, as long as that is allocated, and what becomes of
/// what the device writes there: kernels on the stream of the work that wrote. Thread-safe.
class BrokenMemory {
 public:
  /// Whether two of its words differ in an address line.
  [[nodiscard]] static bool has_address_line(const Written& memory) noexcept;

  /// The byte's bit is one, from the next time that the byte is written.
  void stick_bit(const Written& memory, void* byte);
  /// The memory's highest address line does nothing, from the next write on.
  void alias_address_line(const Written& memory);
  /// The memory that begins there was freed.
  void forget(const void* start);

  /// After work that was enqueued on `stream`.
  device::Status after_write(device::Device& device, const Written& written, device::Stream stream);
  device::Status after_launch(device::Device& device, const device::KernelLaunch& launch, device::Stream stream);

 private:
  struct Defect {
    Written memory;
    void* stuck_byte = nullptr;  ///< null: an address line
  };
  static device::Status apply(const Defect& defect, device::Device& device, const Written& written,
                              device::Stream stream);

  std::mutex mutex_;
  std::vector<Defect> defects_;
  std::atomic<bool> any_{false};  ///< whether there are some: most plans break no memory
};

}  // namespace gpucheck::fault
