#pragma once

#include <cstddef>
#include <cstdint>

#include "device/values/kernel.hpp"

#if defined(__CUDACC__)
#define GPUCHECK_HOST_DEVICE __host__ __device__
extern "C" __device__ void __assertfail(const char* expression, const char* file, unsigned line, const char* function,
                                        std::size_t character_size);
#else
#define GPUCHECK_HOST_DEVICE
#endif

#define GPUCHECK_DEVICE_ASSERT(thread, condition) (thread).require((condition), #condition, __FILE__, __LINE__)

namespace gpucheck::device::kernels {

/// The few things an invocation of a kernel functor can do besides arithmetic. The same
/// functor source runs on a GPU (compiled by nvcc) and on the simulated device (compiled
/// by the host compiler).
struct Invocation {
  /// Simulated device only: where a failed `require` leaves its text.
  FailedAssertion* failed_assertion = nullptr;

  /// Device-side assert: when `condition` is false the context gets the sticky error
  /// `Status::assertion` and a line with `expression` goes to the process's stderr.
  /// Returns `condition`, so that a kernel can stop before doing harm.
  GPUCHECK_HOST_DEVICE bool require(bool condition, const char* expression, const char* file, unsigned line) const {
#if defined(__CUDA_ARCH__)
    if (!condition) __assertfail(expression, file, line, "kernel", sizeof(char));
#else
    if (!condition && failed_assertion != nullptr) {
      failed_assertion->expression = expression;
      failed_assertion->file = file;
      failed_assertion->line = line;
    }
#endif
    return condition;
  }

  /// Adds to a counter that other invocations add to at the same time; what it was before.
  GPUCHECK_HOST_DEVICE std::uint64_t atomic_add(std::uint64_t* target, std::uint64_t amount) const {
#if defined(__CUDA_ARCH__)
    return atomicAdd(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(amount));
#else
    const std::uint64_t before = *target;
    *target += amount;
    return before;
#endif
  }

  /// `atomic_add` whose result nobody needs, to a counter that the invocations of a GPU's warp have in common: those
  /// that arrive here together add their sum.
  GPUCHECK_HOST_DEVICE void atomic_add_together(std::uint64_t* target, std::uint64_t amount) const {
#if defined(__CUDA_ARCH__)
    constexpr unsigned whole_warp = 0xFFFFFFFFU;
    unsigned long long sum = amount;
    if (__activemask() == whole_warp) {
      for (int apart = warpSize / 2; apart > 0; apart /= 2) sum += __shfl_xor_sync(whole_warp, sum, apart);
      if (threadIdx.x % warpSize != 0) return;
    }
    atomic_add(target, sum);
#else
    atomic_add(target, amount);
#endif
  }

  /// The word as memory has it now: not what the multiprocessor's own cache (L1) may have kept of an earlier read. The
  /// cache of all multiprocessors (L2) is part of memory here.
  GPUCHECK_HOST_DEVICE std::uint64_t read_again(const std::uint64_t* word) const {
#if defined(__CUDA_ARCH__)
    std::uint64_t value;
    asm volatile("ld.global.cv.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
#else
    return *const_cast<const volatile std::uint64_t*>(word);
#endif
  }

  /// What `multiprocessor` says on the simulated device, where a kernel runs on none.
  static constexpr std::uint32_t no_multiprocessor = 0xFFFFFFFFU;
  /// The multiprocessor that this runs on, counted from 0.
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::uint32_t multiprocessor() const {
#if defined(__CUDA_ARCH__)
    std::uint32_t number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
#else
    return no_multiprocessor;
#endif
  }
};

/// One invocation of a functor that is called for each index.
struct Thread : Invocation {
  std::size_t index = 0;
  std::size_t count = 0;
};

/// One invocation of a functor that is called by block: once in each phase. Between two
/// phases all threads of the block meet at a barrier; within one they run in any order, or
/// at the same time. Nothing but shared memory is kept from one phase to the next.
struct BlockThread : Invocation {
  std::size_t block = 0;  ///< of `blocks`
  std::size_t blocks = 0;
  unsigned index = 0;              ///< within the block, of `threads`
  unsigned threads = 0;            ///< of this block: the last one may have fewer than others
  unsigned threads_per_block = 0;  ///< of the others
  void* shared = nullptr;          ///< the block's own memory, aligned to 16 bytes
  std::size_t shared_bytes = 0;

  /// Which of the launch's invocations this is.
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::size_t global_index() const { return block * threads_per_block + index; }
};

}  // namespace gpucheck::device::kernels
