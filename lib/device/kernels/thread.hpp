#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define GPUCHECK_HOST_DEVICE __host__ __device__
#else
#define GPUCHECK_HOST_DEVICE
#endif

namespace gpucheck::device::kernels {

/// Where and what a device-side assert found: kept by the simulated device, which prints it.
struct FailedAssertion {
  const char* expression = nullptr;  ///< null as long as none failed
  const char* file = nullptr;
  unsigned line = 0;
};

/// One invocation of a kernel functor: which of `count` it is, and the few things a
/// kernel can do besides arithmetic. The same functor source runs on a GPU (compiled
/// by nvcc) and on the simulated device (compiled by the host compiler).
struct Thread {
  std::size_t index = 0;
  std::size_t count = 0;
  /// Simulated device only: where a failed `require` leaves its text.
  FailedAssertion* failed_assertion = nullptr;

  /// Device-side assert: when `condition` is false the context gets the sticky error
  /// `Status::assertion` and a line with `expression` goes to the process's stderr.
  /// Returns `condition`, so that a kernel can stop before doing harm.
  GPUCHECK_HOST_DEVICE bool require(bool condition, const char* expression, const char* file, unsigned line) const;

  /// Adds to a counter that other invocations add to at the same time.
  GPUCHECK_HOST_DEVICE void atomic_add(std::uint64_t* target, std::uint64_t amount) const;
};

}  // namespace gpucheck::device::kernels

#define GPUCHECK_DEVICE_ASSERT(thread, condition) (thread).require((condition), #condition, __FILE__, __LINE__)

#if defined(__CUDACC__)
extern "C" __device__ void __assertfail(const char* expression, const char* file, unsigned line, const char* function,
                                        std::size_t character_size);
#endif

namespace gpucheck::device::kernels {

GPUCHECK_HOST_DEVICE inline bool Thread::require(bool condition, const char* expression, const char* file,
                                                 unsigned line) const {
#if defined(__CUDA_ARCH__)
  if (!condition) __assertfail(expression, file, line, "kernel", sizeof(char));
#else
  if (!condition && failed_assertion != nullptr) *failed_assertion = {expression, file, line};
#endif
  return condition;
}

GPUCHECK_HOST_DEVICE inline void Thread::atomic_add(std::uint64_t* target, std::uint64_t amount) const {
#if defined(__CUDA_ARCH__)
  atomicAdd(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(amount));
#else
  *target += amount;
#endif
}

}  // namespace gpucheck::device::kernels
