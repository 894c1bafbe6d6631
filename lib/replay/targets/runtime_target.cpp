#include "replay/targets/runtime_target.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::replay {

double fraction_of(std::uint64_t limit_bytes, const device::Device& device) {
  const std::uint64_t total = device.properties().total_memory_bytes;
  if (limit_bytes > total) {
    throw UsageError(
        fmt::format("a memory limit of {} is more than the device has ({}): lower it, or choose a larger "
                    "device",
                    limit_bytes, total));
  }
  return static_cast<double>(limit_bytes) / static_cast<double>(total);
}

}  // namespace gpucheck::replay
