#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/owned.hpp"
#include "runtime/allocator/pool_id.hpp"
#include "runtime/random/generator.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::runtime {

/// Device work captured once and replayed many times, with a private memory pool so
/// that its memory stays valid: PyTorch's `torch.cuda.CUDAGraph`. Used by one thread
/// at a time. The runtime must outlive it.
class Graph {
 public:
  /// Whether each capture registers the default generator, as PyTorch's does. One that does not
  /// cannot draw from it, and takes no memory for it: for traces that have that memory among
  /// their own allocations.
  enum class DefaultGenerator : std::uint8_t { registered, left_out };

  /// Makes no device call.
  explicit Graph(Runtime& runtime, DefaultGenerator default_generator = DefaultGenerator::registered) noexcept
      : runtime_(runtime), default_generator_(default_generator) {}
  /// Resets; a failure to do so is kept as a warning of the runtime.
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// What is captured may draw from the generator's state; each replay then draws anew. @throws Error while the current
  /// stream is captured; OutOfMemoryError, DeviceError.
  void register_generator_state(const Generator& generator);
  /// Starts capturing on the current stream, with allocations there made from `pool`,
  /// or from a new pool when it is the default one. @throws Error on the default
  /// stream or when a captured graph is already held; DeviceError.
  void capture_begin(PoolId pool = {}, device::CaptureMode mode = device::CaptureMode::global);
  /// Ends the capture and makes the graph ready; warns when it is empty.
  /// @throws Error on another stream than it began on; DeviceError.
  void capture_end();
  /// Launches on the current stream. @throws Error before a successful capture.
  void replay();
  /// Gives graph and pool up; a new capture is then possible.
  void reset();
  /// @throws Error before a successful capture.
  [[nodiscard]] PoolId pool() const;

 private:
  /// A state that the graph draws from, and how many numbers of each sequence.
  struct DrawnState {
    std::shared_ptr<GeneratorState> state;
    std::uint64_t increment = 0;
  };

  /// What a capture has changed around it, whether it succeeded or not.
  void stop_routing();
  void release_pool();

  Runtime& runtime_;
  DefaultGenerator default_generator_;
  PoolId pool_;
  bool holds_pool_ = false;
  bool routing_ = false;  ///< between capture_begin and capture_end
  std::shared_ptr<std::atomic<std::uint64_t>>
      capture_id_;  ///< shared with the allocator's filter; 0 before the capture is open
  device::Stream capture_stream_;
  std::vector<DrawnState> drawn_states_;
  device::UniqueGraphExec executable_;
};

}  // namespace gpucheck::runtime
