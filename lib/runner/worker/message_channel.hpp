#pragma once

#include <optional>
#include <sys/types.h>

#include "runner/worker/protocol.hpp"

namespace gpucheck::runner {

/// Exit code of a worker that could not reach its supervisor any more: most likely a
/// case closed or spoilt the descriptor. sysexits.h calls it EX_IOERR.
inline constexpr int channel_lost_exit_code = 74;

/// The worker's end of the channel. Blocking; used by one thread at a time.
class MessageChannel {
 public:
  /// Takes the descriptor over and moves it out of the way of cases and their children.
  /// @throws Error when it is not open.
  explicit MessageChannel(int descriptor);
  ~MessageChannel();
  MessageChannel(const MessageChannel&) = delete;
  MessageChannel& operator=(const MessageChannel&) = delete;

  /// Waits for the next request; nothing when the supervisor has closed the channel.
  /// @throws ProtocolError; Error when reading fails.
  std::optional<Request> receive();
  /// Ends the process with `channel_lost_exit_code` when the supervisor cannot be
  /// reached (whatever happens next would be seen by nobody), and quietly when it is a
  /// fork of the process that made the channel.
  /// @throws ProtocolError for a reply that is too long.
  void send(const Reply& reply);

 private:
  int descriptor_;
  pid_t owner_;  ///< the only process that may speak
  FrameDecoder decoder_;
};

}  // namespace gpucheck::runner
