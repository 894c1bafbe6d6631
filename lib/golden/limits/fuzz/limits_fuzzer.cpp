#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "golden/golden.hpp"
#include "golden/limits/limits.hpp"

// Whatever the file: it is rejected in words, or its limits pass nothing that is not a number.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The only way to view bytes as characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto limits = gpucheck::golden::Limits::parse(text, "fuzz.json");
    gpucheck::harness::DeviceIdentity device;
    device.kind = "cuda";
    device.name = "NVIDIA H200";
    device.memory_clock_khz = 3'201'000;
    device.memory_bus_bits = 6144;
    for (const auto& one : limits.classes()) {
      for (const auto& [name, limit] : one.limits) {
        static_cast<void>(limits.judge(name, "key", 4650, &device));
        if (limits.judge(name, "key", std::numeric_limits<double>::quiet_NaN(), &device).verdict == "pass")
          std::abort();
      }
    }
  } catch (const gpucheck::golden::MalformedGolden&) {
    return 0;
  }
  return 0;
}
