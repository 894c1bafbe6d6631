#include "tensor/ops.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "device/kernels/support/philox.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::tensor::test {
namespace {

using runtime::test::Simulated;

class Ops : public testing::Test {
 protected:
  template <typename T>
  Buffer<T> upload(const std::vector<T>& values) {
    Buffer<T> buffer(runtime, values.size(), stream);
    device::check(machine.device().copy(buffer.data(), values.data(), buffer.size_bytes(),
                                        device::CopyKind::host_to_device, stream),
                  "copy");
    return buffer;
  }
  template <typename T>
  std::vector<T> download(const T* data, std::size_t count) {
    std::vector<T> values(count);
    device::check(
        machine.device().copy(values.data(), data, count * sizeof(T), device::CopyKind::device_to_host, stream),
        "copy");
    device::check(machine.device().synchronize(stream), "synchronize");
    return values;
  }
  device::Status outcome() { return machine.device().synchronize(stream); }

  Simulated machine;
  Runtime& runtime = machine.runtime();
  device::Stream stream = machine.side_stream();
};

TEST_F(Ops, FillsWholeAndUnalignedRanges) {
  Buffer<std::uint8_t> data = upload(std::vector<std::uint8_t>(100, 0));
  ops::fill(runtime, data.data(), 37, std::uint8_t{9}, stream);
  ops::fill(runtime, data.data() + 41, 10, std::uint8_t{7}, stream);
  std::vector<std::uint8_t> expected(100, 0);
  std::fill_n(expected.begin(), 37, std::uint8_t{9});
  std::fill_n(expected.begin() + 41, 10, std::uint8_t{7});
  EXPECT_EQ(download(data.data(), 100), expected);
}

TEST_F(Ops, CountsAndAdds) {
  Buffer<std::int64_t> data(runtime, 5, stream);
  ops::iota(runtime, data.data(), 5, std::int64_t{-2}, stream);
  ops::add(runtime, data.data(), data.data(), 5, std::int64_t{10}, stream);
  EXPECT_EQ(download(data.data(), 5), (std::vector<std::int64_t>{8, 9, 10, 11, 12}));
}

TEST_F(Ops, AddsArraysAndAValueOfTheDevices) {
  const Buffer<std::uint8_t> a = upload<std::uint8_t>({1, 2, 3});
  const Buffer<std::uint8_t> b = upload<std::uint8_t>({10, 20, 30});
  Buffer<std::uint8_t> out(runtime, 3, stream);
  ops::add(runtime, a.data(), b.data(), out.data(), 3, stream);
  EXPECT_EQ(download(out.data(), 3), (std::vector<std::uint8_t>{11, 22, 33}));
  ops::add_value(runtime, a.data(), b.data() + 1, out.data(), 3, stream);
  EXPECT_EQ(download(out.data(), 3), (std::vector<std::uint8_t>{21, 22, 23}));
}

TEST_F(Ops, ConvertsAndDropsTheFraction) {
  const Buffer<float> in = upload<float>({1.0F, -2.75F, 16777216.0F, 0.99F});
  Buffer<std::int64_t> out(runtime, 4, stream);
  ops::convert(runtime, in.data(), out.data(), 4, stream);
  EXPECT_EQ(download(out.data(), 4), (std::vector<std::int64_t>{1, -2, 16777216, 0}));
}

/// The values of PTX's cvt.rzi.s64.f32. 2^63 is the first float that is too large, and -2^63 the last that is not.
TEST_F(Ops, ConvertsWhatDoesNotFitAsAGpuDoes) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const Buffer<float> in = upload<float>({infinity, 0x1p63F, 0x1.fffffep62F, -0x1p63F, -0x1.000002p63F, -infinity,
                                          std::numeric_limits<float>::quiet_NaN()});
  Buffer<std::int64_t> out(runtime, 7, stream);
  ops::convert(runtime, in.data(), out.data(), 7, stream);
  EXPECT_EQ(download(out.data(), 7),
            (std::vector<std::int64_t>{INT64_MAX, INT64_MAX, INT64_MAX - (std::int64_t{1} << 39) + 1, INT64_MIN,
                                       INT64_MIN, INT64_MIN, INT64_MIN}));
}

TEST_F(Ops, LaysAStridedMatrixOutRowByRow) {
  const Buffer<std::int64_t> in = upload<std::int64_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  Buffer<std::int64_t> out(runtime, 10, stream);
  const auto laid_out = [&](const ops::StridedMatrix<std::int64_t>& matrix) {
    ops::copy_strided(runtime, matrix, out.data(), stream);
    return download(out.data(), matrix.rows * matrix.columns);
  };
  // The transpose of a 2x5 matrix.
  EXPECT_EQ(laid_out({in.data(), 5, 2, 1, 5}), (std::vector<std::int64_t>{0, 5, 1, 6, 2, 7, 3, 8, 4, 9}));
  EXPECT_EQ(laid_out({in.data() + 1, 2, 2, 6, 2}), (std::vector<std::int64_t>{1, 3, 7, 9}));
  EXPECT_EQ(laid_out({in.data() + 3, 2, 3, 0, 0}), (std::vector<std::int64_t>(6, 3)));
  EXPECT_EQ(laid_out({in.data(), 0, 5, 5, 1}), std::vector<std::int64_t>{});
}

TEST_F(Ops, Sums) {
  constexpr std::size_t count = 100'001;
  Buffer<std::int64_t> integers(runtime, count, stream);
  ops::iota(runtime, integers.data(), count, std::int64_t{0}, stream);
  Buffer<std::int64_t> total(runtime, 1, stream);
  ops::sum(runtime, integers.data(), count, total.data(), stream);
  EXPECT_EQ(download(total.data(), 1)[0], 5'000'050'000);
  Buffer<float> floats(runtime, count, stream);
  ops::fill(runtime, floats.data(), count, 0.5F, stream);
  Buffer<double> real_total(runtime, 1, stream);
  ops::sum(runtime, floats.data(), count, real_total.data(), stream);
  EXPECT_EQ(download(real_total.data(), 1)[0], 50'000.5);
  ops::sum(runtime, floats.data(), 0, real_total.data(), stream);
  EXPECT_EQ(download(real_total.data(), 1)[0], 0.0);
}

// One thread, one block, several blocks, and counts that fill none of them.
TEST_F(Ops, SumsAnyCountOfIntegersAndWraps) {
  for (const std::size_t count : {1U, 2U, 63U, 64U, 65U, 4096U, 16'384U, 16'385U, 70'001U, 1'000'003U}) {
    Buffer<std::int64_t> values(runtime, count, stream);
    ops::iota(runtime, values.data(), count, std::int64_t{-7}, stream);
    Buffer<std::int64_t> total(runtime, 1, stream);
    ops::sum(runtime, values.data(), count, total.data(), stream);
    const auto n = static_cast<std::int64_t>(count);
    EXPECT_EQ(download(total.data(), 1)[0], n * (n - 1) / 2 - 7 * n) << count;
  }
  const Buffer<std::int64_t> large = upload<std::int64_t>({std::numeric_limits<std::int64_t>::max(), 1});
  Buffer<std::int64_t> total(runtime, 1, stream);
  ops::sum(runtime, large.data(), 2, total.data(), stream);
  EXPECT_EQ(download(total.data(), 1)[0], std::numeric_limits<std::int64_t>::min());
  ops::sum(runtime, large.data(), 0, total.data(), stream);
  EXPECT_EQ(download(total.data(), 1)[0], 0);
}

// Floats that add up exactly in double precision, in whatever order.
TEST_F(Ops, SumsAnyCountOfFloats) {
  for (const std::size_t count : {1U, 2U, 63U, 64U, 65U, 4096U, 16'384U, 16'385U, 70'001U, 1'000'003U}) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 4093) - 0.25F;
    const Buffer<float> buffer = upload(values);
    Buffer<double> total(runtime, 1, stream);
    ops::sum(runtime, buffer.data(), count, total.data(), stream);
    EXPECT_EQ(download(total.data(), 1)[0], std::accumulate(values.begin(), values.end(), 0.0)) << count;
  }
}

TEST_F(Ops, SumsInAnOrderThatDependsOnTheCountAlone) {
  constexpr std::size_t count = 100'003;
  std::vector<float> values(count + 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i)) * 1e10F / (1.0F + static_cast<float>(i % 977));
  // The same numbers where vectors can be loaded and where they cannot.
  const Buffer<float> whole = upload(std::vector<float>(values.begin() + 1, values.end()));
  const Buffer<float> shifted = upload(values);
  Buffer<double> totals(runtime, 2, stream);
  ops::sum(runtime, whole.data(), count, totals.data(), stream);
  ops::sum(runtime, shifted.data() + 1, count, totals.data() + 1, stream);
  const std::vector<double> sums = download(totals.data(), 2);
  EXPECT_EQ(sums[0], sums[1]);
  const double exact = std::accumulate(values.begin() + 1, values.end(), 0.0);
  EXPECT_NEAR(sums[0], exact, std::abs(exact) * 1e-12 + 1e-3);
}

TEST_F(Ops, FillsAndVerifiesInStrides) {
  constexpr std::size_t count = 1003;
  Buffer<std::int32_t> data = upload(std::vector<std::int32_t>(count, 1));
  Buffer<ops::Tally> tally = upload(std::vector<ops::Tally>(1));
  ops::fill_strided(runtime, data.data(), count, 5, 10, stream);
  ops::verify(runtime, data.data(), count, 5, 10, tally.data(), stream);
  ops::Tally found = download(tally.data(), 1)[0];
  EXPECT_EQ(found.verified, 101U);
  EXPECT_EQ(found.wrong, 0U);
  ops::verify(runtime, data.data(), count, 5, 1, tally.data(), stream);
  found = download(tally.data(), 1)[0];
  EXPECT_EQ(found.verified, 101U + count);
  EXPECT_EQ(found.wrong, count - 101);
  ops::verify(runtime, data.data() + 1, 9, 1, 1, tally.data(), stream);
  found = download(tally.data(), 1)[0];
  EXPECT_EQ(found.verified, 101U + count + 9);
  EXPECT_EQ(found.wrong, count - 101);
  EXPECT_THROW(ops::verify(runtime, data.data(), count, 5, 0, tally.data(), stream), Error);
  EXPECT_THROW(ops::fill_strided(runtime, data.data(), count, 5, 0, stream), Error);
}

template <typename T>
device::Status assert_one(T value) {
  Simulated machine;
  const device::Stream stream = machine.default_stream();
  Buffer<T> buffer(machine.runtime(), 1, stream);
  device::check(machine.device().copy(buffer.data(), &value, sizeof(T), device::CopyKind::host_to_device, stream),
                "copy");
  ops::assert_async(machine.runtime(), buffer.data(), 1, stream);
  return machine.device().synchronize(stream);
}

TEST_F(Ops, AssertsThatAValueIsNotZero) {
  EXPECT_EQ(assert_one(std::int64_t{1}), device::Status::success);
  EXPECT_EQ(assert_one(-0.5F), device::Status::success);
  EXPECT_EQ(assert_one(true), device::Status::success);
  EXPECT_EQ(assert_one(std::complex<float>(0.0F, 1.0F)), device::Status::success);
  EXPECT_EQ(assert_one(std::int64_t{0}), device::Status::assertion);
  EXPECT_EQ(assert_one(0.0F), device::Status::assertion);
  EXPECT_EQ(assert_one(false), device::Status::assertion);
  EXPECT_EQ(assert_one(std::complex<float>()), device::Status::assertion);
}

TEST_F(Ops, AssertsAboutOneValueOnly) {
  const Buffer<float> data(runtime, 2, stream);
  for (const auto& [count, text] : {std::pair{0U, "Boolean value of Tensor with no values is ambiguous"},
                                    std::pair{2U, "Boolean value of Tensor with more than one value is ambiguous"}}) {
    try {
      ops::assert_async(runtime, data.data(), count, stream);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), text);
    }
  }
}

TEST_F(Ops, PicksRowsByIndex) {
  const Buffer<float> rows = upload(std::vector<float>{0, 1, 10, 11, 20, 21});
  const Buffer<std::int64_t> indices = upload(std::vector<std::int64_t>{2, -3, 1, -1});
  Buffer<float> out(runtime, 8, stream);
  ops::index(runtime, rows.data(), 3, 2, indices.data(), 4, out.data(), stream);
  EXPECT_EQ(download(out.data(), 8), (std::vector<float>{20, 21, 0, 1, 10, 11, 20, 21}));
}

TEST_F(Ops, AnIndexOutOfBoundsIsAnAssertion) {
  for (const std::int64_t index : {std::int64_t{3}, std::int64_t{-4}}) {
    Simulated other;
    Buffer<float> rows(other.runtime(), 3, other.default_stream());
    Buffer<std::int64_t> indices(other.runtime(), 1, other.default_stream());
    Buffer<float> out(other.runtime(), 1, other.default_stream());
    ops::fill(other.runtime(), rows.data(), 3, 1.0F, other.default_stream());
    ops::fill(other.runtime(), indices.data(), 1, index, other.default_stream());
    ops::index(other.runtime(), rows.data(), 3, 1, indices.data(), 1, out.data(), other.default_stream());
    EXPECT_EQ(other.device().synchronize(), device::Status::assertion) << index;
  }
}

// Known answers: the Random123 library's own test vectors for philox4x32-10.
TEST(Philox, KnownAnswers) {
  const auto words = [](std::uint64_t seed, std::uint64_t sequence, std::uint64_t position) {
    const device::kernels::PhiloxWords w = device::kernels::philox(seed, sequence, position);
    return std::vector<std::uint32_t>(std::begin(w.word), std::end(w.word));
  };
  EXPECT_EQ(words(0, 0, 0), (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words(~0ULL, ~0ULL, ~0ULL), (std::vector<std::uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88),
            (std::vector<std::uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

}  // namespace
}  // namespace gpucheck::tensor::test
