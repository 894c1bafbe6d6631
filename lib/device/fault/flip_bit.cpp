#include "device/fault/flip_bit.hpp"

#include <algorithm>
#include <cstdint>

#include "device/kernels/broken_memory.hpp"
#include "device/launch.hpp"
#include "device/relaxed_capture.hpp"

namespace gpucheck::fault {
namespace {

using device::Status;

/// In a number's last byte, which the mask is meant for.
std::uint64_t middle_of(std::uint64_t bytes) {
  constexpr std::uint64_t last_byte_of_word = 3;
  return std::min(bytes / 2 | last_byte_of_word, bytes - 1);
}

/// The byte that comes after so many others of what was written, run after run.
void* nth_byte(const Written& written, std::uint64_t number) {
  std::uint64_t offset = number % written.bytes;
  number /= written.bytes;
  for (std::size_t i = written.repetitions.used; i-- > 0;) {
    const auto& [count, stride] = written.repetitions.all[i];
    if (stride == 0) continue;
    offset += number % count * stride;
    number /= count;
  }
  return static_cast<std::uint8_t*>(written.address) + offset;
}

void flip_in_host_memory(void* byte) {
  auto* target = static_cast<std::uint8_t*>(byte);
  *target = static_cast<std::uint8_t>(*target ^ high_bit);
}

}  // namespace

bool is_capturing(device::Graphs& graphs, device::Stream stream) {
  const device::Result<device::CaptureInfo> info = graphs.capture_info(stream);
  return info && info->status == device::CaptureStatus::active;
}

Written first_written(const device::KernelLaunch& launch) {
  if (launch.count == 0) return {};
  const auto writes_a_byte = [](const device::MemoryAccess& access) {
    return access.mode != device::AccessMode::read && device::extent_bytes(access) > 0;
  };
  const auto access = std::find_if(launch.accesses.begin(), launch.accesses.end(), writes_a_byte);
  if (access == launch.accesses.end()) return {};
  return written_by(*access);
}

Status flip(device::Device& device, void* byte, std::uint8_t mask, device::Stream stream) {
  return device::launch(device, device::kernels::FlipBit{static_cast<std::uint8_t*>(byte), mask}, 1, stream);
}

void* byte_at(const Written& written, const Place& place) {
  const std::uint64_t bytes = device::traffic_bytes(written.access());
  if (bytes == 0 || place.offset >= bytes) return nullptr;
  switch (place.from) {
    case Place::From::start:
      return nth_byte(written, place.offset);
    case Place::From::middle:
      return nth_byte(written, middle_of(bytes));
    case Place::From::end:
      return nth_byte(written, bytes - 1 - place.offset);
  }
  return nullptr;
}

Status flip_bit(device::Device& device, const Written& written, device::Stream stream) {
  auto* const byte = static_cast<std::uint8_t*>(written.address);
  if (!written.in_host_memory) return flip(device, byte, high_bit, stream);
  if (is_capturing(device, stream)) return device.host_callback(stream, flip_in_host_memory, byte);
  const device::RelaxedCapture relaxed(device, std::nothrow);
  const Status status = device.synchronize(stream);
  if (status == Status::success) flip_in_host_memory(byte);
  return status;
}

}  // namespace gpucheck::fault
