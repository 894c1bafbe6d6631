#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "fleet/baseline.hpp"
#include "golden/limits/limits.hpp"

// Whatever the file: it is rejected in words, or what is made of it are limits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The only way to view bytes as characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string limits;
  try {
    limits = gpucheck::fleet::make_baseline(gpucheck::fleet::measured_values(text, "fuzz.json"), {.minimum_count = 1})
                 .limits;
  } catch (const gpucheck::EnvironmentError&) {
    return 0;
  }
  static_cast<void>(gpucheck::golden::Limits::parse(limits, "made.json"));
  return 0;
}
