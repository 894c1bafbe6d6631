#include "tensor/random/detail/sort.hpp"

#include <algorithm>
#include <utility>

#include "base/rounding.hpp"
#include "tensor/random/detail/launch.hpp"
#include "tensor/random/kernels/sorting.hpp"

namespace gpucheck::tensor::ops::detail {

namespace kernels = device::kernels;
using runtime::Buffer;

template <typename Key>
void sort(runtime::Runtime& runtime, KeyedValues<Key>& pairs, int bits, bool is_signed) {
  constexpr std::size_t most_parts = 1024;
  constexpr std::size_t least_part = 64;
  const std::size_t count = pairs.keys.size();
  if (count == 0) return;
  const std::size_t part = std::max(least_part, divide_up(count, most_parts));
  const std::size_t parts = divide_up(count, part);
  const device::Stream stream = runtime.current_stream();
  Buffer<std::uint64_t> places(runtime, kernels::digit_values * parts, stream);
  KeyedValues<Key> moved{Buffer<Key>(runtime, count, stream), Buffer<std::int64_t>(runtime, count, stream)};
  const Key flip = is_signed ? Key{1} << (sizeof(Key) * 8 - 1) : Key{0};
  for (unsigned shift = 0; shift < static_cast<unsigned>(bits); shift += kernels::digit_bits) {
    const unsigned width = std::min(kernels::digit_bits, static_cast<unsigned>(bits) - shift);
    const kernels::Digit<Key> digit{pairs.keys.data(), count, part, shift, (Key{1} << width) - 1, flip};
    launch(runtime, kernels::CountDigits<Key>{digit, places.data()}, parts);
    launch_blocks(runtime, kernels::AccumulateCounts{places.data(), places.size()}, kernels::AccumulateCounts::threads);
    launch(runtime,
           kernels::MoveByDigit<Key>{digit, pairs.values.data(), places.data(), moved.keys.data(), moved.values.data()},
           parts);
    std::swap(pairs, moved);
  }
}

template void sort(runtime::Runtime&, KeyedValues<std::uint32_t>&, int, bool);
template void sort(runtime::Runtime&, KeyedValues<std::uint64_t>&, int, bool);

}  // namespace gpucheck::tensor::ops::detail
