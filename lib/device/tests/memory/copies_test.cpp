#include <algorithm>
#include <numeric>

#include "base/text/units.hpp"
#include "device/tests/suites.hpp"

// cudaMemcpyAsync and cudaMemsetAsync; "API synchronization behavior" of the runtime
// API reference says what each kind waits for.
namespace gpucheck::device::contract {
namespace {

using namespace literals;

constexpr std::size_t copied_size = 1_MiB + 7;

std::vector<std::int32_t> counting(std::size_t count) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST_P(Copies, PinnedMemoryGoesToTheDeviceAndBack) {
  const auto stream = make_stream();
  const auto source = make_pinned<std::int32_t>(copied_size);
  const auto array = make_array<std::int32_t>(copied_size);
  std::ranges::copy(counting(copied_size), source.data());
  ASSERT_EQ(device().copy(array.data(), source.data(), source.bytes(), CopyKind::host_to_device, stream.get()),
            Status::success);
  EXPECT_EQ(read(array, stream.get()), counting(copied_size));
}

TEST_P(Copies, PageableMemoryGoesToTheDeviceAndBack) {
  const auto stream = make_stream();
  const auto source = counting(copied_size);
  std::vector<std::int32_t> back(copied_size);
  const auto array = make_array<std::int32_t>(copied_size);
  ASSERT_EQ(device().copy(array.data(), source.data(), array.bytes(), CopyKind::host_to_device, stream.get()),
            Status::success);
  ASSERT_EQ(device().copy(back.data(), array.data(), array.bytes(), CopyKind::device_to_host, stream.get()),
            Status::success);
  synchronize(stream.get());
  EXPECT_EQ(back, source);
}

// "For transfers from device memory to pageable host memory, the function will return
// only once the copy has completed."
TEST_P(Copies, ToPageableMemoryTheCopyIsDoneWhenTheCallReturns) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(1000);
  std::vector<std::int32_t> back(1000);
  spin(stream.get());
  run(kernels::Fill<std::int32_t>{array.data(), 9}, array.size(), stream.get());
  ASSERT_EQ(device().copy(back.data(), array.data(), array.bytes(), CopyKind::device_to_host, stream.get()),
            Status::success);
  EXPECT_EQ(back, std::vector<std::int32_t>(1000, 9));
}

// "The function will return once the pageable buffer has been copied to the staging
// memory": from then on the caller may write to it.
TEST_P(Copies, APageableSourceMayBeOverwrittenOnceTheCallReturned) {
  const auto stream = make_stream();
  auto source = counting(copied_size);
  const auto array = make_array<std::int32_t>(copied_size);
  spin(stream.get());
  ASSERT_EQ(device().copy(array.data(), source.data(), array.bytes(), CopyKind::host_to_device, stream.get()),
            Status::success);
  std::ranges::fill(source, -1);
  EXPECT_EQ(read(array, stream.get()), counting(copied_size));
}

TEST_P(Copies, WithPinnedMemoryTheCallDoesNotWait) {
  const auto stream = make_stream();
  const auto pinned = make_pinned<std::int32_t>(copied_size);
  const auto array = make_array<std::int32_t>(copied_size);
  std::ranges::fill(pinned.span(), 2);
  spin(stream.get());
  ASSERT_EQ(device().copy(array.data(), pinned.data(), array.bytes(), CopyKind::host_to_device, stream.get()),
            Status::success);
  EXPECT_EQ(device().query(stream.get()), Status::not_ready);
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(copied_size, 2));
}

TEST_P(Copies, BetweenDeviceArrays) {
  const auto stream = make_stream();
  const auto source = make_array<std::int32_t>(copied_size);
  const auto destination = make_array<std::int32_t>(copied_size);
  run(kernels::Iota<std::int32_t>{source.data(), 1}, copied_size, stream.get());
  ASSERT_EQ(device().copy(destination.data(), source.data(), source.bytes(), CopyKind::device_to_device, stream.get()),
            Status::success);
  EXPECT_EQ(read(destination, stream.get()), counting(copied_size));
}

// "For transfers from any host memory to any host memory, the function is fully
// synchronous with respect to the host."
TEST_P(Copies, FromHostToHostAreDoneWhenTheCallReturns) {
  const auto stream = make_stream();
  const auto source = counting(copied_size);
  std::vector<std::int32_t> destination(copied_size);
  ASSERT_EQ(device().copy(destination.data(), source.data(), copied_size * 4, CopyKind::host_to_host, stream.get()),
            Status::success);
  EXPECT_EQ(destination, source);
}

TEST_P(Copies, OfPartsLeaveTheRestAlone) {
  const auto stream = make_stream();
  const auto array = make_array<std::uint8_t>(1000);
  const std::vector<std::uint8_t> source(333, 7);
  run(kernels::Fill<std::uint8_t>{array.data(), 1}, array.size(), stream.get());
  ASSERT_EQ(device().copy(array.data() + 101, source.data(), source.size(), CopyKind::host_to_device, stream.get()),
            Status::success);
  std::vector<std::uint8_t> expected(1000, 1);
  std::fill_n(expected.begin() + 101, 333, std::uint8_t{7});
  EXPECT_EQ(read(array, stream.get()), expected);
}

TEST_P(Copies, RunInStreamOrderBetweenKernels) {
  const auto stream = make_stream();
  const auto one = make_array<std::int32_t>(copied_size);
  const auto other = make_array<std::int32_t>(copied_size);
  run(kernels::Fill<std::int32_t>{one.data(), 1}, copied_size, stream.get());
  check(device().copy(other.data(), one.data(), one.bytes(), CopyKind::device_to_device, stream.get()), "copy");
  run(kernels::Fill<std::int32_t>{one.data(), 5}, copied_size, stream.get());
  EXPECT_EQ(read(other, stream.get()), std::vector<std::int32_t>(copied_size, 1));
  EXPECT_EQ(read(one, stream.get()), std::vector<std::int32_t>(copied_size, 5));
}

TEST_P(Copies, OfNothingSucceed) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(1);
  std::int32_t value = 0;
  EXPECT_EQ(device().copy(array.data(), &value, 0, CopyKind::host_to_device, stream.get()), Status::success);
  EXPECT_EQ(device().fill(array.data(), 1, 0, stream.get()), Status::success);
}

TEST_P(Copies, ToNullAreAnInvalidValue) {
  const auto stream = make_stream();
  const std::int32_t value = 0;
  EXPECT_EQ(device().copy(nullptr, &value, sizeof(value), CopyKind::host_to_device, stream.get()),
            Status::invalid_value);
  EXPECT_EQ(device().fill(nullptr, 1, 4, stream.get()), Status::invalid_value);
}

TEST_P(Copies, FillSetsBytesAndLeavesTheRestAlone) {
  const auto stream = make_stream();
  const auto array = make_array<std::uint8_t>(1000);
  ASSERT_EQ(device().fill(array.data(), 0x11, 1000, stream.get()), Status::success);
  ASSERT_EQ(device().fill(array.data() + 3, 0xff, 501, stream.get()), Status::success);
  std::vector<std::uint8_t> expected(1000, 0x11);
  std::fill_n(expected.begin() + 3, 501, std::uint8_t{0xff});
  EXPECT_EQ(read(array, stream.get()), expected);
}

TEST_P(Copies, FillOfDeviceMemoryDoesNotWait) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(copied_size);
  spin(stream.get());
  ASSERT_EQ(device().fill(array.data(), 0x01, array.bytes(), stream.get()), Status::success);
  EXPECT_EQ(device().query(stream.get()), Status::not_ready);
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(copied_size, 0x01010101));
}

}  // namespace
}  // namespace gpucheck::device::contract
