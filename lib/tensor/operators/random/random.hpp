#pragma once

#include "tensor/call/operator.hpp"
#include "tensor/core/errors.hpp"

/// Random numbers: on a device the very ones that PyTorch draws on a GPU of as many multiprocessors, in the order of
/// the loop over the elements; on the host from the Mersenne twister, as PyTorch draws them there without vector
/// instructions.
/// @throws Error with PyTorch's texts for parameters that make no distribution and for a generator of another device;
/// NotImplementedError for types that PyTorch does not draw.
namespace gpucheck::tensor {

struct BernoulliFloatNotation {
  static constexpr std::string_view text =
      "bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)";
};
using BernoulliFloat = Operator<BernoulliFloatNotation>;
/// 1 with this probability, else 0.
inline constexpr BernoulliFloat bernoulli_;
struct UniformInPlaceNotation {
  static constexpr std::string_view text =
      "uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!)";
};
using UniformInPlace = Operator<UniformInPlaceNotation>;
inline constexpr UniformInPlace uniform_;
struct NormalInPlaceNotation {
  static constexpr std::string_view text =
      "normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)";
};
using NormalInPlace = Operator<NormalInPlaceNotation>;
inline constexpr NormalInPlace normal_;
struct RandomFromNotation {
  static constexpr std::string_view text =
      "random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)";
};
using RandomFrom = Operator<RandomFromNotation>;
struct RandomDefaultNotation {
  static constexpr std::string_view text = "random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)";
};
using RandomDefault = Operator<RandomDefaultNotation>;
/// Whole numbers from `from` up to, but not, `to`; without it up to the greatest that the type holds.
inline constexpr Overloads<RandomFrom, RandomDefault> random_;

struct RandNotation {
  static constexpr std::string_view text =
      "rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
      "pin_memory=None) -> Tensor";
};
using Rand = Operator<RandNotation>;
struct RandnNotation {
  static constexpr std::string_view text =
      "randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
      "pin_memory=None) -> Tensor";
};
using Randn = Operator<RandnNotation>;
struct RandintLowNotation {
  static constexpr std::string_view text =
      "randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? "
      "device=None, bool? pin_memory=None) -> Tensor";
};
using RandintLow = Operator<RandintLowNotation>;
struct RandpermNotation {
  static constexpr std::string_view text =
      "randperm(SymInt n, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? "
      "pin_memory=None) -> Tensor";
};
using Randperm = Operator<RandpermNotation>;

[[nodiscard]] inline Tensor rand(const Sizes& sizes, DType dtype = DType::float32, Device device = host) {
  return Rand{}(sizes, dtype, std::nullopt, device);
}
[[nodiscard]] inline Tensor randn(const Sizes& sizes, DType dtype = DType::float32, Device device = host) {
  return Randn{}(sizes, dtype, std::nullopt, device);
}
/// Whole numbers in [low, high).
[[nodiscard]] inline Tensor randint(std::int64_t low, std::int64_t high, const Sizes& sizes, DType dtype = DType::int64,
                                    Device device = host) {
  return RandintLow{}(low, high, sizes, dtype, std::nullopt, device);
}
/// The numbers from 0 to n - 1 in no order, as int64.
[[nodiscard]] inline Tensor randperm(std::int64_t n, Device device = host) {
  return Randperm{}(n, DType::int64, std::nullopt, device);
}

}  // namespace gpucheck::tensor
