#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/owned.hpp"
#include "runtime/allocator/pool_id.hpp"
#include "runtime/random/generator.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::runtime {

struct GraphOptions {
  bool keep_graph = false;  ///< keeps what was captured; made executable when asked, or by the first replay
  /// Each capture registers the default generator, as PyTorch's does. One that does not cannot
  /// draw from it, and takes no memory for it: for traces that have that memory among their
  /// own allocations.
  bool registers_default_generator = true;
};

/// Device work captured once and replayed many times, with a private memory pool so
/// that its memory stays valid: PyTorch's `torch.cuda.CUDAGraph`. Used by one thread
/// at a time. The runtime must outlive it.
///
/// A call that fails ends the capture that it was part of: the stream takes work again and
/// memory comes from where it came before. The pool stays in use until the next capture, a
/// reset or the end of the object, so that another try may use it again.
class Graph {
 public:
  /// Makes no device call.
  explicit Graph(Runtime& runtime, GraphOptions options = {}) noexcept;
  /// Resets; a failure to do so is kept as a warning of the runtime.
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// What snapshots call this object: counts up from 1 in the process.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  /// What is captured may draw from the generator's state; each replay then draws anew.
  /// @throws Error while the current stream is captured; OutOfMemoryError, DeviceError.
  void register_generator_state(const Generator& generator);
  /// Starts capturing on the current stream, with allocations there made from `pool`,
  /// or from a new pool when it is the default one. @throws Error on the default
  /// stream, or when this graph captures already or holds what it captured; DeviceError.
  void capture_begin(PoolId pool = {}, device::CaptureMode mode = device::CaptureMode::global);
  /// Ends the capture and makes the graph ready; warns when it is empty.
  /// @throws Error on another stream than it began on, and the capture goes on; DeviceError.
  void capture_end();
  /// Makes a graph that is kept executable, also once more. @throws Error before a capture
  /// and for a graph that is not kept; DeviceError.
  void instantiate();
  /// Launches on the current stream. @throws Error before a successful capture; DeviceError.
  void replay();
  /// Gives graph and pool up, and a capture that is underway; a new one is then possible.
  void reset();
  /// @throws Error before a successful capture.
  [[nodiscard]] PoolId pool() const;
  /// The kept graph, still owned by this object. @throws Error before a capture and for a
  /// graph that is not kept.
  [[nodiscard]] device::Graph raw_graph() const;
  /// @throws Error before it was made.
  [[nodiscard]] device::GraphExec raw_executable() const;

  /// Allows `debug_dump` of a graph that is not kept, which writes nothing, as in PyTorch 2.11.
  void enable_debug_mode() noexcept { debug_ = true; }
  /// Writes what was captured as DOT, in gpucheck's own form: each node with what it does, each edge. Warns in
  /// PyTorch's words; of a graph that is not kept nothing is left to write, and the warnings are all.
  /// @throws EnvironmentError for a path that cannot be written; DeviceError.
  void debug_dump(const std::string& path);

 private:
  /// A state that the graph draws from, and how many numbers of each sequence.
  struct DrawnState {
    std::shared_ptr<GeneratorState> state;
    std::uint64_t increment = 0;
  };

  void start_routing(PoolId pool);
  /// What a capture has changed around it, whether it succeeded or not.
  void stop_routing();
  void open_capture(device::CaptureMode mode);
  /// Ends the capture that the device has open; nothing is kept of it.
  void drop_capture();
  /// Gives up the capture that is underway.
  void abandon_capture();
  void make_executable(device::Graph graph);
  void hold_pool(PoolId pool);
  void release_pool(PoolId pool);
  void give_up() noexcept;

  Runtime& runtime_;
  GraphOptions options_;
  std::uint64_t number_;
  bool debug_ = false;
  PoolId pool_;
  bool holds_pool_ = false;
  bool capturing_ = false;  ///< between capture_begin and capture_end
  bool captured_ = false;   ///< since a capture succeeded
  std::shared_ptr<std::atomic<std::uint64_t>>
      capture_id_;  ///< shared with the allocator's filter; 0 before the capture is open
  device::Stream capture_stream_;
  std::vector<DrawnState> drawn_states_;
  device::UniqueGraph graph_;  ///< what was captured, while it is kept
  device::UniqueGraphExec executable_;
};

}  // namespace gpucheck::runtime
