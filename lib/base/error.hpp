#pragma once

#include <stdexcept>
#include <string>

namespace gpucheck {

/// Base of every error gpucheck throws on purpose. The text says what happened,
/// where, and what to do next.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller (a person at the command line) asked for something that does not
/// exist or is malformed. The command line maps it to the usage exit code.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Something gpucheck needs in order to judge is missing or broken: a device, a
/// golden file, a report path. Mapped to the "could not be judged" exit code.
class EnvironmentError : public Error {
 public:
  using Error::Error;
};

/// There is nobody to ask: a library that a machine may do without is not installed.
class NotInstalled : public EnvironmentError {
 public:
  using EnvironmentError::EnvironmentError;
};

}  // namespace gpucheck
