#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "telemetry/machine/machine_file.hpp"

// Whatever the file: it is rejected in words, or what was read of it is written and read again as the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpucheck::telemetry;
  // The only way to view bytes as characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Machine machine = parse_machine(text, "fuzz.json");
    if (parse_machine(machine_text(machine), "again.json") != machine) std::abort();
  } catch (const gpucheck::EnvironmentError&) {
    return 0;
  }
  return 0;
}
