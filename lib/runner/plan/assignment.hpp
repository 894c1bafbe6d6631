#pragma once

#include <span>
#include <string>
#include <vector>

#include "runner/plan/plan.hpp"
#include "runner/worker/protocol.hpp"

namespace gpucheck::runner {

/// One case on the devices it gets: what the schedule starts, and what gives one result.
struct Assignment {
  const PlannedCase* planned = nullptr;
  std::vector<int> devices;  ///< by their index in the run; none when no device is known
  std::string device_name;   ///< by which a worker opens just these
  std::string rerun_device;  ///< by which the same ones are chosen again, whatever else is visible then
  std::string unmet;         ///< why it is skipped before anything is started; empty when it is not
};

/// Those that its result is about: none for a case that needs none, which is about the machine, wherever it runs.
[[nodiscard]] std::vector<int> result_devices(const Assignment& assignment);

/// Each planned case once on each device, in the plan's order and then the devices'; one
/// that needs several on neighbours, one that needs all on all, and one that needs none once. Those for which any
/// device will do are dealt out to those that can be used. A case that needs more devices or memory than there are is
/// there once, with the reason.
/// @param every_device false: only the first device, or the first neighbours, for each case.
std::vector<Assignment> assign(std::span<const PlannedCase> plan, const IdentityReply& identity, bool every_device);

}  // namespace gpucheck::runner
