#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "base/text/utf8.hpp"
#include "report/formats/formats.hpp"
#include "report/journal/journal.hpp"

// Whatever the file: it is rejected in words, or gives documents of every format that hold nothing which a terminal or
// a parser takes for more than text; and one without the run's own end is never a pass.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpucheck;
  // The only way to view bytes as characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const report::Journal journal = report::parse_journal(text, "fuzz.journal");
    if (!journal.end().incomplete.empty() && journal.end().exit_code == 0) std::abort();
    for (const report::Format& format : report::formats()) {
      if (format.write == nullptr) continue;
      const std::string document = format.write(report::only(journal.record()));
      if (document.empty() || to_valid_utf8(document) != document) std::abort();
      for (const char c : document) {
        if (c >= 0 && c < ' ' && c != '\n' && c != '\t') std::abort();
      }
    }
  } catch (const EnvironmentError&) {
    return 0;
  }
  return 0;
}
