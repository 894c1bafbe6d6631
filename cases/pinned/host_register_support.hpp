#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "cases/pinned/support.hpp"

namespace gpucheck::cases::in_pinned {

/// From now on pinned memory is made by the host and registered with the driver.
inline void use_host_register(runtime::Runtime& runtime) {
  runtime.set_settings("pinned_use_cuda_host_register:True,pinned_num_register_threads:8");
}

/// Ends that with its scope.
class HostRegisterScope {
 public:
  explicit HostRegisterScope(runtime::Runtime& runtime) : runtime_(runtime) {}
  ~HostRegisterScope() { runtime_.set_settings("pinned_use_cuda_host_register:False,pinned_num_register_threads:1"); }
  HostRegisterScope(const HostRegisterScope&) = delete;
  HostRegisterScope& operator=(const HostRegisterScope&) = delete;

 private:
  runtime::Runtime& runtime_;
};

/// Sizes of the seed's pinned tensors, in floats.
inline constexpr std::array<std::size_t, 2> register_sizes{std::size_t{1} << 21U, std::size_t{1} << 24U};

/// A pinned copy of a tensor of ones. @throws DeviceError, Error.
inline runtime::PinnedBuffer<float> pinned_ones(runtime::Runtime& runtime, std::size_t count) {
  runtime::PinnedBuffer<float> ones(runtime, count);
  std::ranges::fill(ones.host_write(), 1.0F);
  return ones;
}

/// Whether the driver knows the first and the last element as pinned. @throws DeviceError.
inline bool is_pinned_throughout(runtime::Runtime& runtime, const runtime::PinnedBuffer<float>& buffer) {
  return runtime::is_pinned(runtime.device(), buffer.data()) &&
         runtime::is_pinned(runtime.device(), buffer.data() + buffer.size() - 1);
}

/// Whether all are ones but the last, which is `mark`.
inline bool are_ones_and(std::span<const float> seen, float mark) {
  return !seen.empty() && seen.back() == mark &&
         std::ranges::count(seen.first(seen.size() - 1), 1.0F) == std::ssize(seen) - 1;
}

}  // namespace gpucheck::cases::in_pinned
