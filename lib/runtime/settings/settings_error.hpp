#pragma once

#include "base/error.hpp"

namespace gpucheck::runtime {

/// A settings string is malformed or out of range; nothing of it was applied.
class SettingsError : public UsageError {
 public:
  using UsageError::UsageError;
};

}  // namespace gpucheck::runtime
