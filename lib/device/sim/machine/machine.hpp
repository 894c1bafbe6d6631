#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/forwarding/operations.hpp"
#include "device/sim/machine/timeline.hpp"
#include "device/sim/profile/profile.hpp"
#include "device/sim/time/handle_table.hpp"

namespace gpucheck::sim {

/// What a simulated device is known by: plainly not hardware, and different for each of a machine.
[[nodiscard]] std::string device_uuid(const Options& options, int index);

/// What CUDA keeps for each host thread.
struct ThreadState {
  device::Status last_error = device::Status::success;
  device::CaptureMode capture_mode = device::CaptureMode::global;
};

/// The whole simulated machine: devices, streams, captures, threads. Shared by the
/// driver and every device it opened. All of it is guarded by the timeline's mutex.
class Machine {
 public:
  explicit Machine(Options options);

  /// Number of the calling thread, unique in the process.
  static std::uint64_t thread_number() noexcept;
  ThreadState& thread() { return threads_[thread_number()]; }

  /// A new key for a handle table.
  std::uintptr_t new_handle() noexcept { return handles_ += 16; }
  [[nodiscard]] Context& context(int device) { return *world.contexts[static_cast<std::size_t>(device)]; }
  /// The state of a stream handle on a device, null when there is no such stream there.
  StreamState* stream(device::Stream handle, int device);

  /// A captured sequence is spoiled: ending it will say so.
  static void invalidate(const CapturePointer& capture) { capture->invalidated = true; }
  /// Calls that may wait or allocate are rejected while a capture forbids them to this
  /// thread (`cudaThreadExchangeStreamCaptureMode`), and spoil the captures that do.
  device::Status reject_unsafe();
  /// A call that touches every stream of a device is rejected while any capture is open.
  device::Status reject_while_capturing();
  /// The default stream may not be used while a blocking stream of its device captures.
  device::Status reject_legacy(int device, bool invalidates = true);
  /// No stream takes part in the capture any more.
  void close(const CapturePointer& capture);

  /// The host waits for all work of a device, and knows afterwards that it is done.
  void wait_for(Context& context);
  /// Chunks of the pools that nobody uses any more go back to their device, but for what
  /// a pool may keep.
  void trim_pools();
  /// The same where the device has no memory left: pools keep nothing.
  void reclaim_pools();

  Options options;
  World world;
  Timeline timeline;
  HandleTable<device::Stream, StreamState> streams;
  Events events;
  HandleTable<device::Communicator, CommunicatorState> communicators;
  HandleTable<device::Graph, GraphState> graphs;
  HandleTable<device::GraphExec, Executable> executables;
  std::vector<CapturePointer> captures;  ///< those that have not ended
  std::uint64_t next_capture_id = 1;
  std::array<std::uint64_t, device::operation_count> calls{};  ///< made so far, by operation

 private:
  std::uintptr_t handles_ = 0x1000;
  std::unordered_map<std::uint64_t, ThreadState> threads_;
};

}  // namespace gpucheck::sim
