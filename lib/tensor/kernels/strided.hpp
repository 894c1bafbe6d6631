#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/kernels/support/vectors.hpp"
#include "device/values/kernel.hpp"

namespace gpucheck::device::kernels {

/// What passes over memory found, added up by all of them.
struct Tally {
  std::uint64_t verified = 0;  ///< elements compared
  std::uint64_t wrong = 0;     ///< of those, how many differed
};

/// What of a block a kernel states to touch that touches samples of it.
enum class Claim : std::uint8_t {
  samples,  ///< these elements, and nothing between them: a view with a stride
  all,      ///< the whole block, which nobody else may touch meanwhile: a quick look at memory
};

/// Those of so many elements of data that are data[0], data[stride], ..., or all of them.
template <typename T>
MemoryAccess samples(AccessMode mode, const T* data, std::size_t elements, std::size_t stride, Claim claim) {
  const bool all = claim == Claim::all;
  const auto count = static_cast<std::int64_t>(all ? elements : (elements + stride - 1) / stride);
  const auto step = static_cast<std::int64_t>(all ? 1 : stride);
  return strided(mode, data, sizeof(T), {&count, 1}, {&step, 1}, alignof(T));
}

/// data[i * stride] = value; `elements` is how far data reaches.
template <typename T>
struct FillStrided {
  static constexpr std::string_view name = "fill_strided";
  T* data;
  std::size_t elements;
  std::size_t stride;
  T value;
  Claim claim = Claim::samples;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const {
    return {samples(AccessMode::write, data, elements, stride, claim)};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const { data[thread.index * stride] = value; }
};

/// All of data = value, 16 bytes by each invocation; data must be aligned to that.
template <typename T>
struct FillVectors {
  static constexpr std::string_view name = "fill_vectors";
  T* data;
  std::size_t elements;
  T value;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const {
    return {writes(reinterpret_cast<Vector<T>*>(data), elements * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    constexpr std::size_t width = Vector<T>::width;
    const std::size_t first = thread.index * width;
    if (first + width <= elements) {
      Vector<T> vector;
      for (T& lane : vector.lanes) lane = value;
      *reinterpret_cast<Vector<T>*>(data + first) = vector;
    } else {
      for (std::size_t i = first; i < elements; ++i) data[i] = value;
    }
  }
};

/// Compares data[0], data[stride], ... with `value`: each invocation every n-th of them.
template <typename T>
struct VerifyStrided {
  static constexpr std::string_view name = "verify_strided";
  const T* data;
  std::size_t elements;
  std::size_t stride;
  T value;
  Tally* tally;
  Claim claim = Claim::samples;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {samples(AccessMode::read, data, elements, stride, claim), updates(tally, sizeof(Tally))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t sampled = (elements + stride - 1) / stride;
    std::uint64_t verified = 0;
    std::uint64_t wrong = 0;
    for (std::size_t i = thread.index; i < sampled; i += thread.count) {
      ++verified;
      wrong += data[i * stride] == value ? 0U : 1U;
    }
    thread.atomic_add(&tally->verified, verified);
    if (wrong > 0) thread.atomic_add(&tally->wrong, wrong);
  }
};

/// Compares all of data with `value`, 16 bytes at a time; data must be aligned to that.
template <typename T>
struct VerifyVectors {
  static constexpr std::string_view name = "verify_vectors";
  const T* data;
  std::size_t elements;
  T value;
  Tally* tally;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(reinterpret_cast<const Vector<T>*>(data), elements * sizeof(T)), updates(tally, sizeof(Tally))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    constexpr std::size_t width = Vector<T>::width;
    const std::size_t vectors = elements / width;
    std::uint64_t verified = 0;
    std::uint64_t wrong = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
    for (std::size_t i = thread.index; i < vectors; i += thread.count) {
      const Vector<T> vector = *reinterpret_cast<const Vector<T>*>(data + i * width);
      for (const T lane : vector.lanes) wrong += lane == value ? 0U : 1U;
      verified += width;
    }
    for (std::size_t i = vectors * width + thread.index; i < elements; i += thread.count) {
      ++verified;
      wrong += data[i] == value ? 0U : 1U;
    }
    thread.atomic_add(&tally->verified, verified);
    if (wrong > 0) thread.atomic_add(&tally->wrong, wrong);
  }
};

namespace families {
using strided =
    Family<FillStrided<std::uint8_t>, FillStrided<std::int32_t>, FillStrided<float>, FillVectors<std::uint8_t>,
           FillVectors<std::int32_t>, FillVectors<std::int64_t>, FillVectors<float>, VerifyStrided<std::uint8_t>,
           VerifyStrided<std::int32_t>, VerifyStrided<float>, VerifyVectors<std::uint8_t>, VerifyVectors<std::int32_t>,
           VerifyVectors<float>>;
}
template <typename Functor>
requires(families::strided::has<Functor>) struct FamilyOf<Functor> : families::strided {
};

}  // namespace gpucheck::device::kernels
