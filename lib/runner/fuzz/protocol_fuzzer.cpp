#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runner/worker/protocol.hpp"

namespace gpucheck::runner {
namespace {

/// Whatever a worker writes is either rejected as such or a message that survives the way
/// there and back.
void check_reply(std::string_view body) {
  try {
    const std::string again = encode(decode_reply(body));
    if (encode(decode_reply(again)) != again) std::abort();
  } catch (const ProtocolError&) {
  }
}

void check_stream(std::string_view bytes) {
  FrameDecoder decoder;
  try {
    const std::size_t half = bytes.size() / 2;
    for (const std::string_view piece : {bytes.substr(0, half), bytes.substr(half)}) {
      decoder.append(piece);
      while (const auto body = decoder.next()) check_reply(*body);
    }
  } catch (const ProtocolError&) {
  }
}

}  // namespace
}  // namespace gpucheck::runner

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  gpucheck::runner::check_reply(bytes);
  gpucheck::runner::check_stream(bytes);
  return 0;
}
