#include "read_and_convert.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || data[0] != 0x80) gpucheck::replay::read_and_convert(data, size);
  return 0;
}
