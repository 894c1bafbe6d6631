#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/distributions.hpp"
#include "device/kernels/support/philox_keys.hpp"
#include "device/kernels/support/unroll.hpp"
#include "device/values/kernel.hpp"

namespace gpucheck::device::kernels {

/// out[0..elements) drawn from a distribution, shared among the sequences as PyTorch's kernels share it: each draws
/// some values at a time, and they are written as many elements apart as there are sequences.
///
/// PyTorch has a thread for each sequence. Here an invocation has four neighbouring ones, since their values lie side
/// by side and are stored at once, and several invocations take turns with them, so that all multiprocessors are busy:
/// neither changes which number is written where. Launch with `invocations()`.
///
/// A distribution over `Value` says how values are drawn of four words (`draw`) and what is written for one
/// (`transform`).
template <typename Distribution>
struct Draw {
  using Value = typename Distribution::Value;
  static constexpr std::string_view name = Distribution::name;
  static constexpr std::uint32_t drawn_size = decltype(Distribution::draw({}))::size;
  static constexpr std::uint32_t neighbours = 4;
  static constexpr std::uint32_t most_turns = 4;
  Value* out;
  std::uint32_t elements;   ///< at most 2^31, so that 32 bits hold the place of every element, and of those beyond
  std::uint32_t sequences;  ///< a multiple of `neighbours`
  PhiloxStart random;
  Distribution distribution;
  PhiloxKeys keys{random.seed};  ///< of a launch outside of graphs: better than 20 registers of each thread

  [[nodiscard]] std::size_t invocations() const {
    const std::uint32_t rounds = (elements - 1) / (drawn_size * sequences) + 1;
    return std::size_t{sequences / neighbours} * (rounds < most_turns ? rounds : most_turns);
  }
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    return {writes(out, elements * sizeof(Value)), random.seed_access(), random.offset_access()};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const auto index = static_cast<std::uint32_t>(thread.index);
    const auto count = static_cast<std::uint32_t>(thread.count);
    if (random.seed_at == nullptr) {
      draw(index, count, keys);
    } else {
      draw(index, count, PhiloxKeys(random.key()));
    }
  }

 private:
  /// What is stored at once.
  struct alignas(sizeof(Value) * neighbours < 16 ? sizeof(Value) * neighbours : 16) Neighbours {
    Value values[neighbours];
  };

  GPUCHECK_HOST_DEVICE void draw(std::uint32_t index, std::uint32_t count, const PhiloxKeys& its_keys) const {
    const std::uint32_t groups = sequences / neighbours;
    const std::uint32_t turns = count / groups;
    const std::uint32_t turn = index / groups;
    const std::uint32_t sequence = (index - turn * groups) * neighbours;
    // Where a round begins whose every store is whole: one comparison a round, none for each element.
    const std::uint32_t reach = (drawn_size - 1) * sequences + neighbours;
    const bool aligned = reinterpret_cast<std::uintptr_t>(out) % alignof(Neighbours) == 0;
    const std::uint32_t end_of_whole = aligned && elements >= reach ? elements - reach + 1 : 0;
    std::uint64_t position = random.position() + turn;
    for (std::uint32_t first = sequence + turn * drawn_size * sequences; first < elements;
         first += turns * drawn_size * sequences, position += turns) {
      Neighbours drawn[drawn_size];
      GPUCHECK_UNROLL
      for (std::uint32_t neighbour = 0; neighbour < neighbours; ++neighbour) {
        const auto one = Distribution::draw(philox(its_keys, sequence + neighbour, position));
        GPUCHECK_UNROLL
        for (std::uint32_t lane = 0; lane < drawn_size; ++lane) {
          drawn[lane].values[neighbour] = distribution.transform(one.values[lane]);
        }
      }
      if (first < end_of_whole) {
        for (std::uint32_t lane = 0; lane < drawn_size; ++lane) store(drawn[lane], first + lane * sequences);
      } else {
        for (std::uint32_t lane = 0; lane < drawn_size; ++lane) store_what_fits(drawn[lane], first + lane * sequences);
      }
    }
  }
  GPUCHECK_HOST_DEVICE void store(const Neighbours& drawn, std::uint32_t first) const {
#if defined(__CUDA_ARCH__)
    *reinterpret_cast<Neighbours*>(out + first) = drawn;
#else
    std::copy_n(drawn.values, neighbours, out + first);
#endif
  }
  GPUCHECK_HOST_DEVICE void store_what_fits(const Neighbours& drawn, std::uint32_t first) const {
    for (std::uint32_t neighbour = 0; neighbour < neighbours; ++neighbour) {
      if (first + neighbour < elements) out[first + neighbour] = drawn.values[neighbour];
    }
  }
};

}  // namespace gpucheck::device::kernels
