#pragma once

#include <vector>

#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

/// What ends a case before it has seen anything: for one case of each group that measures or tests hardware.
namespace gpucheck::cases {

inline std::vector<harness::Fault> gpu_faults() {
  using fault::Effect;
  using fault::Operation;
  const auto at_first_wait = [](Effect effect, device::Status status = device::Status::unknown) {
    return fault::broken(Operation::synchronize, effect, fault::nth_call(1), status);
  };
  return {
      {"gpu_hangs", "the GPU never finishes its work", at_first_wait(Effect::hang)},
      {"gpu_is_lost", "the GPU is gone while it works, and stays so",
       at_first_wait(Effect::lose_device, device::Status::devices_unavailable)},
      {"process_is_killed", "the process that uses the GPU dies", at_first_wait(Effect::kill_process)},
      {"context_fails", "the driver makes no context on the GPU",
       fault::failing(Operation::initialize, device::Status::devices_unavailable, fault::every_call)},
  };
}

/// Those and others.
inline std::vector<harness::Fault> with_gpu_faults(std::vector<harness::Fault> faults) {
  const std::vector<harness::Fault> more = gpu_faults();
  faults.insert(faults.end(), more.begin(), more.end());
  return faults;
}

}  // namespace gpucheck::cases
