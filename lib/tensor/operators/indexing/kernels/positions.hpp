#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "tensor/core/elements.hpp"
#include "tensor/iterator/wide_plan.hpp"

/// Which elements are not 0, in their order. A block has `block_elements` neighbouring ones, each thread of it
/// `thread_elements`.
namespace gpucheck::device::kernels {

/// What the kernels have in common: elements in their order, of any type.
struct FlatElements {
  static constexpr unsigned threads = 256;
  static constexpr std::int64_t thread_elements = 16;
  static constexpr std::int64_t block_elements = threads * thread_elements;
  const void* in;
  DType dtype;
  std::int64_t elements;

  [[nodiscard]] std::int64_t blocks() const { return (elements + block_elements - 1) / block_elements; }
  [[nodiscard]] std::size_t invocations() const { return static_cast<std::size_t>(blocks()) * threads; }
  [[nodiscard]] BlockShape block() const {
    return {.threads = threads, .shared_bytes = threads * sizeof(std::int32_t)};
  }
  [[nodiscard]] MemoryAccess access() const {
    const std::size_t size = element_bytes(dtype);
    return {in, static_cast<std::size_t>(elements) * size, AccessMode::read, size};
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int64_t first_of(const BlockThread& thread) const {
    return static_cast<std::int64_t>(thread.block) * block_elements + thread.index * thread_elements;
  }
  /// Calls `action` with the place of each of the thread's elements that is not 0.
  template <typename Action>
  GPUCHECK_HOST_DEVICE void for_each_set(std::int64_t first, std::int64_t count, const Action& action) const {
    const std::int64_t end = first + count < elements ? first + count : elements;
    with_stored_type(dtype, [&]<typename T>(std::type_identity<T>) {
      for (std::int64_t i = first; i < end; ++i) {
        if (convert_element<bool>(static_cast<const T*>(in)[i])) action(i);
      }
    });
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int32_t count_of(const BlockThread& thread) const {
    std::int32_t count = 0;
    for_each_set(first_of(thread), thread_elements, [&count](std::int64_t) { ++count; });
    return count;
  }
};

/// counts[block] = how many of its elements are not 0.
struct CountSet {
  static constexpr std::string_view name = "count_nonzero";
  static constexpr unsigned phases = 2;
  FlatElements from;
  std::int64_t* counts;

  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {from.access(), writes(counts, static_cast<std::size_t>(from.blocks()) * sizeof(std::int64_t))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    auto* const shared = static_cast<std::int32_t*>(thread.shared);
    if (phase == 0) {
      shared[thread.index] = from.count_of(thread);
    } else if (thread.index == 0) {
      std::int64_t sum = 0;
      for (unsigned i = 0; i < thread.threads; ++i) sum += shared[i];
      counts[thread.block] = sum;
    }
  }
};

/// The indices of each element that is not 0, one for each dimension: index k of the n-th at out[k * total + n].
struct WritePositions {
  static constexpr std::string_view name = "nonzero";
  static constexpr unsigned phases = 3;
  FlatElements from;
  const std::int64_t* counts;  ///< of each block and all before it
  std::int64_t* out;
  std::int64_t total;
  WidePlan<1> dimensions;  ///< their sizes, from the one that runs fastest

  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    return {from.access(), reads(counts, static_cast<std::size_t>(from.blocks()) * sizeof(std::int64_t)),
            writes(out, static_cast<std::size_t>(total * dimensions.rank) * sizeof(std::int64_t))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    auto* const shared = static_cast<std::int32_t*>(thread.shared);
    if (phase == 0) {
      shared[thread.index] = from.count_of(thread);
    } else if (phase == 1) {
      if (thread.index == 0) sum_before_each(shared, thread.threads);
    } else {
      const std::int64_t before = thread.block == 0 ? 0 : counts[thread.block - 1];
      write(from.first_of(thread), FlatElements::thread_elements, before + shared[thread.index]);
    }
  }
  void write_all_on_host() const { write(0, from.elements, 0); }

 private:
  static GPUCHECK_HOST_DEVICE void sum_before_each(std::int32_t* counts, unsigned threads) {
    std::int32_t before = 0;
    for (unsigned i = 0; i < threads; ++i) {
      const std::int32_t count = counts[i];
      counts[i] = before;
      before += count;
    }
  }
  GPUCHECK_HOST_DEVICE void write(std::int64_t first, std::int64_t count, std::int64_t number) const {
    from.for_each_set(first, count, [&](std::int64_t place) {
      for (std::uint32_t i = 0; i < dimensions.rank; ++i) {
        const std::int64_t size = dimensions.sizes[i];
        out[(dimensions.rank - 1 - i) * total + number] = place % size;
        place /= size;
      }
      ++number;
    });
  }
};

namespace families {
using positions = Family<CountSet, WritePositions>;
}
template <typename Functor>
requires(families::positions::has<Functor>) struct FamilyOf<Functor> : families::positions {
};

}  // namespace gpucheck::device::kernels
