#include "device/kernels/multiprocessors.hpp"
#include "device/tests/suites.hpp"

// Kernels that keep every multiprocessor busy.
namespace gpucheck::device::contract {
namespace {

using kernels::KnownProduct;
using kernels::MultiplyOnEach;
using kernels::MultiprocessorTally;

// A block that has all of the shared memory has a multiprocessor to itself, so each gets one.
TEST_P(Kernels, MultiplyOnEachMultiprocessor) {
  using Multiply = MultiplyOnEach<float>;
  const auto stream = make_stream();
  const DeviceProperties& properties = device().properties();
  const auto multiprocessors = static_cast<unsigned>(properties.multiprocessor_count);
  const auto tallies = make_array<MultiprocessorTally>(Multiply::slots);
  check(device().fill(tallies.data(), 0, tallies.bytes(), stream.get()), "fill");
  const Multiply multiply{tallies.data(), multiprocessors, 3,
                          KnownProduct{.seed = 1, .depth = Multiply::size, .magnitude = 255}};
  const BlockShape shape{.threads = Multiply::threads, .shared_bytes = properties.max_shared_bytes_per_block};
  run(multiply, std::size_t{multiprocessors} * 2 * Multiply::threads, shape, stream.get());
  std::uint64_t blocks = 0;
  std::uint64_t wrong = 0;
  unsigned busy = 0;
  for (const MultiprocessorTally& tally : read(tallies, stream.get())) {
    blocks += tally.blocks;
    wrong += tally.wrong;
    busy += tally.blocks != 0 && tally.nanoseconds != 0 ? 1 : 0;
  }
  EXPECT_EQ(blocks, 2 * multiprocessors);
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(busy, multiprocessors);
}

}  // namespace
}  // namespace gpucheck::device::contract
