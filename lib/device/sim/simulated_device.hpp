#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "device/forwarding/operations.hpp"
#include "device/sim/machine/machine.hpp"
#include "device/sim/time/costs.hpp"

namespace gpucheck::sim {

/// A device of the simulated machine. Every call takes the machine's mutex, is counted,
/// costs the host some virtual time, and lets happen what is complete by then.
class SimulatedDevice final : public device::Device {
 public:
  /// `position` among the visible devices; `index` within the machine.
  SimulatedDevice(std::shared_ptr<Machine> machine, int position, int index, std::vector<int> visible);

  [[nodiscard]] int ordinal() const noexcept override { return position_; }
  [[nodiscard]] const device::DeviceProperties& properties() const noexcept override { return properties_; }

  GPUCHECK_OVERRIDE_OPERATIONS

 private:
  using Operation = device::Operation;
  using Work = sim::Work;  // not the topic
  enum class AfterSticky { fails, works };
  /// The runtime API remembers its errors for `last_error`; the driver API does not.
  enum class LastError { recorded, untouched };

  template <typename T>
  static device::Status status_of(const device::Result<T>& result) {
    return result ? device::Status::success : result.error();
  }
  static device::Status status_of(device::Status status) { return status; }

  /// The frame of every call.
  template <typename Body>
  std::invoke_result_t<Body> call(Operation operation, Body body, AfterSticky after_sticky = AfterSticky::fails,
                                  std::uint64_t cost_ns = costs::api_call_ns,
                                  LastError last_error = LastError::recorded) {
    if (Timeline::inside_host_function()) return device::Status::not_permitted;
    const std::lock_guard lock(machine_->timeline.mutex());
    begin_call(operation, cost_ns);
    if (context_.sticky != device::Status::success && after_sticky == AfterSticky::fails) {
      return machine_->thread().last_error = context_.sticky;
    }
    std::invoke_result_t<Body> result = body();
    const device::Status status = status_of(result);
    const bool is_error = status != device::Status::success && status != device::Status::not_ready;
    if (is_error && last_error == LastError::recorded) {
      machine_->thread().last_error = status;
    }
    return result;
  }

  enum class Place { device, page_locked, pageable, nowhere };

  // All of these want the mutex held.
  void begin_call(Operation operation, std::uint64_t cost_ns);
  [[nodiscard]] Place place(const void* pointer, std::size_t bytes, const StreamState& stream) const;
  /// A stream that work may be sent to now, one of this device.
  device::Result<StreamState*> target(device::Stream handle) { return target(handle, index_); }
  /// The same of another device of the machine.
  device::Result<StreamState*> target(device::Stream handle, int device);
  device::Result<StreamState*> graph_target(device::Stream on);
  /// The end of a stream that the host may wait for or ask about now.
  device::Result<Point> waitable(device::Stream handle);
  device::Result<const StreamState*> capture_stream(device::Stream handle);
  device::Status check_shape(const device::KernelLaunch& launch) const;
  /// Enqueues work, or adds a node to the graph that the stream captures.
  void submit(StreamState& stream, Work work);
  device::Status capture_event_node(device::Stream handle, Work work);
  device::Status copy_now(StreamState& stream, CopyBytes copy, device::CopyKind kind, Place from, Place to);
  device::Status captured_allocation(StreamState& stream, std::size_t bytes, void*& pointer);
  device::Status captured_free(StreamState& stream, std::uintptr_t address);
  device::Status wait_for_captured(StreamState& stream, const EventState& event);
  device::Status reject_captured(const EventState& event);
  device::Status finish_capture(StreamState& stream);
  [[nodiscard]] device::Result<std::vector<int>> indices_of(const std::vector<int>& ordinals) const;
  static void give_parts(std::span<Participant> participants, Communicate whole, int ranks);
  [[nodiscard]] std::uint64_t memory_ns(std::uint64_t bytes) const noexcept;
  [[nodiscard]] std::uint64_t product_ns(const device::MatrixProduct& product) const noexcept;

  Timeline& timeline() noexcept { return machine_->timeline; }

  std::shared_ptr<Machine> machine_;
  int position_;
  int index_;
  std::vector<int> visible_;  // machine's indices of the visible devices
  Context& context_;
  device::DeviceProperties properties_;
};

}  // namespace gpucheck::sim
