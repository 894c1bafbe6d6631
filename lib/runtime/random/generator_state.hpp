#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "device/kernels/support/philox.hpp"
#include "runtime/memory/buffer.hpp"

namespace gpucheck::runtime {

class Graph;

/// What a generator draws from: a seed, and an offset that counts the 32-bit numbers drawn of
/// each Philox sequence. Generators may share one, and graphs that draw from it are registered
/// with it: then it owns two numbers in device memory, which its kernels in those graphs read
/// and each replay sets. Thread-safe. The runtime must outlive it.
class GeneratorState {
 public:
  GeneratorState(Runtime& runtime, std::uint64_t seed, std::uint64_t offset) noexcept
      : runtime_(runtime), seed_(seed), offset_(offset) {}
  GeneratorState(const GeneratorState&) = delete;
  GeneratorState& operator=(const GeneratorState&) = delete;

  [[nodiscard]] std::uint64_t seed() const;
  /// While the current stream is captured: the numbers drawn in this capture so far.
  /// @throws DeviceError.
  [[nodiscard]] std::uint64_t offset() const;
  /// Also sets the offset to 0. While the current stream is captured nothing changes.
  /// @throws Error in a capture for another seed than the present one; DeviceError.
  void set_seed(std::uint64_t seed);
  /// As `offset()`. @throws Error unless it is a multiple of 4; DeviceError.
  void set_offset(std::uint64_t offset);

  /// Where a kernel begins that draws `increment` numbers of a sequence at most; the next
  /// begins after them. @throws Error in a capture that the state is not registered for;
  /// DeviceError.
  [[nodiscard]] device::kernels::PhiloxStart take(std::uint64_t increment);

  /// The first graph makes the device memory, on the current stream. @throws Error while that
  /// is captured; OutOfMemoryError, DeviceError.
  void register_graph(const Graph& graph);
  /// The last one gives it back, to the stream that it was made on: what that is given from now on
  /// has to come after the replays.
  void unregister_graph(const Graph& graph) noexcept;
  void begin_capture();
  /// Numbers drawn in the capture.
  [[nodiscard]] std::uint64_t end_capture();
  /// Gives the graph's kernels, which draw `increment` numbers, the present seed and offset in
  /// the order of the current stream, and goes on after them. All graphs of the state have them
  /// from the same place, so that replays of two have to be ordered. @throws Error while that is
  /// captured; DeviceError.
  void begin_replay(std::uint64_t increment);

 private:
  [[nodiscard]] bool is_capturing() const;

  Runtime& runtime_;
  mutable std::mutex mutex_;
  std::uint64_t seed_;
  std::uint64_t offset_;
  bool in_capture_ = false;  ///< of a graph that it is registered with
  std::uint64_t captured_offset_ = 0;
  std::vector<const Graph*> graphs_;
  Buffer<std::int64_t> seed_on_device_;
  Buffer<std::int64_t> offset_on_device_;
};

/// @throws Error with PyTorch's text, that names `what` was called, when the current stream of
/// the calling thread is captured; DeviceError.
void require_no_capture(Runtime& runtime, std::string_view what);

}  // namespace gpucheck::runtime
