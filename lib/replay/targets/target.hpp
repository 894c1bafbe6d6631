#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/formats/trace/trace.hpp"

namespace gpucheck::replay {

/// What an allocator holds. Bytes.
struct Usage {
  std::int64_t allocated_bytes = 0;
  std::optional<std::int64_t> reserved_bytes;  ///< absent: the allocator does not say
};

/// An allocator that a trace is played against. It starts with nothing allocated and
/// with the trace's settings and memory limit in force; whoever makes it sees to that.
/// Called from one thread. Virtual, since a call through the table is a few hundredths
/// of what the fastest allocator takes.
class TraceTarget {
 public:
  TraceTarget() = default;
  TraceTarget(const TraceTarget&) = delete;
  TraceTarget& operator=(const TraceTarget&) = delete;
  virtual ~TraceTarget() = default;

  struct Allocation {
    void* address = nullptr;  ///< null for 0 bytes, or when out of memory
    bool out_of_memory = false;
  };
  /// Bytes, for the stream of that index (0 is the default stream). Running out of
  /// memory is an answer; anything else that goes wrong is thrown.
  virtual Allocation allocate(std::uint64_t size, std::uint16_t stream) = 0;
  /// `address` is what `allocate` gave, never null.
  virtual void free(void* address) = 0;
  virtual void record_stream(void* address, std::uint16_t stream) = 0;
  /// Frees what other streams still use, up to `end_of_uses` of the same number. Here: then, and no earlier.
  virtual void free_later(void* address, std::uint16_t number);
  virtual void end_of_uses(std::uint16_t number);
  /// Waits for the device.
  virtual void synchronize() = 0;
  virtual void empty_cache() = 0;
  /// Any other event of a trace. @throws UnsupportedError where the allocator has no such
  /// call.
  virtual void carry_out(const Trace& trace, const Event& event);

  /// Asked after every step. `reserved_bytes` is there always or never.
  [[nodiscard]] virtual Usage usage() = 0;
  /// Allocations that released the cache and tried again; absent where that is not reported.
  [[nodiscard]] virtual std::optional<std::int64_t> retry_count() { return std::nullopt; }
  /// Which of the calls so far, or of the conditions, the allocator has no use for, and
  /// what it warned of. Sentences for a person, without a full stop.
  [[nodiscard]] virtual std::vector<std::string> remarks() { return {}; }

 private:
  std::vector<void*> freed_later_;  ///< by number; null where none is
};

/// One that can be compared with what PyTorch's caching allocator recorded.
class ComparableTarget : public TraceTarget {
 public:
  [[nodiscard]] virtual StepStatistics step_statistics() = 0;
  /// All statistics, by the names of torch.cuda.memory_stats(), sorted by name.
  [[nodiscard]] virtual std::vector<NamedStatistic> statistics() = 0;
  /// All segments in address order.
  [[nodiscard]] virtual std::vector<SegmentLayout> segments() = 0;
};

}  // namespace gpucheck::replay
