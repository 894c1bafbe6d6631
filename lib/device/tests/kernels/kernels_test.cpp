#include <algorithm>
#include <numeric>

#include "device/tests/suites.hpp"

// Launches: cudaLaunchKernel through the launch table.
namespace gpucheck::device::contract {
namespace {

TEST_P(Kernels, EveryElementIsVisitedWhateverTheCount) {
  const auto stream = make_stream();
  for (const std::size_t count : {1U, 31U, 255U, 256U, 257U, 65537U}) {
    const auto array = make_array<std::int64_t>(count);
    run(kernels::Iota<std::int64_t>{array.data(), 5}, count, stream.get());
    std::vector<std::int64_t> expected(count);
    std::iota(expected.begin(), expected.end(), 5);
    EXPECT_EQ(read(array, stream.get()), expected) << count << " elements";
  }
}

// More elements than threads fit on the device at once.
TEST_P(Kernels, CountsBeyondTheDevicesThreadsAreRight) {
  const auto stream = make_stream();
  const DeviceProperties& properties = device().properties();
  const auto resident = std::size_t(properties.multiprocessor_count * properties.max_threads_per_multiprocessor);
  const std::size_t count = 3 * resident + 1;
  const auto array = make_array<std::uint8_t>(count);
  run(kernels::Fill<std::uint8_t>{array.data(), 0xab}, count, stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::uint8_t>(count, 0xab));
}

TEST_P(Kernels, TouchNothingBeyondTheCount) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(1000);
  run(kernels::Fill<std::int32_t>{array.data(), 1}, 1000, stream.get());
  run(kernels::Fill<std::int32_t>{array.data(), 2}, 700, stream.get());
  std::vector<std::int32_t> expected(1000, 1);
  std::fill_n(expected.begin(), 700, 2);
  EXPECT_EQ(read(array, stream.get()), expected);
}

TEST_P(Kernels, ACountOfZeroLaunchesNothing) {
  const auto stream = make_stream();
  EXPECT_EQ(device::launch(device(), kernels::Fill<std::int32_t>{nullptr, 1}, 0, stream.get()), Status::success);
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
}

TEST_P(Kernels, WorkInEveryElementType) {
  const auto stream = make_stream();
  const auto floats = make_array<float>(1000);
  run(kernels::Fill<float>{floats.data(), 1.5F}, 1000, stream.get());
  run(kernels::AddScalar<float>{floats.data(), floats.data(), 0.25F}, 1000, stream.get());
  EXPECT_EQ(read(floats, stream.get()), std::vector<float>(1000, 1.75F));
  const auto integers = make_array<std::int64_t>(1000);
  run(kernels::Fill<std::int64_t>{integers.data(), std::int64_t{1} << 40}, 1000, stream.get());
  run(kernels::AddScalar<std::int64_t>{integers.data(), integers.data(), -1}, 1000, stream.get());
  EXPECT_EQ(read(integers, stream.get()), std::vector<std::int64_t>(1000, (std::int64_t{1} << 40) - 1));
}

TEST_P(Kernels, AtomicAdditionsAllCount) {
  const auto stream = make_stream();
  const auto counter = make_array<std::uint64_t>(1);
  check(device().fill(counter.data(), 0, counter.bytes(), stream.get()), "fill");
  run(kernels::Count{counter.data(), 3}, 100000, stream.get());
  EXPECT_EQ(read(counter, stream.get()), std::vector<std::uint64_t>{300000});
}

// The functor is copied by the launch, as kernel arguments are.
TEST_P(Kernels, ArgumentsAreTakenAtTheLaunch) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(100);
  kernels::Fill<std::int32_t> fill{array.data(), 1};
  spin(stream.get());
  run(fill, array.size(), stream.get());
  fill.value = 2;
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(100, 1));
}

TEST_P(Kernels, TheLaunchDoesNotWaitForTheKernel) {
  const auto stream = make_stream();
  spin(stream.get());
  EXPECT_EQ(device().query(stream.get()), Status::not_ready);
  synchronize(stream.get());
}

TEST_P(Kernels, ALaunchOfNoKernelFails) {
  const auto stream = make_stream();
  KernelLaunch nothing;
  nothing.count = 1;
  EXPECT_EQ(device().launch(nothing, stream.get()), Status::invalid_value);
}

}  // namespace
}  // namespace gpucheck::device::contract
