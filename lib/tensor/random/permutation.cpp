#include "tensor/random/permutation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "tensor/ops.hpp"
#include "tensor/random/detail/launch.hpp"
#include "tensor/random/detail/sort.hpp"
#include "tensor/random/integers.hpp"
#include "tensor/random/kernels/sorting.hpp"

namespace gpucheck::tensor::ops {
namespace {

/// Bits of the keys of which, with a probability of 0.9, no two are equal.
int key_bits(std::size_t count) {
  const auto n = static_cast<double>(count);
  return std::min(64, static_cast<int>(std::ceil(std::log2(n - (6 * n * n + 1) / (std::log(0.9) * 12)))));
}

/// Sorts the numbers by random keys, and shuffles those whose keys are equal.
template <typename Key>
Buffer<std::int64_t> permute(Generator& generator, std::size_t count, int bits) {
  using Signed = std::make_signed_t<Key>;
  constexpr int all_bits = std::numeric_limits<Key>::digits;
  runtime::Runtime& runtime = generator.runtime();
  const device::Stream stream = runtime.current_stream();
  detail::KeyedValues<Key> pairs{Buffer<Key>(runtime, count, stream), Buffer<std::int64_t>(runtime, count, stream)};
  iota(runtime, pairs.values.data(), count, std::int64_t{0}, stream);
  random(generator, reinterpret_cast<Signed*>(pairs.keys.data()), count, std::numeric_limits<Signed>::min(),
         std::numeric_limits<Signed>::max());
  detail::sort(runtime, pairs, bits, bits == all_bits);
  const Key mask = bits == all_bits ? ~Key{0} : (Key{1} << bits) - 1;
  const device::kernels::ShuffleEqualKeys<Key> shuffle{pairs.keys.data(), pairs.values.data(), mask,
                                                       generator.take(count)};
  detail::launch(runtime, shuffle, count);
  return std::move(pairs.values);
}

}  // namespace

Buffer<std::int64_t> randperm(Generator& generator, std::size_t count) {
  if (count == 0) return {};
  const int bits = key_bits(count);
  return bits <= 32 ? permute<std::uint32_t>(generator, count, bits) : permute<std::uint64_t>(generator, count, bits);
}

}  // namespace gpucheck::tensor::ops
