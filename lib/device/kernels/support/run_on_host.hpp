#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "device/kernels/support/thread.hpp"

/// What runs a kernel where there is no GPU.
namespace gpucheck::device::kernels {

template <typename Functor>
void run_indices_on_host(const Functor& functor, std::size_t count, FailedAssertion& failed) {
  for (std::size_t index = 0; index < count; ++index) {
    functor(Thread{{.failed_assertion = &failed}, index, count});
    if (failed.expression == nullptr) continue;
    failed.thread = index;
    return;
  }
}

/// Blocks by number, from `first` on, before `end`.
struct BlockRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

constexpr std::size_t blocks_of(std::size_t count, const BlockShape& shape) {
  return count / shape.threads + (count % shape.threads != 0 ? 1 : 0);
}

/// Runs some blocks of a launch: in each phase every thread of a block before the next
/// phase. What must not be leant on differs from block to block: shared memory begins
/// with other bytes, and every other phase has its threads backwards.
template <typename Functor>
void run_blocks_on_host(const Functor& functor, std::size_t count, const BlockShape& shape, BlockRange range,
                        FailedAssertion& failed) {
  struct alignas(16) Sixteen {
    std::byte bytes[16];
  };
  const std::size_t size = (shape.shared_bytes + sizeof(Sixteen) - 1) / sizeof(Sixteen);
  std::array<Sixteen, 64> little;  // what most kernels use, without an allocation
  std::vector<Sixteen> much(size > little.size() ? size : 0);
  const std::span<Sixteen> shared = much.empty() ? std::span(little).first(size) : std::span(much);
  const std::size_t blocks = blocks_of(count, shape);
  for (std::size_t block = range.first; block < range.end; ++block) {
    std::memset(static_cast<void*>(shared.data()), static_cast<int>(0xA5 ^ (block & 0xFFU)), shared.size_bytes());
    const std::size_t left = count - block * shape.threads;
    const unsigned threads = static_cast<unsigned>(std::min<std::size_t>(shape.threads, left));
    BlockThread thread{
        {.failed_assertion = &failed}, block, blocks, 0, threads, shape.threads, shared.data(), shape.shared_bytes};
    for (unsigned phase = 0; phase < Functor::phases; ++phase) {
      const bool backwards = (block + phase) % 2 != 0;
      for (unsigned turn = 0; turn < threads; ++turn) {
        thread.index = backwards ? threads - 1 - turn : turn;
        functor(thread, phase);
        if (failed.expression == nullptr) continue;
        failed.block = block;
        failed.thread = thread.index;
        return;
      }
    }
  }
}

}  // namespace gpucheck::device::kernels
