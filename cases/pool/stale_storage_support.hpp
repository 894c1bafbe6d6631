#pragma once

#include "cases/pool/support.hpp"

namespace gpucheck::cases::in_pool {

/// A checkpointed pool with one block in use, and a second graph captured into the same
/// pool since, with another.
struct SecondCapture {
  std::unique_ptr<Captured> first;
  runtime::PoolCheckpoint checkpoint;
  std::vector<runtime::SegmentInfo> segments;  ///< at the checkpoint
  std::unique_ptr<Captured> second;

  explicit SecondCapture(runtime::Runtime& runtime)
      : first(capture(runtime, one_block)),
        checkpoint(runtime.caching_allocator().checkpoint(first->graph.pool())),
        segments(runtime.caching_allocator().snapshot(first->graph.pool())),
        second(capture(runtime, one_block, first->graph.pool())) {}

  static Outputs one_block(runtime::Runtime& runtime) {
    Outputs outputs;
    outputs.push_back(ones(runtime, min_block_bytes));
    return outputs;
  }
};

}  // namespace gpucheck::cases::in_pool
