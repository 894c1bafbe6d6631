#pragma once

#include "base/error.hpp"

/// What PyTorch raises as something else than a RuntimeError, which is `Error` here.
namespace gpucheck::tensor {

/// PyTorch's IndexError.
class IndexError : public Error {
 public:
  using Error::Error;
};

/// PyTorch's TypeError.
class TypeError : public Error {
 public:
  using Error::Error;
};

/// PyTorch's ValueError.
class ValueError : public Error {
 public:
  using Error::Error;
};

/// PyTorch's NotImplementedError: an operator that has no kernel for a type.
class NotImplementedError : public Error {
 public:
  using Error::Error;
};

}  // namespace gpucheck::tensor
