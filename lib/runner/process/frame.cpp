#include "runner/process/frame.hpp"

#include <cstdint>
#include <fmt/format.h>

namespace gpucheck::runner {
namespace {

constexpr std::size_t header_bytes = 4;

std::size_t read_length(const char* header) {
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < header_bytes; ++i) {
    length |= static_cast<std::uint32_t>(static_cast<unsigned char>(header[i])) << (8 * i);
  }
  return length;
}

void check_length(std::size_t length) {
  if (length == 0 || length > max_frame_bytes) {
    throw ProtocolError(fmt::format("a frame of {} bytes, where 1 to {} are allowed", length, max_frame_bytes));
  }
}

}  // namespace

std::string encode_frame(std::string_view body) {
  check_length(body.size());
  std::string frame;
  frame.reserve(header_bytes + body.size());
  for (std::size_t i = 0; i < header_bytes; ++i) frame.push_back(static_cast<char>((body.size() >> (8 * i)) & 0xffU));
  return frame.append(body);
}

void FrameDecoder::append(std::string_view bytes) {
  // Bytes already taken go only when they are the larger part, so that many small
  // frames are not moved around over and over.
  if (start_ > buffer_.size() / 2) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  buffer_.append(bytes);
}

std::optional<std::string> FrameDecoder::next() {
  const std::size_t available = buffer_.size() - start_;
  if (available < header_bytes) return std::nullopt;
  const std::size_t length = read_length(buffer_.data() + start_);
  check_length(length);
  // Garbage that happens to look like a plausible length is caught by its first byte,
  // not after waiting for a megabyte that never comes.
  if (available > header_bytes && buffer_[start_ + header_bytes] != '{') {
    throw ProtocolError("a frame that does not hold a JSON object");
  }
  if (available < header_bytes + length) return std::nullopt;
  std::string body = buffer_.substr(start_ + header_bytes, length);
  start_ += header_bytes + length;
  return body;
}

}  // namespace gpucheck::runner
