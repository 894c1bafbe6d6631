#pragma once

#include "device/device.hpp"
#include "device/kernels/kernel_list.hpp"

namespace gpucheck::device {

/// Launches `count` invocations of a kernel functor on `stream`. The functor states
/// the memory it touches in `accesses(count)`.
template <typename Functor>
Status launch(Device& device, const Functor& functor, std::size_t count, Stream stream) {
  const auto accesses = functor.accesses(count);
  KernelLaunch request{
      .kernel = kernels::kernel_id<Functor>,
      .functor = &functor,
      .functor_bytes = sizeof(Functor),
      .count = count,
      .accesses = accesses,
  };
  if constexpr (requires { functor.spin_ns(); }) request.spin_ns = functor.spin_ns();
  return device.launch(request, stream);
}

}  // namespace gpucheck::device
