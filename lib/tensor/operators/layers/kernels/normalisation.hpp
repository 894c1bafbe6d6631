#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "tensor/core/elements.hpp"

namespace gpucheck::device::kernels {

/// Mean and inverse deviation of each channel of all parts from those of the parts, which have as many elements each:
/// in turn, each part is added to those before it (Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm
/// for computing sample variances", 1979). One invocation for each channel.
struct GatherStatistics {
  static constexpr std::string_view name = "batch_norm_gather_stats";
  const float* means;    ///< parts by channels
  const float* inverse;  ///< the same
  float* mean;
  float* inverse_deviation;
  float* running_mean;  ///< null for none
  float* running_variance;
  std::int64_t parts;
  std::int64_t channels;
  float momentum;
  float epsilon;
  float count;  ///< of each part

  [[nodiscard]] std::size_t invocations() const { return static_cast<std::size_t>(channels); }
  [[nodiscard]] std::array<MemoryAccess, 6> accesses(std::size_t) const {
    const std::size_t read = static_cast<std::size_t>(parts * channels) * sizeof(float);
    const std::size_t written = static_cast<std::size_t>(channels) * sizeof(float);
    return {reads(means, read),
            reads(inverse, read),
            writes(mean, written),
            writes(inverse_deviation, written),
            updates(running_mean, running_mean != nullptr ? written : 0),
            updates(running_variance, running_variance != nullptr ? written : 0)};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const { gather(static_cast<std::int64_t>(thread.index)); }
  void run_whole_on_host() const {
    for (std::int64_t i = 0; i < channels; ++i) gather(i);
  }

 private:
  GPUCHECK_HOST_DEVICE void gather(std::int64_t channel) const {
    float average = 0;
    float squares = 0;  // of differences from the average
    float all = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      const float other = means[part * channels + channel];
      const float root = 1.0F / inverse[part * channels + channel];
      const float variance = (root * root - epsilon) * count;
      const float factor = 1.0F / (all + count);
      squares += variance + (average - other) * (average - other) * all * count * factor;
      average = all * factor * average + count * factor * other;
      all += count;
    }
    mean[channel] = average;
    inverse_deviation[channel] = 1.0F / sqrtf(squares / all + epsilon);
    if (running_mean != nullptr) running_mean[channel] += momentum * (average - running_mean[channel]);
    if (running_variance != nullptr) {
      const float unbiased = squares / (all - 1.0F);
      running_variance[channel] += momentum * (unbiased - running_variance[channel]);
    }
  }
};

namespace families {
using normalisation = Family<GatherStatistics>;
}
template <typename Functor>
requires(families::normalisation::has<Functor>) struct FamilyOf<Functor> : families::normalisation {
};

}  // namespace gpucheck::device::kernels
