#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

/// Framing of the messages between supervisor and worker: four bytes of length, least
/// significant first, then that many bytes of JSON, which is always an object.
namespace gpucheck::runner {

/// The other side does not speak the protocol: whatever it says can no longer be
/// trusted.
class ProtocolError : public Error {
 public:
  using Error::Error;
};

/// Longest body of a frame. Anything longer is a mistake or an attack on memory.
inline constexpr std::size_t max_frame_bytes = std::size_t{16} << 20;

/// @throws ProtocolError for a body that is empty or longer than `max_frame_bytes`.
std::string encode_frame(std::string_view body);

/// Takes bytes as they come, in pieces of any size, and gives whole bodies back.
/// Used by one thread at a time.
class FrameDecoder {
 public:
  void append(std::string_view bytes);
  /// The next whole body; nothing when more bytes are needed.
  /// @throws ProtocolError as soon as the bytes cannot be a frame; every later call
  /// throws again.
  std::optional<std::string> next();
  /// True between frames: nothing half-received.
  [[nodiscard]] bool empty() const noexcept { return start_ == buffer_.size(); }

 private:
  std::string buffer_;
  std::size_t start_ = 0;  ///< of the first byte not yet taken
};

}  // namespace gpucheck::runner
