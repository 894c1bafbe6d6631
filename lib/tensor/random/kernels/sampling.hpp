#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/distributions.hpp"
#include "device/kernels/support/family.hpp"
#include "device/kernels/support/philox.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/kernels/support/warp_sum.hpp"
#include "device/values/kernel.hpp"

/// Drawing category numbers by weights. Sums are formed in the order in which PyTorch's kernels
/// form them, since a category's share ends where a rounded sum says so.
namespace gpucheck::device::kernels {

/// Each row of weights divided by its sum; rows that add up to nothing stay. One block for each
/// row, of as many threads as the row has weights, in whole warps, and at most 1024.
template <typename T>
struct NormalizeRows {
  static constexpr std::string_view name = "normalize_rows";
  static constexpr unsigned phases = 4;
  const T* weights;
  std::size_t rows;
  std::size_t columns;
  T* out;

  [[nodiscard]] unsigned threads() const {
    constexpr std::size_t most = 1024;
    const std::size_t whole_warps = (columns + detail::warp_threads - 1) / detail::warp_threads * detail::warp_threads;
    return static_cast<unsigned>(whole_warps < most ? whole_warps : most);
  }
  [[nodiscard]] std::size_t count() const { return rows * threads(); }
  [[nodiscard]] BlockShape block() const { return {threads(), (threads() + detail::warp_threads) * sizeof(T)}; }

  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(weights, rows * columns * sizeof(T)), writes(out, rows * columns * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    T* const sums = static_cast<T*>(thread.shared);
    T* const warp_sums = sums + thread.threads;
    const T* const row = weights + thread.block * columns;
    const unsigned warp = thread.index / detail::warp_threads;
    if (phase == 0) {
      T sum{0};
      for (std::size_t at = thread.index; at < columns; at += thread.threads) {
        const T weight = row[at];
        if (!GPUCHECK_DEVICE_ASSERT(thread, !(weight < T{0}) && "probability is negative")) return;
        sum += weight;
      }
      sums[thread.index] = sum;
    } else if (phase == 1) {
      if (thread.index % detail::warp_threads == 0) {
        warp_sums[warp] = detail::sum_of_warp(sums + thread.index);
      }
    } else if (phase == 2) {
      if (thread.index != 0) return;
      for (unsigned i = thread.threads / detail::warp_threads; i < detail::warp_threads; ++i) warp_sums[i] = T{0};
      static_cast<void>(detail::sum_of_warp(warp_sums));
    } else {
      const T sum = warp_sums[0];
      for (std::size_t at = thread.index; at < columns; at += thread.threads) {
        out[thread.block * columns + at] = sum > T{0} ? row[at] / sum : row[at];
      }
    }
  }
};

/// How a running sum is cut: tiles of blocks of threads with some items each.
struct ScanShape {
  static constexpr unsigned threads = 128;
  static constexpr unsigned items = 15;
  static constexpr std::size_t tile = std::size_t{threads} * items;
  static constexpr std::size_t tiles(std::size_t elements) { return (elements + tile - 1) / tile; }
};

/// Running sums of one row, by tiles, in the order of CUB's scan: within a thread, then a warp,
/// then a block. With `sums_of_tiles` alone each tile's sum; else out[i] = in[0] + ... + in[i],
/// where before_tile[t] is what comes before tile t. Launch with `count` and `block`.
template <typename T>
struct ScanTiles {
  static constexpr std::string_view name = "scan_tiles";
  static constexpr unsigned phases = 3;
  const T* in;
  std::size_t elements;
  T* sums_of_tiles;
  const T* before_tile;
  T* out;

  [[nodiscard]] std::size_t count() const { return ScanShape::tiles(elements) * ScanShape::threads; }
  [[nodiscard]] static BlockShape block() { return {ScanShape::threads, ScanShape::threads * sizeof(T)}; }

  [[nodiscard]] std::array<MemoryAccess, 4> accesses(std::size_t) const {
    const std::size_t tiles = ScanShape::tiles(elements);
    const bool only_sums = sums_of_tiles != nullptr;
    return {reads(in, elements * sizeof(T)), writes(sums_of_tiles, only_sums ? tiles * sizeof(T) : 0),
            reads(before_tile, only_sums ? 0 : tiles * sizeof(T)), writes(out, only_sums ? 0 : elements * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    using detail::warp_threads;
    T* const inclusive = static_cast<T*>(thread.shared);
    const std::size_t first = thread.block * ScanShape::tile + std::size_t{thread.index} * ScanShape::items;
    if (phase == 0) {
      T sum = at(first);
      for (unsigned i = 1; i < ScanShape::items; ++i) sum += at(first + i);
      inclusive[thread.index] = sum;
    } else if (phase == 1) {
      if (thread.index % warp_threads != 0) return;
      T* const warp = inclusive + thread.index;
      for (unsigned offset = 1; offset < warp_threads; offset *= 2) {
        for (unsigned lane = warp_threads - 1; lane >= offset; --lane) warp[lane] = warp[lane - offset] + warp[lane];
      }
    } else if (sums_of_tiles != nullptr) {
      if (thread.index == 0) sums_of_tiles[thread.block] = warps_before(inclusive, ScanShape::threads / warp_threads);
    } else {
      const unsigned lane = thread.index % warp_threads;
      const unsigned warp = thread.index / warp_threads;
      T before = lane == 0 ? T{0} : inclusive[thread.index - 1];
      if (warp != 0) {
        const T warps = warps_before(inclusive, warp);
        before = lane == 0 ? warps : warps + before;
      }
      if (thread.block != 0) {
        before = thread.index == 0 ? before_tile[thread.block] : before_tile[thread.block] + before;
      }
      const bool alone = thread.block == 0 && thread.index == 0;
      for (unsigned i = 0; i < ScanShape::items && first + i < elements; ++i) {
        before = alone && i == 0 ? in[first] : before + in[first + i];
        out[first + i] = before;
      }
    }
  }
  /// Beyond the end stands what begins the tile; no sum that is kept has it.
  GPUCHECK_HOST_DEVICE T at(std::size_t index) const {
    return index < elements ? in[index] : in[index / ScanShape::tile * ScanShape::tile];
  }
  /// The sum of the first `warps` warps of the block.
  GPUCHECK_HOST_DEVICE static T warps_before(const T* inclusive, unsigned warps) {
    T sum = inclusive[detail::warp_threads - 1];
    for (unsigned warp = 1; warp < warps; ++warp) sum += inclusive[(warp + 1) * detail::warp_threads - 1];
    return sum;
  }
};

/// before[t] = the sum of all tiles before t, as CUB's scan forms it where none of them knows
/// what came before itself: from t back in windows of a warp's size, each added up in a tree.
/// One invocation for each tile.
template <typename T>
struct SumTilesBefore {
  static constexpr std::string_view name = "sum_tiles_before";
  const T* sums;
  T* before;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t count) const {
    return {reads(sums, (count - 1) * sizeof(T)), writes(before, count * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    using detail::warp_threads;
    T sum{0};
    for (std::size_t end = thread.index; end > 0; end -= end < warp_threads ? end : warp_threads) {
      const unsigned size = end < warp_threads ? static_cast<unsigned>(end) : warp_threads;
      T window[warp_threads];
      for (unsigned i = 0; i < size; ++i) window[i] = sums[end - 1 - i];
      for (unsigned offset = 1; offset < warp_threads; offset *= 2) {
        for (unsigned i = 0; i + offset < size; ++i) window[i] += window[i + offset];
      }
      sum = end == thread.index ? window[0] : window[0] + sum;
    }
    before[thread.index] = sum;
  }
};

/// Draws category numbers with replacement: out[row * samples + s] = the first category of the
/// row whose running share reaches a random number; one of share 0 is never drawn. The
/// invocations of a row are padded to whole blocks of PyTorch's.
template <typename T>
struct DrawCategories {
  static constexpr std::string_view name = "multinomial";
  static constexpr std::size_t block_samples = 128;
  static constexpr std::size_t max_rows_at_once = 65535;
  const T* shares;
  const T* running;
  std::size_t rows;
  std::size_t categories;
  std::int64_t* out;
  std::size_t samples;
  PhiloxStart random;

  [[nodiscard]] std::size_t row_invocations() const {
    return (samples + block_samples - 1) / block_samples * block_samples;
  }
  [[nodiscard]] std::size_t count() const { return rows * row_invocations(); }

  [[nodiscard]] std::array<MemoryAccess, 5> accesses(std::size_t) const {
    const std::size_t bytes = rows * categories * sizeof(T);
    return {reads(shares, bytes), reads(running, bytes), writes(out, rows * samples * sizeof(*out)),
            random.seed_access(), random.offset_access()};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t in_row = (samples + block_samples - 1) / block_samples * block_samples;
    const std::size_t row = thread.index / in_row;
    const std::size_t sample = thread.index - row * in_row;
    if (sample >= samples) return;
    const std::size_t turn = row / max_rows_at_once;
    const std::size_t sequence = (row - turn * max_rows_at_once) * in_row + sample;
    const T wanted = static_cast<T>(uniform_of(philox(random.key(), sequence, random.position() + turn).word[0]));
    const T* const sums = running + row * categories;
    if (!GPUCHECK_DEVICE_ASSERT(thread, sums[categories - 1] > T{0} && "sum of probabilities")) return;
    std::size_t low = 0;
    std::size_t high = categories;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (sums[middle] < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == categories) low = categories - 1;
    while (low > 0 && shares[row * categories + low] == T{0}) --low;
    out[row * samples + sample] = static_cast<std::int64_t>(low);
  }
};

/// Counts weights that are drawn from without replacement: wrong += those that are none,
/// positive[row] += those above 0. One invocation for each part of a row.
template <typename T>
struct CheckWeights {
  static constexpr std::string_view name = "check_weights";
  static constexpr std::size_t part = 1024;
  const T* weights;
  std::size_t rows;
  std::size_t columns;
  std::uint64_t* wrong;
  std::uint64_t* positive;
  [[nodiscard]] std::size_t row_parts() const { return (columns + part - 1) / part; }
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    return {reads(weights, rows * columns * sizeof(T)), updates(wrong, sizeof(*wrong)),
            updates(positive, rows * sizeof(*positive))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t parts = (columns + part - 1) / part;
    const std::size_t row = thread.index / parts;
    const std::size_t first = (thread.index - row * parts) * part;
    std::uint64_t none = 0;
    std::uint64_t above_zero = 0;
    for (std::size_t i = first; i < first + part && i < columns; ++i) {
      const T weight = weights[row * columns + i];
      if (!(weight >= T{0}) || weight - weight != T{0}) ++none;
      if (weight > T{0}) ++above_zero;
    }
    if (none != 0) thread.atomic_add(wrong, none);
    if (above_zero != 0) thread.atomic_add(positive + row, above_zero);
  }
};

/// Device-side asserts on what CheckWeights found. Launch with a count of the rows.
struct RequireWeights {
  static constexpr std::string_view name = "require_weights";
  const std::uint64_t* wrong;
  const std::uint64_t* positive;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t count) const {
    return {reads(wrong, sizeof(*wrong)), reads(positive, count * sizeof(*positive))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const bool weights = *wrong == 0;
    if (!GPUCHECK_DEVICE_ASSERT(thread, weights && "probability tensor contains either `inf`, `nan` or element < 0")) {
      return;
    }
    const bool any = positive[thread.index] != 0;
    static_cast<void>(
        GPUCHECK_DEVICE_ASSERT(thread, any && "invalid multinomial distribution (sum of probabilities <= 0)"));
  }
};

/// values[i] = weights[i] / values[i]
template <typename T>
struct DivideWeights {
  static constexpr std::string_view name = "divide_weights";
  const T* weights;
  T* values;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t count) const {
    return {reads(weights, count * sizeof(T)), updates(values, count * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    values[thread.index] = weights[thread.index] / values[thread.index];
  }
};

/// out[row] = where the row's greatest value stands; the first of equal ones. One block for
/// each row.
template <typename T>
struct FindGreatest {
  static constexpr std::string_view name = "find_greatest";
  static constexpr unsigned phases = 2;
  static constexpr unsigned threads = 256;
  const T* values;
  std::size_t rows;
  std::size_t columns;
  std::int64_t* out;
  [[nodiscard]] std::size_t count() const { return rows * threads; }
  [[nodiscard]] static BlockShape block() { return {threads, threads * sizeof(std::size_t)}; }
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(values, rows * columns * sizeof(T)), writes(out, rows * sizeof(*out))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    auto* const places = static_cast<std::size_t*>(thread.shared);
    const T* const row = values + thread.block * columns;
    if (phase == 0) {
      std::size_t greatest = thread.index;  // beyond the row where it is short
      for (std::size_t i = thread.index; i < columns; i += thread.threads) {
        if (row[i] > row[greatest]) greatest = i;
      }
      places[thread.index] = greatest;
    } else if (thread.index == 0) {
      std::size_t greatest = places[0];
      for (std::size_t i = 1; i < thread.threads && i < columns; ++i) {
        const std::size_t place = places[i];
        if (row[place] > row[greatest] || (row[place] == row[greatest] && place < greatest)) greatest = place;
      }
      out[thread.block] = static_cast<std::int64_t>(greatest);
    }
  }
};

namespace families {
using sampling = Family<NormalizeRows<float>, NormalizeRows<double>, ScanTiles<float>, ScanTiles<double>,
                        SumTilesBefore<float>, SumTilesBefore<double>, DrawCategories<float>, DrawCategories<double>,
                        CheckWeights<float>, CheckWeights<double>, RequireWeights, DivideWeights<float>,
                        DivideWeights<double>, FindGreatest<float>, FindGreatest<double>>;
}
template <typename Functor>
requires(families::sampling::has<Functor>) struct FamilyOf<Functor> : families::sampling {
};

}  // namespace gpucheck::device::kernels
