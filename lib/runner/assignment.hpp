#pragma once

#include <span>
#include <string>
#include <vector>

#include "runner/protocol.hpp"
#include "runner/runner.hpp"

namespace gpucheck::runner {

/// One case on the devices it gets: what the schedule starts, and what gives one result.
struct Assignment {
  const PlannedCase* planned = nullptr;
  std::vector<int> devices;  ///< by their index in the run; none when no device is known
  std::string device_name;   ///< by which a worker opens just these
  std::string rerun_device;  ///< by which the same ones are chosen again, whatever else is visible then
  std::string unmet;         ///< why it is skipped before anything is started; empty when it is not
};

/// Each planned case once on each device, in the plan's order and then the devices'; one
/// that needs several on neighbours, one that needs all on all, and one that needs none once. Those for which any
/// device will do are dealt out to those that can be used. A case that needs more devices or memory than there are is
/// there once, with the reason.
/// @param every_device false: only the first device, or the first neighbours, for each case.
std::vector<Assignment> assign(std::span<const PlannedCase> plan, const IdentityReply& identity, bool every_device);

/// Neighbours, `size` at a time, of `count` devices: (0 1) (2 3). An odd one at the end goes
/// with its neighbour once more, so that none is left out: (0 1) (1 2). None when there are
/// fewer than `size`.
std::vector<std::vector<int>> neighbours(int count, int size);

}  // namespace gpucheck::runner
