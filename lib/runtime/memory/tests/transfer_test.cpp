#include "runtime/memory/transfer.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/memory/pinned_buffer.hpp"
#include "runtime/tests/simulated.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::runtime::test {
namespace {

class TransferTest : public testing::Test {
 protected:
  void keep_busy(device::Stream stream) {
    ASSERT_EQ(device::launch(machine_.device(), device::kernels::Spin{50'000'000}, 1, stream), device::Status::success);
  }
  bool is_idle(device::Stream stream) { return machine_.device().query(stream) == device::Status::success; }

  Simulated machine_;
  Runtime& runtime_ = machine_.runtime();
  device::Stream stream_ = machine_.side_stream();
};

TEST_F(TransferTest, ABlockingCopyIsDoneWhenItReturns) {
  PinnedBuffer<std::int32_t> host(runtime_, 1000);
  Buffer<std::int32_t> on_device(runtime_, 1000, stream_);
  std::iota(host.span().begin(), host.span().end(), 5);
  keep_busy(stream_);
  copy_to_device(runtime_, on_device.data(), host.data(), host.size_bytes(), Transfer::blocking, stream_);
  EXPECT_TRUE(is_idle(stream_));
  PinnedBuffer<std::int32_t> back(runtime_, 1000);
  keep_busy(stream_);
  copy_to_host(runtime_, back.data(), on_device.data(), back.size_bytes(), Transfer::blocking, stream_);
  EXPECT_TRUE(is_idle(stream_));
  EXPECT_EQ(back.span()[999], 1004);
}

TEST_F(TransferTest, ANonBlockingCopyKeepsItsPinnedMemory) {
  const void* freed = nullptr;
  Buffer<std::int32_t> on_device(runtime_, 1000, stream_);
  keep_busy(stream_);
  {
    PinnedBuffer<std::int32_t> host(runtime_, 1001);
    freed = host.data();
    copy_to_device(runtime_, on_device.data(), {host.data() + 1, host.context()}, 1000 * sizeof(std::int32_t),
                   Transfer::non_blocking, stream_);
    EXPECT_FALSE(is_idle(stream_));
  }
  EXPECT_NE(PinnedBuffer<std::int32_t>(runtime_, 1001).data(), freed);
  {
    PinnedBuffer<std::int32_t> landing(runtime_, 1000);
    copy_to_host(runtime_, landing.data(), on_device.data(), landing.size_bytes(), Transfer::non_blocking, stream_);
  }
  ASSERT_EQ(machine_.device().synchronize(stream_), device::Status::success);
  EXPECT_EQ(PinnedBuffer<std::int32_t>(runtime_, 1000).size_bytes(), 4000);
}

TEST_F(TransferTest, NewHostMemoryIsPinnedExactlyWhenNobodyWaits) {
  std::vector<std::int32_t> values(1000);
  std::iota(values.begin(), values.end(), 5);
  const Buffer<std::int32_t> on_device =
      to_device<std::int32_t>(runtime_, values.data(), values.size(), Transfer::blocking, stream_);
  keep_busy(stream_);
  HostBuffer<std::int32_t> later = to_host(runtime_, on_device.data(), 1000, Transfer::non_blocking, stream_);
  EXPECT_FALSE(is_idle(stream_));
  EXPECT_TRUE(is_pinned(machine_.device(), later.data()));
  keep_busy(stream_);
  HostBuffer<std::int32_t> now = to_host(runtime_, on_device.data(), 1000, Transfer::blocking, stream_);
  EXPECT_TRUE(is_idle(stream_));
  EXPECT_FALSE(is_pinned(machine_.device(), now.data()));
  EXPECT_EQ(now.context(), nullptr);
  EXPECT_TRUE(std::ranges::equal(later.host_read(), values));
  EXPECT_TRUE(std::ranges::equal(now.host_read(), values));
}

TEST_F(TransferTest, AHostThatDoesNotWaitIsReported) {
  for (const bool waits : {false, true}) {
    Simulated machine;
    const device::Stream stream = machine.side_stream();
    const Buffer<std::int32_t> on_device(machine.runtime(), 1000, stream);
    const PinnedBuffer<std::int32_t> landing(machine.runtime(), 1000);
    std::ranges::fill(landing.host_write(), 0);
    copy_to_host(machine.runtime(), {landing.data(), landing.context()}, on_device.data(), landing.size_bytes(),
                 Transfer::non_blocking, stream);
    if (waits) device::check(machine.device().synchronize(stream), "synchronize");
    EXPECT_EQ(landing.host_read().size(), 1000U);
    EXPECT_EQ(machine.driver().races().size(), waits ? 0U : 1U);
    std::ranges::fill(landing.host_write(), 1);
    EXPECT_EQ(machine.driver().races().size(), waits ? 0U : 2U);
    device::check(machine.device().synchronize(stream), "synchronize");
  }
}

TEST_F(TransferTest, AnErrorOfTheCopyIsThrown) {
  std::vector<std::int32_t> pageable(10);  // no device memory
  PinnedBuffer<std::int32_t> host(runtime_, 10);
  EXPECT_THROW(copy_to_device(runtime_, pageable.data(), host.data(), 40, Transfer::non_blocking, stream_),
               device::DeviceError);
}

}  // namespace
}  // namespace gpucheck::runtime::test
