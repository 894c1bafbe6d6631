#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "fleet/history/history.hpp"

// Whatever the file: it is rejected in words, or it is read again as it was written, and has a judgement.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The only way to view bytes as characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  gpucheck::fleet::HistoryRecord record;
  try {
    record = gpucheck::fleet::parse_history_record(text, "fuzz.history");
  } catch (const gpucheck::EnvironmentError&) {
    return 0;
  }
  if (gpucheck::fleet::parse_history_record(gpucheck::fleet::to_text(record), "made.history") != record) std::abort();
  static_cast<void>(gpucheck::fleet::find_drifting_gpus({record}, record));
  return 0;
}
