#pragma once

#include "base/error.hpp"

namespace gpucheck::golden {

/// A golden file that cannot be used. The text names the file, the line or the JSON
/// path, and what was expected there.
class MalformedGolden : public EnvironmentError {
 public:
  using EnvironmentError::EnvironmentError;
};

}  // namespace gpucheck::golden
