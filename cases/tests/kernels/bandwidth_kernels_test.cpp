#include <numeric>
#include <set>

#include "cases/shared/kernels/bandwidth.hpp"
#include "cases/tests/kernels/suites.hpp"

// Kernels that bandwidth and latency are measured with: that they move what they say.
namespace gpucheck::device::contract {
namespace {

using kernels::LinkedLine;
using Words = kernels::Vector<std::uint64_t>;

constexpr std::size_t copied_vectors = 1001;

TEST_P(BandwidthKernels, SumsAndCopiesTakeEveryVectorOnce) {
  const auto stream = make_stream();
  const auto in = make_array<std::int64_t>(2 * copied_vectors);
  const auto out = make_array<std::int64_t>(2 * copied_vectors);
  const auto total = make_array<kernels::SpreadCounter>(1);
  run(kernels::Iota<std::int64_t>{in.data(), 7}, in.size(), stream.get());
  std::vector<std::int64_t> expected(2 * copied_vectors);
  std::iota(expected.begin(), expected.end(), 7);
  const auto sum = std::accumulate(expected.begin(), expected.end(), std::int64_t{0});
  const auto* const from = reinterpret_cast<const Words*>(in.data());
  for (const std::size_t count : {std::size_t{1}, std::size_t{96}, std::size_t{251}, std::size_t{2000}}) {
    check(device().fill(total.data(), 0, total.bytes(), stream.get()), "fill");
    run(kernels::SumWords{from, copied_vectors, total.data()}, count, stream.get());
    EXPECT_EQ(read(total, stream.get()).front().total(), static_cast<std::uint64_t>(sum)) << count << " invocations";
    check(device().fill(out.data(), 0, out.bytes(), stream.get()), "fill");
    run(kernels::CopyVectors{from, reinterpret_cast<Words*>(out.data()), copied_vectors}, count, stream.get());
    EXPECT_EQ(read(out, stream.get()), expected) << count << " invocations";
  }
}

TEST_P(BandwidthKernels, LinkedLinesAreOneRing) {
  const auto stream = make_stream();
  constexpr std::size_t count = 256;
  const auto lines = make_array<LinkedLine>(count);
  const auto place = make_array<std::uint64_t>(1);
  run(kernels::LinkLines{lines.data(), count, 5, 3}, count, stream.get());
  check(device().fill(place.data(), 0, place.bytes(), stream.get()), "fill");
  const kernels::FollowLinks one_step{lines.data(), count, 1, place.data()};
  std::set<std::uint64_t> met;
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    run(one_step, 1, stream.get());
    expected = (5 * expected + 3) % count;
    EXPECT_EQ(read(place, stream.get()).front(), expected);
    met.insert(expected);
  }
  EXPECT_EQ(met.size(), count);
  EXPECT_EQ(expected, 0U) << "back at the first";
  run(kernels::FollowLinks{lines.data(), count, 2 * count + 1, place.data()}, 1, stream.get());
  EXPECT_EQ(read(place, stream.get()).front(), 3U);
}

TEST_P(BandwidthKernels, ABrokenLinkLeadsToAnotherLine) {
  const auto stream = make_stream();
  const auto lines = make_array<LinkedLine>(4);
  const auto place = make_array<std::uint64_t>(1);
  check(device().fill(lines.data(), 0xFF, lines.bytes(), stream.get()), "fill");
  check(device().fill(place.data(), 0, place.bytes(), stream.get()), "fill");
  run(kernels::FollowLinks{lines.data(), 4, 3, place.data()}, 1, stream.get());
  EXPECT_EQ(read(place, stream.get()).front(), ~std::uint64_t{0});
}

}  // namespace
}  // namespace gpucheck::device::contract
