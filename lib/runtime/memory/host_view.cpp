#include "runtime/memory/host_view.hpp"

#include <fmt/format.h>

#include "device/check.hpp"

namespace gpucheck::runtime {

void require_host_memory(Runtime& runtime, const void* data) {
  device::Device& device = runtime.device();
  const device::PointerInfo info = device::check_and_clear(device, device.pointer_info(data), "pointer_info");
  if (info.kind != device::MemoryKind::device) return;
  throw MemoryKindError(
      fmt::format("can't convert cuda:{} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
                  "memory first.",
                  device.ordinal()));
}

}  // namespace gpucheck::runtime
