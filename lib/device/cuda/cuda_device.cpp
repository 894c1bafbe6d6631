#include "device/cuda/cuda_device.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "device/cuda/kernels/launch_table.hpp"
#include "device/links/host_link.hpp"

namespace gpucheck::cuda {
namespace {

using device::Result;
using device::Status;

/// As nvidia-smi prints it: GPU-8-4-4-4-12 hexadecimal digits.
std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    const bool starts_group = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
    text += fmt::format("{}{:02x}", starts_group ? "-" : "", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

device::DeviceProperties properties_of(const cudaDeviceProp& properties) {
  device::DeviceProperties found = {.name = properties.name,
                                    .uuid = uuid_text(properties.uuid),
                                    .pci_bus_id = fmt::format("{:04x}:{:02x}:{:02x}.0", properties.pciDomainID,
                                                              properties.pciBusID, properties.pciDeviceID),
                                    .total_memory_bytes = properties.totalGlobalMem,
                                    .multiprocessor_count = properties.multiProcessorCount,
                                    .max_threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor,
                                    .max_threads_per_block = properties.maxThreadsPerBlock,
                                    .max_shared_bytes_per_block = properties.sharedMemPerBlockOptin,
                                    .warp_size = properties.warpSize,
                                    .compute_capability_major = properties.major,
                                    .compute_capability_minor = properties.minor,
                                    .l2_cache_bytes = static_cast<std::uint64_t>(properties.l2CacheSize)};
  std::ranges::transform(properties.uuid.bytes, found.uuid_bytes.begin(),
                         [](char byte) { return static_cast<std::uint8_t>(byte); });
  return found;
}

/// 0 where the driver does not say: none of these is needed to use a device.
std::uint64_t attribute_if_told(cudaDeviceAttr attribute, int ordinal) {
  int value = 0;
  const cudaError_t error = cudaDeviceGetAttribute(&value, attribute, ordinal);
  if (error == cudaSuccess) return static_cast<std::uint64_t>(std::max(value, 0));
  static_cast<void>(cudaGetLastError());
  return 0;
}

}  // namespace

CudaDevice::CudaDevice(int ordinal, device::DeviceProperties properties)
    : ordinal_(ordinal), properties_(std::move(properties)) {}

const device::DeviceProperties& CudaDevice::properties() const noexcept {
  static_cast<void>(make_current());
  return properties_;
}

std::string CudaDevice::error_text(Status status) const {
  return cudaGetErrorString(static_cast<cudaError_t>(static_cast<int>(status)));
}

cudaError_t CudaDevice::make_current() const noexcept {
  // cudaSetDevice costs more than most calls it would precede. Nothing else in the
  // process changes the runtime's current device.
  thread_local int current_ordinal = -1;
  if (current_ordinal != ordinal_) {
    if (const cudaError_t error = cudaSetDevice(ordinal_); error != cudaSuccess) return error;
    current_ordinal = ordinal_;
  }
  // The thread may know the GPU from another object, which says nothing about this one.
  if (!is_prepared_.load(std::memory_order_acquire)) {
    std::call_once(prepare_once_, [this] {
      prepare();
      is_prepared_.store(true, std::memory_order_release);
    });
  }
  return prepared_;
}

/// Loads every kernel now: a lazily loaded one may wait for the whole device at its
/// first launch (CUDA programming guide, lazy loading, "concurrent execution"). Blocks may
/// have more than 48 KiB of shared memory only of kernels for which that is set.
void CudaDevice::prepare() const noexcept {
  prepared_ = cudaDeviceGetStreamPriorityRange(nullptr, &properties_.greatest_priority);
  cudaFuncAttributes attributes;
  const int shared_bytes = static_cast<int>(properties_.max_shared_bytes_per_block);
  for (const std::span<const LaunchEntry> family : kernel_families()) {
    for (const LaunchEntry& entry : family) {
      if (prepared_ == cudaSuccess) prepared_ = cudaFuncGetAttributes(&attributes, entry.function);
      if (prepared_ != cudaSuccess || !entry.kernel->by_block) continue;
      prepared_ = cudaFuncSetAttribute(entry.function, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    }
  }
}

Status CudaDevice::last_error() { return status_of(cudaGetLastError); }

Status CudaDevice::peek_last_error() { return status_of(cudaPeekAtLastError); }

Result<bool> CudaDevice::can_access_peer(int peer_ordinal) {
  int can_access = 0;
  const cudaError_t error = call([&] { return cudaDeviceCanAccessPeer(&can_access, ordinal_, peer_ordinal); });
  return to_result(error, can_access != 0);
}

Status CudaDevice::enable_peer_access(int peer_ordinal) {
  return status_of([&] { return cudaDeviceEnablePeerAccess(peer_ordinal, 0); });
}

Result<device::DeviceProperties> find_properties(int ordinal) {
  cudaDeviceProp found{};
  if (const cudaError_t error = cudaGetDeviceProperties(&found, ordinal); error != cudaSuccess) {
    return to_status(error);
  }
  device::DeviceProperties properties = properties_of(found);
  properties.multiprocessor_clock_khz = attribute_if_told(cudaDevAttrClockRate, ordinal);
  properties.memory_clock_khz = attribute_if_told(cudaDevAttrMemoryClockRate, ordinal);
  properties.memory_bus_bits = static_cast<int>(attribute_if_told(cudaDevAttrGlobalMemoryBusWidth, ordinal));
  properties.host_link = device::host_link_of(properties.pci_bus_id);
  return properties;
}

Result<std::unique_ptr<device::Device>> open_device(int ordinal) {
  Result<device::DeviceProperties> properties = find_properties(ordinal);
  if (!properties) return properties.error();
  return std::unique_ptr<device::Device>(std::make_unique<CudaDevice>(ordinal, std::move(*properties)));
}

}  // namespace gpucheck::cuda
