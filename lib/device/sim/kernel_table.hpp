#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "device/kernels/thread.hpp"

namespace gpucheck::sim {

/// How the host runs one kernel of `kernels::KernelList`.
struct KernelEntry {
  std::string_view name;
  std::size_t functor_bytes = 0;
  /// Runs the functor for each index in turn until one fails an assertion, and returns
  /// the index it stopped at, `count` when none did.
  std::size_t (*run)(const void* functor, std::size_t count, device::kernels::FailedAssertion& failed) = nullptr;
};

/// Indexed by `device::KernelId`.
std::span<const KernelEntry> kernel_table() noexcept;

}  // namespace gpucheck::sim
