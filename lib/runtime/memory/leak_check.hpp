#pragma once

#include <functional>

#include "runtime/runtime.hpp"

namespace gpucheck::runtime {

/// Device memory was still in use that was not before.
class LeakError : public Error {
 public:
  using Error::Error;
};

/// Calls `action` and requires that the allocator has no more memory in use afterwards
/// than before. An error of the action passes through as it is: what an operation that
/// failed left behind must not hide why it failed. Other threads must not allocate
/// meanwhile. @throws LeakError; whatever the action throws.
void require_no_leak(Runtime& runtime, const std::function<void()>& action);

}  // namespace gpucheck::runtime
