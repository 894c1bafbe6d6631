#include <algorithm>
#include <cmath>
#include <set>

#include "device/sim/simulated_device.hpp"

namespace gpucheck::sim {

using device::Collective;
using device::Communicator;
using device::RankOperands;
using device::Result;
using device::Status;

// The library's own complaints are not the runtime's: it remembers none of them.

Result<device::VendorLibrary> SimulatedDevice::collective_library() {
  return call(Operation::collective_library, [&]() -> Result<device::VendorLibrary> {
    return device::VendorLibrary{.name = "reference", .version = "1", .problem = ""};
  });
}

Result<Communicator> SimulatedDevice::create_communicator(const std::vector<int>& ordinals) {
  const auto body = [&]() -> Result<Communicator> {
    const Result<std::vector<int>> devices = indices_of(ordinals);
    if (!devices) return devices.error();
    CommunicatorState state{.devices = *devices, .ranks = static_cast<int>(ordinals.size())};
    const bool repeats = std::set<int>(state.devices.begin(), state.devices.end()).size() != state.devices.size();
    if (repeats || std::ranges::find(ordinals, position_) == ordinals.end()) return Status::invalid_value;
    const Communicator handle{machine_->new_handle()};
    machine_->communicators.insert(handle.value, std::move(state));
    return handle;
  };
  return call(Operation::create_communicator, body, AfterSticky::fails, costs::allocation_ns, LastError::untouched);
}

Result<std::string> SimulatedDevice::open_meeting() {
  return call(
      Operation::open_meeting, [] { return Meeting::open(); }, AfterSticky::fails, costs::allocation_ns,
      LastError::untouched);
}

Result<Communicator> SimulatedDevice::join_communicator(const device::Seats& seats) {
  const auto body = [&]() -> Result<Communicator> {
    const Result<std::vector<int>> devices = indices_of(seats.ordinals);
    if (!devices) return devices.error();
    if (const Status status = check_seats(seats, position_); status != Status::success) return status;
    const Result<std::shared_ptr<Meeting>> meeting = Meeting::join(seats);
    if (!meeting) return meeting.error();
    const Communicator handle{machine_->new_handle()};
    machine_->communicators.insert(handle.value, {.devices = *devices, .ranks = seats.size, .meeting = *meeting});
    return handle;
  };
  return call(Operation::join_communicator, body, AfterSticky::fails, costs::allocation_ns, LastError::untouched);
}

/// The machine's indices of visible devices.
Result<std::vector<int>> SimulatedDevice::indices_of(const std::vector<int>& ordinals) const {
  std::vector<int> indices;
  for (const int ordinal : ordinals) {
    if (ordinal < 0 || ordinal >= static_cast<int>(visible_.size())) return Status::invalid_device;
    indices.push_back(visible_[static_cast<std::size_t>(ordinal)]);
  }
  return indices;
}

Status SimulatedDevice::abort_communicator(Communicator communicator) {
  const auto body = [&] {
    CommunicatorState* const state = machine_->communicators.find(communicator);
    if (state == nullptr) return Status::invalid_resource_handle;
    if (state->meeting != nullptr) state->meeting->abort();
    state->aborted = true;
    return Status::success;
  };
  return call(Operation::abort_communicator, body, AfterSticky::works, costs::api_call_ns, LastError::untouched);
}

Status SimulatedDevice::destroy_communicator(Communicator communicator) {
  return call(
      Operation::destroy_communicator,
      [&] { return machine_->communicators.erase(communicator) ? Status::success : Status::invalid_resource_handle; },
      AfterSticky::works, costs::api_call_ns, LastError::untouched);
}

Status SimulatedDevice::communicate(Communicator communicator, const Collective& collective,
                                    const std::vector<RankOperands>& operands) {
  const auto body = [&] {
    const CommunicatorState* const state = machine_->communicators.find(communicator);
    if (state == nullptr) return Status::invalid_resource_handle;
    if (state->aborted) return Status::illegal_state;
    if (operands.size() != state->devices.size()) return Status::invalid_value;
    if (const Status status = check_collective(collective, operands, state->ranks); status != Status::success)
      return status;
    std::vector<Participant> participants;
    for (std::size_t rank = 0; rank < operands.size(); ++rank) {
      const int device = state->devices[rank];
      const auto stream = target(operands[rank].stream, device);
      if (!stream) return stream.error();
      if ((*stream)->capture) return Status::stream_capture_unsupported;
      participants.push_back({.context = &machine_->context(device), .stream = *stream, .work = {}});
    }
    give_parts(participants, {collective, operands, state->devices, state->meeting}, state->ranks);
    timeline().enqueue_together(participants);
    return Status::success;
  };
  return call(Operation::communicate, body, AfterSticky::fails, costs::api_call_ns, LastError::untouched);
}

/// Each rank's part of the work. The last to happen moves the data.
void SimulatedDevice::give_parts(std::span<Participant> participants, Communicate whole, int ranks) {
  const Collective& collective = whole.collective;
  const auto passing = static_cast<std::uint64_t>(std::ceil(bus_bytes(collective, ranks)));
  for (std::size_t rank = 0; rank < participants.size(); ++rank) {
    const RankOperands& operands = whole.operands[rank];
    Work work{.name = to_text(collective.kind),
              .action = TakePart{},
              .accesses = {device::reads(operands.sent, sent_bytes(collective, ranks)),
                           device::writes(operands.received, received_bytes(collective, ranks))},
              .duration_ns = costs::transfer_ns(passing, costs::peer_link_bytes_per_ns)};
    if (rank + 1 == participants.size()) work.action = whole;
    participants[rank].work = std::make_shared<const Work>(std::move(work));
  }
}

Status SimulatedDevice::communicator_status(Communicator communicator) {
  const auto body = [&] {
    const CommunicatorState* const state = machine_->communicators.find(communicator);
    if (state == nullptr) return Status::invalid_resource_handle;
    if (state->aborted) return Status::illegal_state;
    if (state->meeting != nullptr && state->meeting->has_failed()) return Status::unknown;
    for (const int device : state->devices) {
      if (const Status status = machine_->context(device).sticky; status != Status::success) return status;
    }
    return Status::success;
  };
  return call(Operation::communicator_status, body, AfterSticky::works, costs::api_call_ns, LastError::untouched);
}

Result<std::string> SimulatedDevice::collective_problem() {
  const auto body = [&]() -> Result<std::string> {
    for (const auto& [value, state] : machine_->communicators.objects()) {
      if (state->meeting != nullptr && state->meeting->has_failed()) return state->meeting->problem();
    }
    return std::string();
  };
  return call(Operation::collective_problem, body, AfterSticky::works);
}

}  // namespace gpucheck::sim
