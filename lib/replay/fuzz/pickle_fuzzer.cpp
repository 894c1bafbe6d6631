#include <string>

#include "read_and_convert.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The protocol is given, so that every input gets into the machine.
  std::string bytes("\x80\x04", 2);
  bytes.append(reinterpret_cast<const char*>(data), size);
  gpucheck::replay::read_and_convert(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return 0;
}
