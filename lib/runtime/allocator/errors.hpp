#pragma once

#include "base/error.hpp"

namespace gpucheck::runtime {

/// The device has no room for an allocation, not even after cached memory was given
/// back. The text is the one PyTorch's callers match ("CUDA out of memory. Tried to
/// allocate ..."). The allocator stays usable.
class OutOfMemoryError : public Error {
 public:
  using Error::Error;
};

/// The chosen allocator cannot do what was asked of it. The text names what.
class UnsupportedError : public Error {
 public:
  using Error::Error;
};

}  // namespace gpucheck::runtime
