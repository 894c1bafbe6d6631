#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "device/sim/memory/device_memory.hpp"
#include "device/sim/memory/memory_pool.hpp"
#include "device/sim/memory/virtual_memory.hpp"
#include "device/sim/profile/profile.hpp"
#include "device/sim/reference/meeting.hpp"
#include "device/sim/time/vector_clock.hpp"
#include "device/sim/work/capture.hpp"

/// What the simulated machine consists of, as plain data.
namespace gpucheck::sim {

struct StreamState {
  device::Stream handle;
  int device = 0;
  device::StreamKind kind = device::StreamKind::blocking;
  Component component = 0;
  std::uint64_t epoch = 0;
  std::uint64_t ready_ns = 0;             ///< when all work enqueued so far is complete
  VectorClock clock{};                    ///< what is ordered before the next operation
  std::uint64_t legacy_epoch_joined = 0;  ///< the default stream's epoch this one is ordered after
  std::uint64_t epoch_joined_by_legacy = 0;
  std::uint64_t host_epoch_joined = 0;
  CapturePointer capture{};           ///< null unless capturing
  std::vector<NodeIndex> frontier{};  ///< while capturing: what the next node depends on
};

struct EventState {
  int device = 0;
  device::EventKind kind = device::EventKind::timing;
  bool recorded = false;
  std::uint64_t complete_ns = 0;
  VectorClock clock{};
  CapturePointer capture{};  ///< set when last recorded in a capturing stream
  std::vector<NodeIndex> nodes{};
};

/// Devices that communicate, in the order of their ranks.
struct CommunicatorState {
  std::vector<int> devices;               ///< of this process's ranks
  int ranks = 0;                          ///< of all processes
  std::shared_ptr<Meeting> meeting = {};  ///< with other processes; null where there are none
  bool aborted = false;
};

struct GraphState {
  std::shared_ptr<const GraphData> data;
};

/// One device as its process sees it: memory, the default stream, errors.
struct Context {
  Context(int device, const Profile& profile)
      : memory(profile.properties.total_memory_bytes, profile.reserved_memory_bytes), pool(memory) {
    default_stream.device = device;
  }

  DeviceMemory memory;
  MemoryPool pool;
  VirtualMemory virtual_memory;
  AllocationMap allocations;  ///< as the API knows them: from the call that allocates to the one that frees
  AllocationMap accessible;   ///< as running work finds them: in stream order
  device::Status sticky = device::Status::success;
  StreamState default_stream;
  std::vector<StreamState*> blocking_streams;
  Point retired;           ///< the work of destroyed streams
  Point retired_blocking;  ///< of those among them that the default stream waits for
  std::set<int> peers;     ///< devices whose memory kernels here may touch
};

}  // namespace gpucheck::sim
