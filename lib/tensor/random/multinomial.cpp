#include "tensor/random/multinomial.hpp"

#include "base/error.hpp"
#include "base/rounding.hpp"
#include "tensor/ops.hpp"
#include "tensor/random/detail/launch.hpp"
#include "tensor/random/detail/sort.hpp"
#include "tensor/random/kernels/sampling.hpp"
#include "tensor/random/kernels/sorting.hpp"

namespace gpucheck::tensor::ops {
namespace {

namespace kernels = device::kernels;

/// Running sums of one row.
template <typename T>
void accumulate(runtime::Runtime& runtime, const T* in, std::size_t count, T* out) {
  const std::size_t tiles = kernels::ScanShape::tiles(count);
  Buffer<T> sums(runtime, tiles, runtime.current_stream());
  Buffer<T> before(runtime, tiles, runtime.current_stream());
  const kernels::ScanTiles<T> add_up{in, count, sums.data(), nullptr, nullptr};
  detail::launch_blocks(runtime, add_up, add_up.count());
  detail::launch(runtime, kernels::SumTilesBefore<T>{sums.data(), before.data()}, tiles);
  const kernels::ScanTiles<T> scan{in, count, nullptr, before.data(), out};
  detail::launch_blocks(runtime, scan, scan.count());
}

template <typename T>
void draw_many(Generator& generator, const Weights<T>& weights, std::int64_t* out, std::size_t samples) {
  runtime::Runtime& runtime = generator.runtime();
  const std::size_t elements = weights.rows * weights.categories;
  Buffer<T> shares(runtime, elements, runtime.current_stream());
  Buffer<T> running(runtime, elements, runtime.current_stream());
  const kernels::NormalizeRows<T> normalize{weights.data, weights.rows, weights.categories, shares.data()};
  detail::launch_blocks(runtime, normalize, normalize.count());
  for (std::size_t row = 0; row < weights.rows; ++row) {
    accumulate(runtime, shares.data() + row * weights.categories, weights.categories,
               running.data() + row * weights.categories);
  }
  using Draw = kernels::DrawCategories<T>;
  const std::size_t turns = divide_up(weights.rows, Draw::max_rows_at_once);
  const Draw draw{shares.data(), running.data(),           weights.rows, weights.categories, out,
                  samples,       generator.take(turns * 4)};
  detail::launch(runtime, draw, draw.count());
}

/// Asserts on the device, as PyTorch does: nobody waits, so that it can be captured.
template <typename T>
void require_weights(runtime::Runtime& runtime, const Weights<T>& weights) {
  const device::Stream stream = runtime.current_stream();
  Buffer<std::uint64_t> counts(runtime, 1 + weights.rows, stream);
  device::check(runtime.device().fill(counts.data(), 0, counts.size_bytes(), stream), "fill");
  const kernels::CheckWeights<T> check{weights.data, weights.rows, weights.categories, counts.data(),
                                       counts.data() + 1};
  detail::launch(runtime, check, weights.rows * check.row_parts());
  detail::launch(runtime, kernels::RequireWeights{counts.data(), counts.data() + 1}, weights.rows);
}

/// The categories of the `samples` greatest values of a row, from the greatest on.
template <typename T>
void take_greatest(runtime::Runtime& runtime, const T* values, std::size_t categories, std::int64_t* out,
                   std::size_t samples) {
  using Key = typename kernels::DescendingKeys<T>::Key;
  const device::Stream stream = runtime.current_stream();
  detail::KeyedValues<Key> pairs{Buffer<Key>(runtime, categories, stream),
                                 Buffer<std::int64_t>(runtime, categories, stream)};
  detail::launch(runtime, kernels::DescendingKeys<T>{values, pairs.keys.data()}, categories);
  iota(runtime, pairs.values.data(), categories, std::int64_t{0}, stream);
  detail::sort(runtime, pairs, sizeof(Key) * 8, false);
  device::check(runtime.device().copy(out, pairs.values.data(), samples * sizeof(*out),
                                      device::CopyKind::device_to_device, stream),
                "copy");
}

/// Each weight over a number of the exponential distribution: the greatest quotients win. One
/// sample is drawn like this with replacement too.
template <typename T>
void draw_without_replacement(Generator& generator, const Weights<T>& weights, std::int64_t* out, std::size_t samples) {
  runtime::Runtime& runtime = generator.runtime();
  require_weights(runtime, weights);
  const std::size_t elements = weights.rows * weights.categories;
  Buffer<T> values(runtime, elements, runtime.current_stream());
  exponential(generator, values.data(), elements);
  detail::launch(runtime, kernels::DivideWeights<T>{weights.data, values.data()}, elements);
  if (samples == 1) {
    const kernels::FindGreatest<T> find{values.data(), weights.rows, weights.categories, out};
    return detail::launch_blocks(runtime, find, find.count());
  }
  for (std::size_t row = 0; row < weights.rows; ++row) {
    take_greatest(runtime, values.data() + row * weights.categories, weights.categories, out + row * samples, samples);
  }
}

}  // namespace

template <typename T>
void multinomial(Generator& generator, const Weights<T>& weights, std::int64_t* out, std::size_t samples,
                 bool replacement) {
  constexpr std::size_t max_categories = std::size_t{1} << 24;
  if (samples == 0) throw Error("cannot sample n_sample <= 0 samples");
  if (!replacement && samples > weights.categories) {
    throw Error("cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  }
  if (weights.categories > max_categories) throw Error("number of categories cannot exceed 2^24");
  if (weights.categories == 0) throw Error("There is no category to draw from. Give at least one weight.");
  if (weights.rows == 0) return;
  if (replacement && samples > 1) return draw_many(generator, weights, out, samples);
  draw_without_replacement(generator, weights, out, samples);
}

template void multinomial(Generator&, const Weights<float>&, std::int64_t*, std::size_t, bool);
template void multinomial(Generator&, const Weights<double>&, std::int64_t*, std::size_t, bool);

}  // namespace gpucheck::tensor::ops
