#pragma once

#include "tensor/call/operator.hpp"

/// What layers of networks compute.
namespace gpucheck::tensor {

struct AvgPool2dNotation {
  static constexpr std::string_view text =
      "avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool "
      "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor";
};
using AvgPool2d = Operator<AvgPool2dNotation>;
/// The mean of each window of the last two dimensions. @throws Error with PyTorch's texts: for windows that do not fit,
/// and for sizes that 32 bits do not hold.
inline constexpr AvgPool2d avg_pool2d;

struct BatchNormGatherStatsNotation {
  static constexpr std::string_view text =
      "batch_norm_gather_stats(Tensor input, Tensor mean, Tensor invstd, Tensor? running_mean, Tensor? running_var, "
      "float momentum, float eps, int count) -> (Tensor, Tensor)";
};
using BatchNormGatherStats = Operator<BatchNormGatherStatsNotation>;
/// Mean and inverse deviation of all channels from those of several parts (a row of `mean` and `invstd` each) of
/// `count` elements a channel; the running ones are moved towards them where given.
inline constexpr BatchNormGatherStats batch_norm_gather_stats;

}  // namespace gpucheck::tensor
