#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "acceptance/bundle/tests/pieces.hpp"
#include "acceptance/bundle/verify.hpp"
#include "base/error.hpp"

namespace {

using namespace gpucheck;

/// Every bundle has problems or a judgement; what is said of it stays on one line, without control characters.
void check(std::string_view bytes) {
  const acceptance::Verification verification =
      acceptance::verify(acceptance::reading(bytes), acceptance::small_contract(), "0.1.0");
  if (verification.is_intact() && !verification.judged) std::abort();
  if (!verification.is_intact() && verification.verdict() != harness::Verdict::not_judged) std::abort();
  for (const std::string& problem : verification.problems) {
    if (problem.find_first_of("\n\r\x1b") != std::string::npos) std::abort();
  }
  if (!verification.judged) return;
  if (acceptance::standing_json(acceptance::small_contract(), verification.judged->standing).empty()) std::abort();
}

}  // namespace

// Whatever the file, and also with digests that fit: without those hardly any input would be read any further.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The only way to view bytes as characters.
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  std::vector<acceptance::ArchivedFile> pieces;
  acceptance::ArchiveReader reader(acceptance::reading(bytes));
  try {
    while (auto piece = reader.next(acceptance::most_bytes)) pieces.push_back(std::move(*piece));
  } catch (const Error&) {
    // What could be read of it is enough.
  }
  if (!pieces.empty()) check(acceptance::forged(std::move(pieces)));
  return 0;
}
