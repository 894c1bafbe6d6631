#include "device/fault/flip_bit.hpp"

#include <algorithm>
#include <cstdint>

#include "device/kernels/flip_bit.hpp"
#include "device/launch.hpp"
#include "device/relaxed_capture.hpp"

namespace gpucheck::fault {
namespace {

using device::Status;

/// In the last byte of a number this bit is part of a real's exponent and far above an
/// integer's rounding errors: no tolerance hides it.
constexpr std::uint8_t mask = 0x40;

std::uint8_t* middle_byte(const Written& written) {
  constexpr std::size_t last_byte_of_word = 3;
  const std::size_t middle = std::min(written.bytes / 2 | last_byte_of_word, written.bytes - 1);
  return static_cast<std::uint8_t*>(written.address) + middle;
}

void flip_in_host_memory(void* byte) {
  auto* target = static_cast<std::uint8_t*>(byte);
  *target = static_cast<std::uint8_t>(*target ^ mask);
}

}  // namespace

bool is_capturing(device::Graphs& graphs, device::Stream stream) {
  const device::Result<device::CaptureInfo> info = graphs.capture_info(stream);
  return info && info->status == device::CaptureStatus::active;
}

Written first_written(const device::KernelLaunch& launch) {
  if (launch.count == 0) return {};
  const auto writes_a_byte = [](const device::MemoryAccess& access) {
    return access.mode != device::AccessMode::read && access.bytes > 0;
  };
  const auto access = std::find_if(launch.accesses.begin(), launch.accesses.end(), writes_a_byte);
  if (access == launch.accesses.end()) return {};
  return {.address = const_cast<void*>(access->address), .bytes = access->bytes};
}

Status flip_bit(device::Device& device, const Written& written, device::Stream stream) {
  std::uint8_t* byte = middle_byte(written);
  if (!written.in_host_memory) return device::launch(device, device::kernels::FlipBit{byte, mask}, 1, stream);
  if (is_capturing(device, stream)) return device.host_callback(stream, flip_in_host_memory, byte);
  const device::RelaxedCapture relaxed(device, std::nothrow);
  const Status status = device.synchronize(stream);
  if (status == Status::success) flip_in_host_memory(byte);
  return status;
}

}  // namespace gpucheck::fault
