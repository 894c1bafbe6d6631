#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/disturbance.hpp"
#include "device/kernels/support/family.hpp"
#include "device/kernels/support/known_product.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/values/kernel.hpp"

/// What tells the multiprocessors of a device apart.
namespace gpucheck::device::kernels {

/// What one multiprocessor did.
struct MultiprocessorTally {
  std::uint64_t blocks = 0;
  std::uint64_t wrong = 0;        ///< elements
  std::uint64_t nanoseconds = 0;  ///< of all its blocks
};

/// Each block multiplies the same two known matrices in shared memory, `rounds` times, and adds to
/// the tally of the multiprocessor that it runs on how many elements were wrong and how long it
/// took. Every other round is subtracted, so that all of them go into the sums, which stay exact.
/// With all of the shared memory there is, each multiprocessor has one block at a time.
///
/// The simulated device gives the blocks to its multiprocessors in turn, and a round takes 1 µs.
template <typename T>
struct MultiplyOnEach {
  static constexpr std::string_view name = "multiply_on_each";
  static constexpr unsigned phases = 3;
  static constexpr unsigned threads = 256;
  static constexpr unsigned size = 32;          ///< rows, columns and depth
  static constexpr std::size_t slots = 1024;    ///< of tallies: numbers of multiprocessors have gaps
  static constexpr unsigned padded = size + 1;  ///< rows begin in different banks

  MultiprocessorTally* tallies;
  unsigned multiprocessors;  ///< of the device
  unsigned rounds;           ///< odd
  KnownProduct known;        ///< with a depth of `size`
  Disturbance disturbance = {};

  struct Shared {
    T a[size * padded];
    T b[size * padded];
    std::uint64_t start;
    std::uint32_t wrong[threads];
  };

  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const {
    return {updates(tallies, slots * sizeof(*tallies))};
  }

  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    auto& shared = *static_cast<Shared*>(thread.shared);
    if (phase == 0) {
      for (unsigned i = thread.index; i < size * size; i += thread.threads) {
        shared.a[i % size * padded + i / size] = static_cast<T>(known.a(i % size, i / size));
        shared.b[i % size * padded + i / size] = static_cast<T>(known.b(i / size, i % size));
      }
    } else if (phase == 1) {
      if (thread.index == 0) shared.start = now_ns(0);
      shared.wrong[thread.index] = multiply(thread, shared);
    } else if (thread.index == 0) {
      tell(thread, shared);
    }
  }

 private:
  [[nodiscard]] GPUCHECK_HOST_DEVICE unsigned multiprocessor_of([[maybe_unused]] const BlockThread& thread) const {
#if defined(__CUDA_ARCH__)
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
#else
    return static_cast<unsigned>(thread.block % multiprocessors);
#endif
  }

  [[nodiscard]] GPUCHECK_HOST_DEVICE unsigned rounds_of(const BlockThread& thread) const {
    const bool is_slow = disturbance.is_slow && multiprocessor_of(thread) == disturbance.multiprocessor;
    return is_slow ? 2 * rounds + 1 : rounds;
  }

  /// The time, in the middle of a kernel; on the simulated device, after so many rounds.
  [[nodiscard]] GPUCHECK_HOST_DEVICE static std::uint64_t now_ns([[maybe_unused]] unsigned rounds_done) {
#if defined(__CUDA_ARCH__)
    std::uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
#else
    constexpr std::uint64_t round_ns = 1000;
    return rounds_done * round_ns;
#endif
  }

  /// Wrong elements of this thread's row and four columns.
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::uint32_t multiply(const BlockThread& thread, const Shared& shared) const {
    constexpr unsigned columns = size * size / threads;
    constexpr unsigned apart = size / columns;
    const unsigned row = thread.index % size;
    const unsigned first = thread.index / size;
    T sums[columns] = {};
    const unsigned all_rounds = rounds_of(thread);
    for (unsigned round = 0; round < all_rounds; ++round) {
      const T sign = static_cast<T>(round % 2 == 0 ? 1 : -1);
      for (unsigned l = 0; l < size; ++l) {
        const T factor = sign * shared.a[row * padded + l];
        for (unsigned i = 0; i < columns; ++i) sums[i] += factor * shared.b[(first + i * apart) * padded + l];
      }
    }
    if (disturbance.is_wrong && thread.index == 0 && multiprocessor_of(thread) == disturbance.multiprocessor) {
      sums[0] += static_cast<T>(1);
    }
    std::uint32_t wrong = 0;
    for (unsigned i = 0; i < columns; ++i) {
      // What is not a number is equal to nothing.
      if (!(sums[i] == static_cast<T>(known.d(row, first + i * apart)))) ++wrong;
    }
    return wrong;
  }

  GPUCHECK_HOST_DEVICE void tell(const BlockThread& thread, const Shared& shared) const {
    std::uint64_t wrong = 0;
    for (unsigned i = 0; i < thread.threads; ++i) wrong += shared.wrong[i];
    const unsigned multiprocessor = multiprocessor_of(thread);
    if (multiprocessor >= slots) return;
    MultiprocessorTally& tally = tallies[multiprocessor];
    thread.atomic_add(&tally.blocks, 1);
    thread.atomic_add(&tally.wrong, wrong);
    thread.atomic_add(&tally.nanoseconds, now_ns(rounds_of(thread)) - shared.start);
  }
};

namespace families {
using multiprocessors = Family<MultiplyOnEach<float>, MultiplyOnEach<double>, MultiplyOnEach<std::int32_t>>;
}
template <typename Functor>
requires(families::multiprocessors::has<Functor>) struct FamilyOf<Functor> : families::multiprocessors {
};

}  // namespace gpucheck::device::kernels
