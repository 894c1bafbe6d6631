#pragma once

#include <array>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/values/kernel.hpp"

namespace gpucheck::device::kernels {

/// out[i] = value
template <typename T>
struct Fill {
  static constexpr std::string_view name = "fill";
  T* out;
  T value;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t count) const {
    return {writes(out, count * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const { out[thread.index] = value; }
};

/// out[i] = start + i
template <typename T>
struct Iota {
  static constexpr std::string_view name = "iota";
  T* out;
  T start;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t count) const {
    return {writes(out, count * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    out[thread.index] = static_cast<T>(start + static_cast<T>(thread.index));
  }
};

/// out[i] = in[i] + value
template <typename T>
struct AddScalar {
  static constexpr std::string_view name = "add_scalar";
  const T* in;
  T* out;
  T value;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t count) const {
    return {reads(in, count * sizeof(T)), writes(out, count * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    out[thread.index] = static_cast<T>(in[thread.index] + value);
  }
};

/// out[i] = a[i] + b[i * b_stride]: a stride of 0 adds the same value everywhere.
template <typename T>
struct AddArrays {
  static constexpr std::string_view name = "add_arrays";
  const T* a;
  const T* b;
  T* out;
  std::size_t b_stride;
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t count) const {
    const std::size_t b_count = b_stride == 0 ? 1 : (count - 1) * b_stride + 1;
    return {reads(a, count * sizeof(T)), reads(b, b_count * sizeof(T)), writes(out, count * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    out[thread.index] = static_cast<T>(a[thread.index] + b[thread.index * b_stride]);
  }
};

/// Adds `amount` to one counter, once for each invocation.
struct Count {
  static constexpr std::string_view name = "count";
  std::uint64_t* counter;
  std::uint64_t amount;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const { return {updates(counter, sizeof(*counter))}; }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const { thread.atomic_add(counter, amount); }
};

/// Asserts in[i] < limit on the device.
struct RequireBelow {
  static constexpr std::string_view name = "require_below";
  const std::int32_t* in;
  std::int32_t limit;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t count) const {
    return {reads(in, count * sizeof(*in))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    GPUCHECK_DEVICE_ASSERT(thread, in[thread.index] < limit);
  }
};

/// Keeps the device busy for about `duration_ns` nanoseconds and touches no memory.
/// Launch with a count of 1.
struct Spin {
  static constexpr std::string_view name = "spin";
  std::uint64_t duration_ns;
  [[nodiscard]] std::array<MemoryAccess, 0> accesses(std::size_t) const { return {}; }
  [[nodiscard]] std::uint64_t spin_ns() const { return duration_ns; }
  GPUCHECK_HOST_DEVICE void operator()(const Thread&) const {
#if defined(__CUDA_ARCH__)
    std::uint64_t start;
    std::uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < duration_ns);
#endif
  }
};

namespace families {
using elementwise =
    Family<Spin, Fill<std::uint8_t>, Fill<std::int32_t>, Fill<std::int64_t>, Fill<float>, Iota<std::int32_t>,
           Iota<std::int64_t>, AddArrays<std::uint8_t>, AddArrays<float>, AddScalar<std::uint8_t>,
           AddScalar<std::int32_t>, AddScalar<std::int64_t>, AddScalar<float>, Count, RequireBelow>;
}
template <typename Functor>
requires(families::elementwise::has<Functor>) struct FamilyOf<Functor> : families::elementwise {
};

}  // namespace gpucheck::device::kernels
