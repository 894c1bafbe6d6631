#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "cases/support.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/memory/pinned_buffer.hpp"
#include "runtime/memory/transfer.hpp"

namespace gpucheck::cases::in_pinned {

/// How long work is kept waiting whose host must not wait: long beside the host's own
/// steps, which take microseconds.
inline constexpr std::chrono::milliseconds delay{100};

/// Keeps `stream` busy for a while. @throws DeviceError.
inline void keep_busy(runtime::Runtime& runtime, device::Stream stream, std::chrono::nanoseconds duration = delay) {
  const device::kernels::Spin spin{static_cast<std::uint64_t>(duration.count())};
  device::check(runtime.device(), device::launch(runtime.device(), spin, 1, stream), "spin");
}

/// Whether all work of `stream` is done. @throws DeviceError.
inline bool is_idle(runtime::Runtime& runtime, device::Stream stream) {
  const device::Status status = runtime.device().query(stream);
  if (status != device::Status::not_ready) device::check(runtime.device(), status, "query stream");
  return status == device::Status::success;
}

/// How many elements differ; a missing one does.
template <typename Seen, typename Expected>
std::size_t count_different(const Seen& seen, const Expected& expected) {
  const std::size_t common = std::min(seen.size(), expected.size());
  std::size_t different = std::max(seen.size(), expected.size()) - common;
  for (std::size_t i = 0; i < common; ++i) different += seen[i] == expected[i] ? 0U : 1U;
  return different;
}

}  // namespace gpucheck::cases::in_pinned
