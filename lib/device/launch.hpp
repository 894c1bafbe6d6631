#pragma once

#include "device/kernels/support/family.hpp"
#include "device/topics/work.hpp"

namespace gpucheck::device {

namespace detail {

template <typename Functor>
Status launch(Work& work, const Functor& functor, std::size_t count, const BlockShape& block, Stream stream) {
  static_assert(
      requires { sizeof(kernels::FamilyOf<Functor>); }, "list the kernel in the family of its header");
  const auto accesses = functor.accesses(count);
  KernelLaunch request{
      .kernel = &kernels::kernel<Functor>, .functor = &functor, .count = count, .accesses = accesses, .block = block};
  if constexpr (requires { functor.spin_ns(); }) request.spin_ns = functor.spin_ns();
  return work.launch(request, stream);
}

}  // namespace detail

/// Launches `count` invocations of a kernel functor on `stream`. The functor states the
/// memory it touches in `accesses(count)`. A count of 0 launches nothing.
template <kernels::IndexKernel Functor>
Status launch(Work& work, const Functor& functor, std::size_t count, Stream stream) {
  return detail::launch(work, functor, count, {}, stream);
}

/// The same for `count` invocations in blocks. invalid_value for blocks of no
/// threads or of more than `DeviceProperties::max_threads_per_block`, and for more shared
/// memory than `max_shared_bytes_per_block`.
template <kernels::BlockKernel Functor>
Status launch(Work& work, const Functor& functor, std::size_t count, const BlockShape& block, Stream stream) {
  return detail::launch(work, functor, count, block, stream);
}

}  // namespace gpucheck::device
