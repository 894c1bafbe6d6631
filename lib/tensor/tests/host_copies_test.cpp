#include "tensor/host_copies.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::tensor::test {
namespace {

using runtime::PinnedBuffer;
using runtime::Transfer;
using runtime::test::Simulated;

class HostCopies : public testing::Test {
 protected:
  void keep_busy() {
    ASSERT_EQ(device::launch(machine.device(), device::kernels::Spin{50'000'000}, 1, stream), device::Status::success);
  }
  bool is_idle() { return machine.device().query(stream) == device::Status::success; }

  Simulated machine;
  Runtime& runtime = machine.runtime();
  device::Stream stream = machine.side_stream();
};

TEST_F(HostCopies, ConvertAfterAPendingCopyIntoTheSameMemory) {
  Buffer<float> source(runtime, 2, stream);
  ops::fill(runtime, source.data(), 2, 7.75F, stream);
  const PinnedBuffer<float> host(runtime, 2);
  host.data()[0] = host.data()[1] = 0.0F;
  Buffer<std::int64_t> out(runtime, 2, stream);
  keep_busy();
  runtime::copy_to_host(runtime, {host.data(), host.context()}, source.data(), 8, Transfer::non_blocking, stream);
  ops::copy_converted<float>(runtime, out.data(), {host.data(), host.context()}, 2, Transfer::non_blocking, stream);
  EXPECT_FALSE(is_idle());
  std::vector<std::int64_t> seen(2);
  runtime::copy_to_host(runtime, seen.data(), out.data(), 16, Transfer::blocking, stream);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{7, 7}));
  EXPECT_TRUE(machine.driver().races().empty());
}

TEST_F(HostCopies, ABlockingConversionIsDoneWhenItReturns) {
  const std::vector<float> values{-3.5F};
  Buffer<std::int64_t> out(runtime, 1, stream);
  keep_busy();
  ops::copy_converted<float>(runtime, out.data(), values.data(), 1, Transfer::blocking, stream);
  EXPECT_TRUE(is_idle());
}

TEST_F(HostCopies, PinnedMemoryHasValuesAndLayoutOfItsSource) {
  std::vector<std::int64_t> values(10);
  std::iota(values.begin(), values.end(), 0);
  const Layout transposed{.rank = 2, .sizes = {5, 2}, .strides = {1, 5}};
  const auto pinned = ops::pin_memory(runtime, View<const std::int64_t>{values.data(), transposed});
  EXPECT_TRUE(runtime::is_pinned(machine.device(), pinned.memory.data()));
  EXPECT_EQ(pinned.memory.size(), 10U);
  std::vector<std::int64_t> seen;
  for (std::size_t i = 0; i < 10; ++i) seen.push_back(pinned.at(i));
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 5, 1, 6, 2, 7, 3, 8, 4, 9}));
  EXPECT_EQ(pinned.memory.data()[5], 5) << "as in the source, not laid out anew";
  const auto nothing = ops::pin_memory(runtime, View<const std::int64_t>{nullptr, contiguous_layout({0, 3})});
  EXPECT_EQ(nothing.memory.size(), 0U);
}

}  // namespace
}  // namespace gpucheck::tensor::test
