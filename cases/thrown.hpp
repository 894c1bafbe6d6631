#pragma once

#include <string>

#include "base/error.hpp"
#include "runtime/allocator/errors.hpp"

namespace gpucheck::cases {

/// What an action threw: the name that PyTorch gives to an error of this type, and the text. Both are empty when it
/// threw nothing.
struct Thrown {
  std::string type;  ///< "OutOfMemoryError", "ValueError" for an argument that is wrong, "RuntimeError" for the rest
  std::string text;
};

/// Runs `action`. What is not an Error passes through.
template <typename Action>
Thrown thrown_by(Action&& action) {
  try {
    action();
    return {};
  } catch (const runtime::OutOfMemoryError& error) {
    return {"OutOfMemoryError", error.what()};
  } catch (const UsageError& error) {
    return {"ValueError", error.what()};
  } catch (const Error& error) {
    return {"RuntimeError", error.what()};
  }
}

}  // namespace gpucheck::cases
