#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "tensor/files/files.hpp"

/// Whole files of tensors: archives, what is in them, and what PyTorch says of devices that there are not.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpucheck::tensor::files;
  try {
    static_cast<void>(load_bytes({reinterpret_cast<const char*>(data), size}, "input", {.memory_limit = 64 << 20}));
  } catch (const gpucheck::Error&) {
  }
  return 0;
}
