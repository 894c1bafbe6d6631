#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "report/journal/journal.hpp"

// Whatever the file: it is rejected in words, or gives documents; and one without the
// run's own end is never a pass.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpucheck;
  // The only way to view bytes as characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const report::Journal journal = report::parse_journal(text, "fuzz.journal");
    if (!journal.end().incomplete.empty() && journal.end().exit_code == 0) std::abort();
    if (report::json_document(journal.record()).empty()) std::abort();
    if (report::junit_document(journal.record()).empty()) std::abort();
  } catch (const EnvironmentError&) {
    return 0;
  }
  return 0;
}
