#include "runtime/memory/transfer.hpp"

#include "device/check.hpp"

namespace gpucheck::runtime {
namespace {

void complete(Runtime& runtime, HostMemory<const void> host, Transfer transfer, device::Stream stream) {
  if (transfer == Transfer::non_blocking) {
    runtime.pinned_allocator().record_event(host.data, host.context, stream);
  } else {
    runtime.synchronize(stream);
  }
}

}  // namespace

void copy_to_device(Runtime& runtime, void* destination, HostMemory<const void> source, std::size_t bytes,
                    Transfer transfer, device::Stream stream) {
  device::Device& device = runtime.device();
  device::check_and_clear(
      device, device.copy(destination, source.data, bytes, device::CopyKind::host_to_device, stream), "copy");
  complete(runtime, source, transfer, stream);
}

void copy_to_host(Runtime& runtime, HostMemory<void> destination, const void* source, std::size_t bytes,
                  Transfer transfer, device::Stream stream) {
  device::Device& device = runtime.device();
  device::check_and_clear(
      device, device.copy(destination.data, source, bytes, device::CopyKind::device_to_host, stream), "copy");
  complete(runtime, {destination.data, destination.context}, transfer, stream);
}

}  // namespace gpucheck::runtime
