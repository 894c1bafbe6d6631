#include "runtime/caching/segments/reservation.hpp"

#include "device/check.hpp"

namespace gpucheck::runtime::detail {

Reservation::Reservation(device::Device& device, std::uint64_t bytes, std::uint64_t page_bytes)
    : device_(device), page_bytes_(page_bytes), page_count_((bytes + page_bytes - 1) / page_bytes) {
  const device::Result<void*> reserved = device_.reserve_addresses(this->bytes());
  if (!reserved) throw device::DeviceError(reserved.error(), "reserve addresses for an expandable segment");
  address_ = reinterpret_cast<std::uintptr_t>(*reserved);
}

Reservation::~Reservation() {
  // A device that is lost fails; there is nothing left to free then.
  for (std::size_t index = 0; index < mapped_.size(); ++index) {
    if (mapped_[index]) static_cast<void>(device_.unmap_memory(page(index), page_bytes_));
  }
  static_cast<void>(device_.release_addresses(page(0), bytes()));
}

void* Reservation::page(std::size_t index) const noexcept {
  return reinterpret_cast<void*>(address_ + index * page_bytes_);
}

Reservation::Range Reservation::map(Range range) {
  const std::size_t begin = (range.address - address_) / page_bytes_;
  const std::size_t end = (range.address + range.bytes - address_ + page_bytes_ - 1) / page_bytes_;
  for (std::size_t index = begin; index < end; ++index) {
    const device::Status status = device_.map_memory(page(index), page_bytes_);
    if (status == device::Status::success) {
      if (mapped_.size() <= index) mapped_.resize(index + 1);
      mapped_[index] = true;
      continue;
    }
    unmap_pages(begin, index);
    if (status == device::Status::out_of_memory) return {range.address, 0};
    throw device::DeviceError(status, "map memory into an expandable segment");
  }
  return {range.address, (end - begin) * page_bytes_};
}

Reservation::Range Reservation::whole_pages(Range range) const noexcept {
  const std::size_t begin = (range.address - address_ + page_bytes_ - 1) / page_bytes_;
  const std::size_t end = (range.address + range.bytes - address_) / page_bytes_;
  if (begin >= end) return {range.address, 0};
  return {address_ + begin * page_bytes_, (end - begin) * page_bytes_};
}

Reservation::Range Reservation::unmap(Range range) {
  const Range pages = whole_pages(range);
  const std::size_t begin = (pages.address - address_) / page_bytes_;
  unmap_pages(begin, begin + pages.bytes / page_bytes_);
  return pages;
}

void Reservation::unmap_pages(std::size_t begin, std::size_t end) {
  for (std::size_t index = begin; index < end; ++index) {
    device::check_and_clear(device_, device_.unmap_memory(page(index), page_bytes_),
                            "unmap memory of an expandable segment");
    mapped_[index] = false;
  }
}

}  // namespace gpucheck::runtime::detail
