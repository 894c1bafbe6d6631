#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "device/topics/collectives.hpp"
#include "device/topics/errors.hpp"
#include "device/topics/graphs.hpp"
#include "device/topics/matrix_products.hpp"
#include "device/topics/memory.hpp"
#include "device/topics/peers.hpp"
#include "device/topics/stream_ordered_memory.hpp"
#include "device/topics/streams.hpp"
#include "device/topics/virtual_memory.hpp"
#include "device/topics/work.hpp"

/// The seam: everything above it drives a GPU, real or simulated, through `Device`, or
/// through the one of its topics that it needs.
///
/// No CUDA header is included here. Calls behave as the CUDA runtime API documents
/// for the call named in each comment; the contract suite in `tests/` states it for
/// every implementation. Every method may be called from any thread. Nothing here
/// throws except where a comment says so: errors are `Status` values.
namespace gpucheck::device {

/// The PCI Express link between a device and the host, at its best: what both ends can do.
struct HostLink {
  int generation = 0;  ///< 1 to 6; 0 where it is not known
  int lanes = 0;       ///< 1 to 16; 0 where it is not known
  bool operator==(const HostLink&) const = default;
};

/// The NVLinks between a device and one other, of those that it has fewest with.
struct PeerLink {
  int links = 0;  ///< 0 where there are none to some device of the machine, or it is not known
  int mbps = 0;   ///< 10^6 bytes a second of each, one way
  bool operator==(const PeerLink&) const = default;
};

struct DeviceProperties {
  std::string name;
  std::string uuid;        ///< "GPU-xxxxxxxx-...", as nvidia-smi prints it
  std::string pci_bus_id;  ///< "0000:3b:00.0"
  std::uint64_t total_memory_bytes = 0;
  int multiprocessor_count = 0;
  int max_threads_per_multiprocessor = 0;
  int max_threads_per_block = 0;
  /// Shared memory that a block can have, all that is given to kernels that ask for it.
  std::uint64_t max_shared_bytes_per_block = 0;
  int warp_size = 32;
  int compute_capability_major = 0;
  int compute_capability_minor = 0;
  std::uint64_t l2_cache_bytes = 0;
  // What the device could do at its best, from which limits are worked out; 0 where it does not say.
  std::uint64_t multiprocessor_clock_khz = 0;  ///< the highest
  std::uint64_t memory_clock_khz = 0;          ///< the highest; memory moves two words of its bus a clock
  int memory_bus_bits = 0;
  HostLink host_link = {};
  /// Stream priorities: 0 is lowest, `greatest_priority` (negative) is highest.
  int greatest_priority = 0;
  /// The UUID in `uuid` as it is kept, without words.
  std::array<std::uint8_t, 16> uuid_bytes = {};
};

/// All topics of one device. What exists of operations is listed under each topic's class:
/// see `operations.hpp`.
class Device : public Memory,
               public StreamOrderedMemory,
               public VirtualMemory,
               public Streams,
               public Work,
               public Graphs,
               public Errors,
               public Peers,
               public MatrixProducts,
               public Collectives {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  /// 0-based position among the visible devices.
  [[nodiscard]] virtual int ordinal() const noexcept = 0;
  /// Properties of the device; read once when the device is opened.
  [[nodiscard]] virtual const DeviceProperties& properties() const noexcept = 0;

  using Graphs::launch;
  using Work::launch;
};

}  // namespace gpucheck::device
