#pragma once

#include <cstddef>
#include <vector>

#include "device/kernels/support/disturbance.hpp"
#include "device/values/kernel.hpp"

namespace gpucheck::fault {

/// Whether a launch's kernel is one that a disturbance can be given to.
bool tells_multiprocessors_apart(const device::KernelLaunch& launch) noexcept;

/// A launch of such a kernel, under a disturbance. The launch that it is made of must outlive it.
class DisturbedLaunch {
 public:
  DisturbedLaunch(const device::KernelLaunch& launch, const device::kernels::Disturbance& disturbance);
  [[nodiscard]] const device::KernelLaunch& get() const noexcept { return launch_; }

 private:
  std::vector<std::byte> functor_;  // from an allocation, and so aligned for any functor
  device::KernelLaunch launch_;
};

}  // namespace gpucheck::fault
