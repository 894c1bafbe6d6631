#pragma once

#include <array>
#include <string_view>

#include "device/kernels/support/distributions.hpp"
#include "device/kernels/support/family.hpp"
#include "device/kernels/support/poisson.hpp"
#include "device/values/kernel.hpp"

/// Random numbers that depend on an input for each, drawn as PyTorch draws them.
namespace gpucheck::device::kernels {

/// out[i] = 1 with probability probabilities[i], else 0: one invocation for each four, each
/// with a sequence of its own.
template <typename T, typename P>
struct BernoulliEach {
  using Real = Computed<T>;
  static constexpr std::string_view name = "bernoulli_each";
  static constexpr std::size_t share = 4;
  const P* probabilities;
  T* out;
  std::size_t elements;
  PhiloxStart random;
  [[nodiscard]] std::array<MemoryAccess, 4> accesses(std::size_t) const {
    return {reads(probabilities, elements * sizeof(P)), writes(out, elements * sizeof(T)), random.seed_access(),
            random.offset_access()};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const PhiloxWords words = philox(random.key(), thread.index, random.position());
    for (std::size_t lane = 0; lane < share; ++lane) {
      const std::size_t at = thread.index * share + lane;
      if (at >= elements) return;
      const Real probability = convert_to<Real>(probabilities[at]);
      if (!GPUCHECK_DEVICE_ASSERT(thread, 0 <= probability && probability <= 1)) return;
      out[at] = convert_to<T>(convert_to<Real>(uniform_of(words.word[lane])) <= probability ? 1 : 0);
    }
  }
};

/// out[i] = a number of the Poisson distribution with mean means[i], from the i-th sequence.
template <typename T>
struct Poisson {
  static constexpr std::string_view name = "poisson";
  const T* means;
  T* out;
  PhiloxStart random;
  [[nodiscard]] std::array<MemoryAccess, 4> accesses(std::size_t count) const {
    return {reads(means, count * sizeof(T)), writes(out, count * sizeof(T)), random.seed_access(),
            random.offset_access()};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const double mean = convert_to<double>(means[thread.index]);
    if (!GPUCHECK_DEVICE_ASSERT(thread, mean >= 0 && "invalid Poisson rate, expected rate to be non-negative")) return;
    out[thread.index] = convert_to<T>(poisson_of(random.key(), thread.index, random.position(), mean));
  }
};

/// out[i] = in[i] / kept where a number drawn is below `kept`, else 0, and which it is in `mask`.
/// An invocation has `width` elements side by side, or, where that is 1, four that lie as many
/// apart as there are sequences.
template <typename T>
struct Dropout {
  using Real = Computed<T>;
  static constexpr std::string_view name = "dropout";
  const T* in;
  T* out;
  bool* mask;
  std::size_t elements;
  unsigned width;
  Real kept;
  Real scale;
  PhiloxStart random;
  [[nodiscard]] std::array<MemoryAccess, 5> accesses(std::size_t) const {
    return {reads(in, elements * sizeof(T)), writes(out, elements * sizeof(T)), writes(mask, elements * sizeof(bool)),
            random.seed_access(), random.offset_access()};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::uint64_t key = random.key();
    std::uint64_t position = random.position();
    const std::size_t lane_step = width == 1 ? thread.count : 1;
    const std::size_t lanes = width == 1 ? 4 : width;
    for (std::size_t first = thread.index * width; first < elements; first += thread.count * lanes) {
      PhiloxWords words{};
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (lane % 4 == 0) words = philox(key, thread.index, position++);
        const std::size_t at = first + lane * lane_step;
        if (at >= elements) break;
        const bool keep = convert_to<Real>(uniform_of(words.word[lane % 4])) < kept;
        out[at] = convert_to<T>(convert_to<Real>(in[at]) * (keep ? Real{1} : Real{0}) * scale);
        mask[at] = keep;
      }
    }
  }
};

/// out[i] = in[i] where that is above 0, else in[i] times a slope drawn from [lower, upper).
/// `slopes` gets the factors.
template <typename T>
struct RandomizedRelu {
  using Real = Computed<T>;
  static constexpr std::string_view name = "randomized_relu";
  const T* in;
  T* out;
  T* slopes;
  std::size_t elements;
  double lower;
  double range;
  PhiloxStart random;
  [[nodiscard]] std::array<MemoryAccess, 5> accesses(std::size_t) const {
    return {reads(in, elements * sizeof(T)), writes(out, elements * sizeof(T)), writes(slopes, elements * sizeof(T)),
            random.seed_access(), random.offset_access()};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::uint64_t key = random.key();
    std::uint64_t position = random.position();
    for (std::size_t first = thread.index; first < elements; ++position) {
      const auto drawn = draw_uniform<Real>(philox(key, thread.index, position));
      for (std::size_t lane = 0; lane < drawn.size; ++lane, first += thread.count) {
        if (first < elements) rectify(first, convert_to<T>(drawn.values[lane]));
      }
    }
  }
  GPUCHECK_HOST_DEVICE void rectify(std::size_t at, T uniform) const {
    const Real value = convert_to<Real>(in[at]);
    if (value <= 0) {
      const T slope = convert_to<T>(multiply_add(convert_to<double>(uniform), range, lower));
      out[at] = convert_to<T>(value * convert_to<Real>(slope));
      slopes[at] = slope;
    } else {
      out[at] = in[at];
      slopes[at] = convert_to<T>(1);
    }
  }
};

namespace families {
using random_inputs =
    Family<BernoulliEach<float, float>, BernoulliEach<double, double>, BernoulliEach<Half, Half>,
           BernoulliEach<BFloat16, BFloat16>, BernoulliEach<std::uint8_t, float>, BernoulliEach<std::int8_t, float>,
           BernoulliEach<std::int16_t, float>, BernoulliEach<std::int32_t, float>, BernoulliEach<std::int64_t, float>,
           BernoulliEach<bool, float>, Poisson<float>, Poisson<double>, Poisson<Half>, Poisson<BFloat16>,
           Dropout<float>, Dropout<double>, Dropout<Half>, Dropout<BFloat16>, RandomizedRelu<float>,
           RandomizedRelu<double>, RandomizedRelu<Half>, RandomizedRelu<BFloat16>>;
}
template <typename Functor>
requires(families::random_inputs::has<Functor>) struct FamilyOf<Functor> : families::random_inputs {
};

}  // namespace gpucheck::device::kernels
