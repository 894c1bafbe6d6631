#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/values/kernel.hpp"

/// Kernels that show whether a device keeps what it promises to blocks.
namespace gpucheck::device::kernels {

/// out[i] = the global index of the thread after the i-th in its block, round about, which
/// that thread has left in shared memory: wrong wherever the barrier does not hold. Shared
/// memory: 8 bytes a thread.
struct RotateInBlocks {
  static constexpr std::string_view name = "rotate_in_blocks";
  static constexpr unsigned phases = 2;
  std::uint64_t* out;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t count) const {
    return {writes(out, count * sizeof(*out))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    auto* const left = static_cast<std::uint64_t*>(thread.shared);
    if (phase == 0) {
      left[thread.index] = thread.global_index();
    } else {
      out[thread.global_index()] = left[(thread.index + 1) % thread.threads];
    }
  }
};

/// What blocks found in their shared memory.
struct SharedMemoryTally {
  std::uint64_t right = 0;  ///< words that held what another thread of the block wrote
  std::uint64_t wrong = 0;
};

/// Each block writes a number of its own to every 4-byte word of its shared memory, and
/// after a barrier other threads than those that wrote compare.
struct CheckSharedMemory {
  static constexpr std::string_view name = "check_shared_memory";
  static constexpr unsigned phases = 2;
  SharedMemoryTally* tally;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const { return {updates(tally, sizeof(*tally))}; }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    auto* const words = static_cast<std::uint32_t*>(thread.shared);
    const std::size_t size = thread.shared_bytes / sizeof(*words);
    const auto expected = [&thread](std::size_t word) {
      return static_cast<std::uint32_t>(thread.block * 0x9E3779B9U + word);
    };
    if (phase == 0) {
      for (std::size_t i = thread.index; i < size; i += thread.threads) words[i] = expected(i);
      return;
    }
    std::uint64_t right = 0;
    std::uint64_t wrong = 0;
    for (std::size_t i = (thread.index + 1) % thread.threads; i < size; i += thread.threads) {
      ++(words[i] == expected(i) ? right : wrong);
    }
    thread.atomic_add(&tally->right, right);
    thread.atomic_add(&tally->wrong, wrong);
  }
};

/// Adds to out[0] how many invocations have a global index of `first` or above, and to
/// out[1] how much above they are. Uses no shared memory.
struct CountFrom {
  static constexpr std::string_view name = "count_from";
  static constexpr unsigned phases = 1;
  std::uint64_t first;
  std::uint64_t* out;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const { return {updates(out, 2 * sizeof(*out))}; }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned) const {
    if (thread.global_index() < first) return;
    thread.atomic_add(&out[0], 1);
    thread.atomic_add(&out[1], thread.global_index() - first);
  }
};

namespace families {
using block_probes = Family<RotateInBlocks, CheckSharedMemory, CountFrom>;
}
template <typename Functor>
requires(families::block_probes::has<Functor>) struct FamilyOf<Functor> : families::block_probes {
};

}  // namespace gpucheck::device::kernels
