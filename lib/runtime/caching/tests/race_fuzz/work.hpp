#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "device/owned.hpp"
#include "runtime/runtime.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::runtime::race_fuzz {

namespace ops = tensor::ops;

/// Something submitted to a stream, and the event recorded behind it.
struct Use {
  device::Stream stream;
  std::shared_ptr<const device::UniqueEvent> done;
};

/// A block in the program's hands, and who has to be waited for before it is touched.
struct Block {
  std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  device::Stream owner;               ///< it was allocated for
  std::optional<std::uint8_t> value;  ///< of its bytes, once it was written
  Use writer;                         ///< what wrote it last; at first, its allocation
  std::vector<Use> readers;           ///< since then
  /// Other streams that used it and were not made known to the allocator yet.
  std::vector<device::Stream> unrecorded;
};

/// What one host thread does on its streams: every access is ordered, by event waits,
/// after the accesses that it depends on, and contents are verified by every read.
class Work {
 public:
  Work(Runtime& runtime, std::vector<device::Stream> streams);

  [[nodiscard]] const std::vector<device::Stream>& streams() const noexcept { return streams_; }
  [[nodiscard]] bool has(device::Stream stream) const noexcept;

  /// Records an event behind what was submitted to the stream.
  Use mark(device::Stream stream);
  /// What is submitted to `stream` from now on comes after `use`.
  void wait(device::Stream stream, const Use& use);

  void write(Block& block, device::Stream stream);
  void read(Block& block, device::Stream stream);
  /// Between blocks of one size.
  void copy(Block& from, Block& to, device::Stream stream);
  void spin(device::Stream stream, std::uint64_t nanoseconds);

  /// Work that orders nothing by itself and marks nothing: for captures. `counted_by` is
  /// the stream that it will run on.
  void launch_write(Block& block, device::Stream stream);
  void launch_read(const Block& block, device::Stream stream, device::Stream counted_by);

  /// What all reads found. Waits for the streams.
  ops::Tally verified();

 private:
  void used(Block& block, device::Stream stream);
  void wait_for_all(Block& block, device::Stream stream);
  [[nodiscard]] ops::Tally* tally(device::Stream stream) noexcept;

  Runtime& runtime_;
  device::Device& device_;
  std::vector<device::Stream> streams_;
  device::UniqueDeviceMemory tallies_;  ///< one for each stream; not the allocator's
  std::uint8_t last_value_ = 0;
};

}  // namespace gpucheck::runtime::race_fuzz
