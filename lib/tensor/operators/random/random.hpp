#pragma once

#include "tensor/call/operator.hpp"

/// Random numbers in place: on a device the very ones that PyTorch draws on a GPU of as many multiprocessors, in the
/// order of the loop over the elements.
namespace gpucheck::tensor {

using BernoulliFloat =
    Operator<"bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)">;
/// 1 with this probability, else 0. @throws Error for a probability outside [0, 1] and a generator of another device.
inline constexpr BernoulliFloat bernoulli_;

}  // namespace gpucheck::tensor
