#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "device/sim/tests/fixture.hpp"
#include "device/values/shared_bytes.hpp"
#include "tensor/kernels/layout.hpp"
#include "tensor/kernels/strided.hpp"
#include "tensor/kernels/views.hpp"

// Kernels state which elements of memory with gaps they touch: each of them and no other.
namespace gpucheck::device::kernels {
namespace {

using Places = std::set<std::size_t>;

/// Elements of the array that an access touches.
template <typename T>
Places places_of(const MemoryAccess& access, const std::vector<T>& array) {
  const auto begin = reinterpret_cast<std::uintptr_t>(array.data());
  Places places;
  std::size_t parts = 10'000;
  for_each_shared(access, access_to({begin, begin + array.size() * sizeof(T)}), parts, [&](Stretch stretch) {
    for (std::uintptr_t at = stretch.begin; at < stretch.end; at += sizeof(T)) places.insert((at - begin) / sizeof(T));
    return true;
  });
  return places;
}

template <typename Functor>
void run_here(const Functor& functor, std::size_t count) {
  FailedAssertion failed;
  kernel<Functor>.run_on_host(&functor, count, {}, failed);
}

/// Elements that are something else after a launch.
template <typename Functor, typename T>
Places written(const Functor& functor, std::size_t count, std::vector<T>& array) {
  const std::vector<T> before = array;
  run_here(functor, count);
  Places places;
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (array[i] != before[i]) places.insert(i);
  }
  array = before;
  return places;
}

/// Elements of `in` that make a difference to what a launch writes to `out`.
template <typename Functor, typename In, typename Out>
Places read(const Functor& functor, std::size_t count, std::vector<In>& in, std::vector<Out>& out) {
  const std::vector<Out> before = out;
  run_here(functor, count);
  const std::vector<Out> usual = out;
  Places places;
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] += 1000;
    out = before;
    run_here(functor, count);
    in[i] -= 1000;
    if (out != usual) places.insert(i);
  }
  out = before;
  return places;
}

template <typename T>
std::vector<T> counted(std::size_t count) {
  std::vector<T> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(static_cast<T>(i + 1));
  return numbers;
}

TEST(DeclaredPatterns, OfSamplesAreTheSamples) {
  std::vector<float> data(20, 7);
  for (const std::size_t elements : {1U, 3U, 4U, 13U}) {
    const FillStrided<float> fill{data.data(), elements, 3, 1};
    const std::size_t samples = (elements + 2) / 3;
    EXPECT_EQ(places_of(fill.accesses(samples)[0], data), written(fill, samples, data)) << elements;
    EXPECT_EQ(places_of(fill.accesses(samples)[0], data).size(), samples);
    std::vector<std::uint64_t> found(sizeof(Tally) / sizeof(std::uint64_t));
    const VerifyStrided<float> verify{data.data(), elements, 3, 7, reinterpret_cast<Tally*>(found.data())};
    EXPECT_EQ(places_of(verify.accesses(2)[0], data), read(verify, 2, data, found)) << elements;
  }
}

TEST(DeclaredPatterns, OfSamplesThatClaimAllAreTheWholeBlock) {
  std::vector<float> data(20, 7);
  const FillStrided<float> fill{data.data() + 2, 14, 3, 1, Claim::all};
  const VerifyStrided<float> verify{data.data() + 2, 14, 3, 1, nullptr, Claim::all};
  for (const MemoryAccess& access : {fill.accesses(5)[0], verify.accesses(5)[0]}) {
    EXPECT_EQ(access.address, data.data() + 2);
    EXPECT_EQ(access.bytes, 14 * sizeof(float));
    EXPECT_TRUE(access.repetitions.empty());
  }
}

TEST(DeclaredPatterns, OfAMatrixAreItsElements) {
  auto in = counted<std::int64_t>(30);
  std::vector<std::int64_t> out(6);
  const CopyStrided<std::int64_t> copy{in.data() + 1, 2, 9, 4, out.data()};
  EXPECT_EQ(places_of(copy.accesses(6)[0], in), (Places{1, 5, 10, 14, 19, 23}));
  EXPECT_EQ(places_of(copy.accesses(6)[0], in), read(copy, 6, in, out));
  EXPECT_EQ(places_of(copy.accesses(6)[1], out), written(copy, 6, out));
}

TEST(DeclaredPatterns, OfViewsAreTheirElements) {
  auto a = counted<float>(60);
  auto b = counted<float>(60);
  std::vector<float> out(60, -1);
  const View<const float> every_second{a.data() + 1, {.rank = 3, .sizes = {2, 3, 4}, .strides = {30, 10, 2}}};
  const View<const float> repeated{b.data(), {.rank = 3, .sizes = {2, 3, 4}, .strides = {0, 7, 1}}};
  const View<float> apart{out.data() + 2, {.rank = 3, .sizes = {2, 3, 4}, .strides = {1, 19, 4}}};
  const AddViews add{every_second, repeated, apart};
  EXPECT_EQ(places_of(add.accesses(24)[0], a), read(add, 24, a, out));
  EXPECT_EQ(places_of(add.accesses(24)[1], b), read(add, 24, b, out));
  EXPECT_EQ(places_of(add.accesses(24)[1], b).size(), 12U);
  EXPECT_EQ(places_of(add.accesses(24)[2], out), written(add, 24, out));
  EXPECT_EQ(places_of(add.accesses(24)[2], out).size(), 24U);

  const View<const float> right{b.data() + 3, {.rank = 3, .sizes = {2, 4, 2}, .strides = {29, 5, 3}}};
  const View<float> product{out.data(), {.rank = 3, .sizes = {2, 3, 2}, .strides = {25, 6, 2}}};
  const MultiplyMatrices multiply{every_second, right, product};
  EXPECT_EQ(places_of(multiply.accesses(12)[0], a), read(multiply, 12, a, out));
  EXPECT_EQ(places_of(multiply.accesses(12)[1], b), read(multiply, 12, b, out));
  EXPECT_EQ(places_of(multiply.accesses(12)[2], out), written(multiply, 12, out));
}

TEST(DeclaredPatterns, OfInterleavedViewsAreNoRace) {
  const sim::Fixture fixture;
  const Stream one = fixture.stream();
  const Stream other = fixture.stream();
  auto* const matrix = fixture.memory<float>(100 * 8);
  fixture.run(FillStrided<float>{matrix, 800, 2, 1}, 400, one);
  fixture.run(FillStrided<float>{matrix + 1, 799, 2, 1}, 400, other);
  fixture.synchronize(one);
  fixture.synchronize(other);
  const auto half = [&](std::size_t first) {
    return View<float>{matrix + first, {.rank = 2, .sizes = {100, 4}, .strides = {8, 1}}};
  };
  const auto double_half = [&](std::size_t first, Stream stream) {
    const View<float> view = half(first);
    fixture.run(AddViews{view.read_only(), view.read_only(), view}, 400, stream);
  };
  double_half(0, one);
  double_half(4, other);
  EXPECT_TRUE(fixture.driver().races().empty());
  double_half(3, other);
  EXPECT_EQ(fixture.driver().races().size(), 1U);
}

}  // namespace
}  // namespace gpucheck::device::kernels
