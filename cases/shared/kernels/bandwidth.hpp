#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cases/shared/kernels/support/spread_counter.hpp"
#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/kernels/support/unroll.hpp"
#include "device/kernels/support/vectors.hpp"
#include "device/values/kernel.hpp"

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

/// Vectors that an invocation of SumWords or CopyVectors loads before it uses the first of them.
inline constexpr std::size_t bandwidth_loads = 4;

/// Adds the words of in[0..vectors) to *total, each invocation every n-th vector: a plain read, whose sum shows that
/// all was read.
struct SumWords {
  static constexpr std::string_view name = "sum_words";
  const Vector<std::uint64_t>* in;
  std::size_t vectors;
  SpreadCounter* total;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(in, vectors * sizeof(*in)), updates(total, sizeof(*total))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    constexpr std::size_t loads = bandwidth_loads;
    std::uint64_t sum = 0;
    std::size_t at = thread.index;
    for (; at + (loads - 1) * thread.count < vectors; at += loads * thread.count) {
      Vector<std::uint64_t> read[loads];
      GPUCHECK_UNROLL
      for (std::size_t i = 0; i < loads; ++i) read[i] = in[at + i * thread.count];
      GPUCHECK_UNROLL
      for (std::size_t i = 0; i < loads; ++i) sum += read[i].lanes[0] + read[i].lanes[1];
    }
    for (; at < vectors; at += thread.count) sum += in[at].lanes[0] + in[at].lanes[1];
    total->add(thread, sum);
  }
};

/// out[0..vectors) = in[0..vectors), each invocation every n-th vector.
struct CopyVectors {
  static constexpr std::string_view name = "copy_vectors";
  const Vector<std::uint64_t>* in;
  Vector<std::uint64_t>* out;
  std::size_t vectors;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(in, vectors * sizeof(*in)), writes(out, vectors * sizeof(*out))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    constexpr std::size_t loads = bandwidth_loads;
    std::size_t at = thread.index;
    for (; at + (loads - 1) * thread.count < vectors; at += loads * thread.count) {
      Vector<std::uint64_t> read[loads];
      GPUCHECK_UNROLL
      for (std::size_t i = 0; i < loads; ++i) read[i] = in[at + i * thread.count];
      GPUCHECK_UNROLL
      for (std::size_t i = 0; i < loads; ++i) out[at + i * thread.count] = read[i];
    }
    for (; at < vectors; at += thread.count) out[at] = in[at];
  }
};

/// A line of memory that names another one: what a chase goes through. As long as what an L2 cache fetches at once.
struct alignas(128) LinkedLine {
  std::uint64_t next;
};

/// Links `lines`, a power of two, to one ring: after line i comes `(factor * i + step) % lines`. With a factor that is
/// 1 more than a multiple of 4 and an odd step that is one ring (Hull and Dobell, "Random number generators", 1962).
struct LinkLines {
  static constexpr std::string_view name = "link_lines";
  LinkedLine* lines;
  std::uint64_t count;
  std::uint64_t factor;
  std::uint64_t step;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const {
    return {writes(lines, count * sizeof(*lines))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    lines[thread.index].next = (factor * thread.index + step) % count;
  }
};

/// *place = the line that is `steps` links behind line *place: each load waits for the one before it. A link that is
/// broken leads to some other of the `count` lines, a power of two. Launch with a count of 1.
struct FollowLinks {
  static constexpr std::string_view name = "follow_links";
  const LinkedLine* lines;
  std::uint64_t count;
  std::uint64_t steps;
  std::uint64_t* place;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(lines, count * sizeof(*lines)), updates(place, sizeof(*place))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread&) const {
    std::uint64_t at = *place;
    for (std::uint64_t i = 0; i < steps; ++i) at = lines[at & (count - 1)].next;
    *place = at;
  }
};

namespace families {
using bandwidth = Family<ReadVectors, SumWords, CopyVectors, LinkLines, FollowLinks>;
}
template <typename Functor>
requires(families::bandwidth::has<Functor>) struct FamilyOf<Functor> : families::bandwidth {
};

}  // namespace gpucheck::device::kernels
