#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/kernel.hpp"
#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/kernels/support/vectors.hpp"

namespace gpucheck::device::kernels {

/// Reads in[0..vectors) and nothing else: a plain loop, as fast as memory can be read.
/// Each invocation takes every n-th vector; *found counts those in which a combination of
/// the words read happens to be 1, so that no read can be left out.
struct ReadVectors {
  static constexpr std::string_view name = "read_vectors";
  const Vector<std::uint32_t>* in;
  std::size_t vectors;
  std::uint64_t* found;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(in, vectors * sizeof(*in)), updates(found, sizeof(*found))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    constexpr std::size_t loads = 4;  // in flight at once
    std::uint32_t words = 0;
    std::size_t at = thread.index;
    for (; at + (loads - 1) * thread.count < vectors; at += loads * thread.count) {
      Vector<std::uint32_t> read[loads];
      for (std::size_t i = 0; i < loads; ++i) read[i] = in[at + i * thread.count];
      for (std::size_t i = 0; i < loads; ++i) words += combined(read[i]);
    }
    for (; at < vectors; at += thread.count) words += combined(in[at]);
    if (words == 1) thread.atomic_add(found, 1);
  }

  GPUCHECK_HOST_DEVICE static std::uint32_t combined(const Vector<std::uint32_t>& vector) {
    return vector.lanes[0] ^ vector.lanes[1] ^ vector.lanes[2] ^ vector.lanes[3];
  }
};

namespace families {
using bandwidth = Family<ReadVectors>;
}
template <typename Functor>
requires(families::bandwidth::has<Functor>) struct FamilyOf<Functor> : families::bandwidth {
};

}  // namespace gpucheck::device::kernels
