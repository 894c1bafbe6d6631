#pragma once

#include <gtest/gtest.h>
#include <map>
#include <string>

#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {

/// A simulated device and its allocator of pinned memory.
class Pinned : public testing::Test {
 protected:
  PinnedAllocator& allocator() { return machine_.runtime().pinned_allocator(); }
  PinnedAllocator::Allocation allocate(std::size_t bytes) {
    return allocator().allocate(bytes, machine_.runtime().current_stream());
  }
  void keep_busy(device::Stream stream) {
    ASSERT_EQ(device::launch(machine_.device(), device::kernels::Spin{long_time_ns}, 1, stream),
              device::Status::success);
  }
  void finish(device::Stream stream) { ASSERT_EQ(machine_.device().synchronize(stream), device::Status::success); }
  /// A block that `stream`, still busy, uses, and that was freed meanwhile.
  void* freed_in_use(std::size_t bytes, device::Stream stream) {
    const PinnedAllocator::Allocation block = allocate(bytes);
    keep_busy(stream);
    EXPECT_TRUE(allocator().record_event(block.pointer, block.context, stream));
    allocator().free(block.context);
    return block.pointer;
  }
  std::map<std::string, std::int64_t> statistics() {
    const auto flat = flatten(allocator().stats());
    return {flat.begin(), flat.end()};
  }

  Simulated machine_;
};

}  // namespace gpucheck::runtime::test
