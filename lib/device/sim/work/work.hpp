#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "device/device.hpp"
#include "device/sim/memory/device_memory.hpp"

namespace gpucheck::sim {

class Meeting;

struct RunKernel {
  const device::Kernel* kernel = nullptr;
  std::vector<std::byte> functor;
  std::size_t count = 0;
  device::BlockShape block{};
};

/// What a product is called in races and traces.
inline constexpr std::string_view product_name = "matrix_product";

/// By the library; a kernel to everyone else.
struct MultiplyMatrices {
  device::MatrixProduct product;
  device::ProductAlgorithm algorithm;
  device::ProductOperands operands;
};

/// A rank's part of a collective, but for the last rank's. A kernel to everyone else.
struct TakePart {};

/// The last rank's part, which moves the data of all: they all happen at the same time.
struct Communicate {
  device::Collective collective;
  std::vector<device::RankOperands> operands;
  std::vector<int> devices;               ///< of the ranks
  std::shared_ptr<Meeting> meeting = {};  ///< with the ranks of other processes; null where there are none
};

struct CopyBytes {
  void* destination = nullptr;
  const void* source = nullptr;
  std::size_t bytes = 0;
  std::vector<std::byte> staged;  ///< the source's content when it had to be read at once, else empty
};

struct FillBytes {
  void* destination = nullptr;
  std::uint8_t value = 0;
  std::size_t bytes = 0;
};

struct CallHost {
  device::HostFunction function = nullptr;
  void* argument = nullptr;
};

/// From here on in stream order, the range may be touched.
struct BeginAllocation {
  std::uintptr_t address = 0;
  AllocationMap::Allocation allocation;
};

/// From here on in stream order, it may not.
struct EndAllocation {
  std::uintptr_t address = 0;
  AllocationMap::Allocation allocation;
};

/// In a graph only: at each launch the event covers what comes before.
struct RecordEvent {
  device::Event event;
};

/// In a graph only: what comes after waits for what the event covers at the launch.
struct WaitEvent {
  device::Event event;
};

using Action = std::variant<std::monostate, RunKernel, MultiplyMatrices, TakePart, Communicate, CopyBytes, FillBytes,
                            CallHost, BeginAllocation, EndAllocation, RecordEvent, WaitEvent>;

/// Whether it runs on multiprocessors: it reaches what its own device and enabled peers have.
inline bool is_kernel(const Action& action) noexcept {
  return std::holds_alternative<RunKernel>(action) || std::holds_alternative<MultiplyMatrices>(action) ||
         std::holds_alternative<TakePart>(action) || std::holds_alternative<Communicate>(action);
}

/// Something a stream or a graph node does: what it is called, what memory it touches,
/// how long it takes and what happens at its end. Shared by everyone who may run it.
struct Work {
  std::string_view name;  ///< static text
  Action action;
  std::vector<device::MemoryAccess> accesses;  ///< device and page-locked memory; bounds and races are checked
  std::uint64_t duration_ns = 0;
};

using WorkPointer = std::shared_ptr<const Work>;

}  // namespace gpucheck::sim
