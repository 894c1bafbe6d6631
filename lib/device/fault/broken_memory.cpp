#include "device/fault/broken_memory.hpp"

#include <algorithm>
#include <bit>

#include "device/kernels/broken_memory.hpp"
#include "device/launch.hpp"
#include "device/values/shared_bytes.hpp"

namespace gpucheck::fault {
namespace {

using device::Status;

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// Some of an allocation's bytes, counted from its start.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// What was written of `memory`, with the gaps in it.
Stretch common(const Written& memory, const Written& written) {
  const std::uintptr_t begin = std::max(number(memory.address), number(written.address));
  const std::uintptr_t end =
      std::min(number(memory.address) + memory.bytes, number(written.address) + device::extent_bytes(written.access()));
  if (begin >= end) return {};
  return {begin - number(memory.address), end - number(memory.address)};
}

}  // namespace

bool BrokenMemory::has_address_line(const Written& memory) noexcept {
  return memory.bytes >= 2 * sizeof(std::uint64_t);
}

void BrokenMemory::stick_bit(const Written& memory, void* byte) {
  const std::scoped_lock lock(mutex_);
  defects_.push_back({memory, byte});
  any_ = true;
}

void BrokenMemory::alias_address_line(const Written& memory) {
  const std::scoped_lock lock(mutex_);
  defects_.push_back({memory});
  any_ = true;
}

void BrokenMemory::forget(const void* start) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(defects_, [start](const Defect& defect) { return defect.memory.address == start; });
}

Status BrokenMemory::apply(const Defect& defect, device::Device& device, const Written& written,
                           device::Stream stream) {
  const Stretch stretch = common(defect.memory, written);
  if (stretch.begin == stretch.end) return Status::success;
  auto* const bytes = static_cast<std::uint8_t*>(defect.memory.address);
  if (defect.stuck_byte != nullptr) {
    if (!device::share_bytes(written.access(), {defect.stuck_byte, 1}, true)) return Status::success;
    return device::launch(device, device::kernels::StickBit{static_cast<std::uint8_t*>(defect.stuck_byte), high_bit}, 1,
                          stream);
  }
  constexpr std::uint64_t word = sizeof(std::uint64_t);
  const std::uint64_t words = defect.memory.bytes / word;
  const std::uint64_t first = stretch.begin / word;
  const std::uint64_t end = std::min((stretch.end + word - 1) / word, words);
  if (first >= end) return Status::success;  // in the last bytes, which are not a word
  const device::kernels::AliasAddressLine alias{reinterpret_cast<std::uint64_t*>(bytes), words,
                                                std::bit_floor(words - 1), first};
  return device::launch(device, alias, end - first, stream);
}

Status BrokenMemory::after_write(device::Device& device, const Written& written, device::Stream stream) {
  if (!any_) return Status::success;
  std::vector<Defect> defects;
  {
    const std::scoped_lock lock(mutex_);
    defects = defects_;
  }
  for (const Defect& defect : defects) {
    if (const Status status = apply(defect, device, written, stream); status != Status::success) return status;
  }
  return Status::success;
}

Status BrokenMemory::after_launch(device::Device& device, const device::KernelLaunch& launch, device::Stream stream) {
  if (!any_ || launch.count == 0) return Status::success;
  for (const device::MemoryAccess& access : launch.accesses) {
    if (access.mode == device::AccessMode::read) continue;
    if (const Status status = after_write(device, written_by(access), stream); status != Status::success) return status;
  }
  return Status::success;
}

}  // namespace gpucheck::fault
