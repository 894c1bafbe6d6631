#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "observe/gpu_trace.hpp"

/// What the cases of the GPU trace share.
namespace gpucheck::cases::in_trace {

using Tensor = runtime::Buffer<float>;
using Addresses = std::vector<std::uintptr_t>;

inline std::uintptr_t address_of(const Tensor& tensor) { return reinterpret_cast<std::uintptr_t>(tensor.data()); }

/// Observes how often a hook was called and whether it was given the tensor's address.
inline void observe_calls(harness::Context& context, const Addresses& calls, std::uintptr_t address) {
  context.observe("calls", calls.size());
  context.observe("tensor_address_given", !calls.empty() && calls.front() == address && address != 0);
}

inline std::vector<harness::Fault> memory_faults() {
  return {{.name = "allocation_fails",
           .summary = "the device fails to allocate memory that it has",
           .plan = fault::allocation_fails(fault::every_call)},
          {.name = "allocation_dropped",
           .summary = "the device says that it allocated memory, but did not",
           .plan = fault::allocation_lost(fault::every_call)}};
}

}  // namespace gpucheck::cases::in_trace
