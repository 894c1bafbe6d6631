#pragma once

#include <vector>

#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "runtime/devices/current_device.hpp"
#include "runtime/devices/devices.hpp"

/// What the cases of devices share.
namespace gpucheck::cases::in_device {

inline std::vector<harness::Fault> driver_faults() {
  return {{.name = "devices_unknown",
           .summary = "the driver does not know what its devices are",
           .plan = fault::broken(fault::Operation::initialize, fault::Effect::wrong_answer, fault::nth_call(1))}};
}

}  // namespace gpucheck::cases::in_device
