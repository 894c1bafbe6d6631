#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "device/device.hpp"
#include "replay/targets/streams/stream_work.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::replay {

/// A trace's streams on a device: which are idle by the next call, and which are not.
///
/// Whether a free that waits for a stream is completed at the next call must not depend
/// on how fast the device is. So the streams that blocks are used on are idle before each
/// call, but for those that the trace occupies. Only those are waited for that got work since.
class TraceStreams {
 public:
  /// `work` is the runtime's device. Both must outlive it.
  TraceStreams(runtime::Runtime& runtime, StreamWork& work, std::uint32_t count);

  [[nodiscard]] device::Stream operator[](std::uint16_t index) const { return streams_[index]; }
  /// From now on blocks wait for the stream.
  void note_use(std::uint16_t index);
  /// Gives the stream work that outlasts what follows, up to the next `wait_for_all`.
  void occupy(std::uint16_t index);
  /// Before a call.
  void wait_for_used_streams() {
    if (is_waited_for_) wait_for_used();
  }
  void wait_for_all();
  /// While a capture is open nothing is waited for: it would break the capture.
  void set_capturing(bool is_capturing) noexcept { is_capturing_ = is_capturing; }

 private:
  struct State {
    bool is_used = false;
    bool is_occupied = false;
  };
  void wait_for_used();

  StreamWork& device_;
  std::vector<device::Stream> streams_;  ///< by index; the first is the default stream
  std::vector<State> states_;            ///< likewise
  std::unordered_map<device::Stream, std::uint16_t> indices_;
  std::vector<std::uint16_t> occupied_;
  std::vector<std::uint16_t> unfinished_;  ///< may have work that is to be waited for
  bool is_waited_for_ = false;             ///< some stream is used
  bool is_capturing_ = false;
};

}  // namespace gpucheck::replay
