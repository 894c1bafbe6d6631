#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/targets/runtime_calls.hpp"
#include "replay/targets/streams/trace_streams.hpp"
#include "replay/targets/target.hpp"
#include "runtime/allocator/errors.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::replay {

/// The conditions that a trace is played under.
struct TargetOptions {
  std::string settings;  ///< a settings string, empty for the defaults
  std::optional<std::uint64_t> memory_limit_bytes;
  std::uint32_t stream_count = 1;
};

/// A trace's calls, made on the device allocator of a runtime of its own, on a device
/// which must outlive it. `Allocator` is as much of the allocator's type as is known:
/// calls of a final class cost less.
template <typename Interface, typename Allocator>
class RuntimeTarget : public Interface {
 public:
  using Allocation = typename Interface::Allocation;

  Allocation allocate(std::uint64_t size, std::uint16_t stream) override {
    streams_.wait_for_used_streams();
    try {
      return {allocator_.allocate(size, streams_[stream]), false};
    } catch (const runtime::OutOfMemoryError&) {
      return {nullptr, true};
    }
  }
  void free(void* address) override {
    streams_.wait_for_used_streams();
    allocator_.free(address);
  }
  void record_stream(void* address, std::uint16_t stream) override {
    streams_.wait_for_used_streams();
    streams_.note_use(stream);
    allocator_.record_stream(address, streams_[stream]);
  }
  void synchronize() override { streams_.wait_for_all(); }
  void empty_cache() override {
    streams_.wait_for_used_streams();
    allocator_.empty_cache();
  }
  void carry_out(const Trace& trace, const Event& event) override {
    streams_.wait_for_used_streams();
    calls_.carry_out(trace, event);
  }

 protected:
  /// `allocator_of` picks the runtime's allocator.
  template <typename AllocatorOf>
  RuntimeTarget(StreamWork& device, const runtime::AllocatorChoice& choice, std::uint32_t stream_count,
                AllocatorOf&& allocator_of)
      : device_(device),
        runtime_(device, choice),
        allocator_(allocator_of(runtime_)),
        streams_(runtime_, device, stream_count) {}

  device::Device& device_;
  runtime::Runtime runtime_;
  Allocator& allocator_;

 private:
  TraceStreams streams_;
  RuntimeCalls calls_{runtime_, streams_};
};

}  // namespace gpucheck::replay
