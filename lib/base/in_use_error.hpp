#pragma once

#include "base/error.hpp"

namespace gpucheck {

/// Another process writes to the file: what stands in it is that one's, and stays.
class InUseError : public EnvironmentError {
 public:
  using EnvironmentError::EnvironmentError;
};

}  // namespace gpucheck
