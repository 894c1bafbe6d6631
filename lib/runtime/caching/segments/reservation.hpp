#pragma once

#include <cstdint>
#include <vector>

#include "device/device.hpp"

namespace gpucheck::runtime::detail {

/// An expandable segment's addresses: reserved once, given memory page by page. Gives
/// everything back in the end. Not thread-safe. The device must outlive it.
class Reservation {
 public:
  /// A range of addresses. Bytes.
  struct Range {
    std::uintptr_t address = 0;
    std::uint64_t bytes = 0;
  };

  /// At least `bytes` of addresses in pages of `page_bytes`. @throws DeviceError.
  Reservation(device::Device& device, std::uint64_t bytes, std::uint64_t page_bytes);
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation();

  [[nodiscard]] std::uintptr_t address() const noexcept { return address_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return page_count_ * page_bytes_; }

  /// Maps the pages of a range that begins with a page: returns the whole pages' range;
  /// of 0 bytes, with nothing mapped, when the device is out of memory. @throws DeviceError.
  Range map(Range range);
  /// Unmaps the pages that lie inside a mapped range as a whole: returns theirs. Waits
  /// for nothing. @throws DeviceError.
  Range unmap(Range range);
  /// The pages that `unmap` would take.
  [[nodiscard]] Range whole_pages(Range range) const noexcept;

 private:
  [[nodiscard]] void* page(std::size_t index) const noexcept;
  void unmap_pages(std::size_t begin, std::size_t end);

  device::Device& device_;
  std::uint64_t page_bytes_;
  std::size_t page_count_;
  std::uintptr_t address_ = 0;
  /// By page, up to the last that was ever mapped: with the pages of all addresses in it, thousands of reservations on
  /// a device of their size would take time and memory with the square of their number.
  std::vector<bool> mapped_;
};

}  // namespace gpucheck::runtime::detail
