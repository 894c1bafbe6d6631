#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "fleet/waivers.hpp"

namespace {

using gpucheck::fleet::WaiverBook;
using gpucheck::harness::CaseResult;
using gpucheck::harness::Outcome;

/// Whatever is waived, it is a failure that the waiver names.
void check_book(gpucheck::fleet::Waivers waivers, std::span<const std::string> known_cases) {
  WaiverBook book(std::move(waivers), std::chrono::system_clock::time_point{});
  for (const std::string& name : known_cases) {
    for (const Outcome outcome : {Outcome::pass, Outcome::fail, Outcome::error, Outcome::skip, Outcome::hang}) {
      CaseResult result;
      result.name = name;
      result.outcome = outcome;
      book.apply(result, "GPU-0");
      const bool can_be_waived = outcome == Outcome::fail || outcome == Outcome::hang;
      if (result.waiver && !can_be_waived) std::abort();
      if (result.waiver && (result.waiver->reason.empty() || result.waiver->owner.empty())) std::abort();
    }
  }
}

}  // namespace

// Whatever the file: it is rejected in words, or waives nothing but what it names.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::array<std::string, 2> known_cases = {"alloc.fuzz", "pool.basic"};
  // The only way to view bytes as characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check_book(gpucheck::fleet::parse_waivers(text, "fuzz.json", known_cases), known_cases);
  } catch (const gpucheck::UsageError&) {
    return 0;
  }
  return 0;
}
