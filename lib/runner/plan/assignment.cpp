#include "runner/plan/assignment.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

#include "base/text/units.hpp"
#include "harness/case/needs.hpp"

namespace gpucheck::runner {
namespace {

using harness::DeviceIdentity;

const DeviceIdentity& identity_of(const IdentityReply& identity, int index) {
  return identity.devices.at(static_cast<std::size_t>(index));
}

/// An ordinal depends on what is visible; a GPU's UUID does not.
std::string rerun_name(const IdentityReply& identity, const DeviceGroup& group) {
  std::vector<std::string> uuids;
  for (const int index : group.devices) {
    const DeviceIdentity& device = identity_of(identity, index);
    if (device.kind != "cuda" || device.uuid.empty()) return group.name;
    uuids.push_back(device.uuid);
  }
  return fmt::format("{}", fmt::join(uuids, ","));
}

std::string missing_memory(const harness::Needs& needs, const IdentityReply& identity, const DeviceGroup& group) {
  if (needs.devices == 0) return {};
  for (const int index : group.devices) {
    const DeviceIdentity& device = identity_of(identity, index);
    if (!device.problem.empty() || device.total_memory_bytes >= needs.memory_bytes) continue;
    return fmt::format("needs {} of device memory, {} are there", format_bytes(needs.memory_bytes),
                       format_bytes(device.total_memory_bytes));
  }
  return {};
}

std::vector<const DeviceGroup*> groups_of(const IdentityReply& identity, std::size_t size) {
  std::vector<const DeviceGroup*> groups;
  for (const DeviceGroup& group : identity.groups) {
    if (group.devices.size() == size) groups.push_back(&group);
  }
  return groups;
}

bool is_usable(const IdentityReply& identity, const DeviceGroup& group) {
  return std::ranges::all_of(group.devices, [&](int index) { return identity_of(identity, index).problem.empty(); });
}

/// The n-th, counted round, of those that can be used; of all where none can.
const DeviceGroup* pick(const std::vector<const DeviceGroup*>& groups, const IdentityReply& identity, std::size_t n) {
  std::vector<const DeviceGroup*> usable;
  std::ranges::copy_if(groups, std::back_inserter(usable),
                       [&](const DeviceGroup* group) { return is_usable(identity, *group); });
  const std::vector<const DeviceGroup*>& chosen = usable.empty() ? groups : usable;
  return chosen[n % chosen.size()];
}

/// @param dealt cases for which any device will do, so far.
void assign_one(std::vector<Assignment>& assignments, const PlannedCase& planned, const IdentityReply& identity,
                bool every_device, std::size_t& dealt) {
  const harness::Needs& needs = planned.test_case->needs;
  const int there = static_cast<int>(identity.devices.size());
  const int size = std::max({needs.devices, 1, needs.every_device ? there : 0});
  std::vector<const DeviceGroup*> groups = groups_of(identity, static_cast<std::size_t>(size));
  const bool once = !every_device || needs.devices == 0;
  if (once && groups.size() > 1) groups.erase(groups.begin() + 1, groups.end());
  if (needs.any_device && groups.size() > 1) groups = {pick(groups, identity, dealt++)};
  for (const DeviceGroup* group : groups) {
    assignments.push_back({.planned = &planned,
                           .devices = group->devices,
                           .device_name = group->name,
                           .rerun_device = rerun_name(identity, *group),
                           .unmet = missing_memory(needs, identity, *group)});
  }
  if (!groups.empty()) return;
  const auto single = groups_of(identity, 1);
  assignments.push_back({.planned = &planned,
                         .devices = single.empty() ? std::vector<int>{} : single.front()->devices,
                         .device_name = {},
                         .rerun_device = planned.settings.device,
                         .unmet = harness::too_few_devices(size, there)});
}

}  // namespace

std::vector<int> result_devices(const Assignment& assignment) {
  return assignment.planned->test_case->needs.devices == 0 ? std::vector<int>{} : assignment.devices;
}

std::vector<Assignment> assign(std::span<const PlannedCase> plan, const IdentityReply& identity, bool every_device) {
  std::vector<Assignment> assignments;
  std::size_t dealt = 0;
  for (const PlannedCase& planned : plan) assign_one(assignments, planned, identity, every_device, dealt);
  return assignments;
}

}  // namespace gpucheck::runner
