#include "runtime/memory/host_view.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "runtime/memory/buffer.hpp"
#include "runtime/memory/pinned_buffer.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

TEST(HostView, IsOfHostMemoryInPlace) {
  Simulated machine;
  const std::vector<int> pageable{1, 2, 3};
  EXPECT_EQ(host_view(machine.runtime(), pageable.data(), 3).data(), pageable.data());
  const PinnedBuffer<int> pinned(machine.runtime(), 5);
  EXPECT_EQ(host_view<int>(machine.runtime(), pinned.data(), 5).data(), pinned.data());
  EXPECT_EQ(host_view<int>(machine.runtime(), pinned.data() + 1, 4).size(), 4U);
}

TEST(HostView, OfDeviceMemoryIsAnErrorAndNoCopy) {
  Simulated machine;
  const Buffer<int> buffer(machine.runtime(), 4, machine.default_stream());
  for (const int* data : {buffer.data(), buffer.data() + 3}) {
    try {
      static_cast<void>(host_view(machine.runtime(), data, 1));
      ADD_FAILURE();
    } catch (const MemoryKindError& error) {
      EXPECT_STREQ(error.what(),
                   "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
                   "memory first.");
    }
  }
  for (const auto& [name, calls] : machine.driver().api_calls().by_name) EXPECT_FALSE(name == "copy" && calls > 0);
}

}  // namespace
}  // namespace gpucheck::runtime::test
