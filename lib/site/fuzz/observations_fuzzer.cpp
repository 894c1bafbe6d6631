#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "harness/values/value.hpp"
#include "site/observation_lines.hpp"

using namespace gpucheck;

namespace {

struct Outcome {
  harness::Observations seen;
  std::string rejection;
  bool operator==(const Outcome&) const = default;
};

/// Read in pieces of this size.
Outcome read(std::string_view text, std::size_t piece) {
  Outcome outcome;
  site::ObservationLines lines([&outcome](const std::string& key, harness::Value value) {
    outcome.seen.push_back({key, std::move(value)});
  });
  try {
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) lines.take(text.substr(0, piece));
    lines.finish();
  } catch (const Error& problem) {
    outcome.rejection = problem.what();
  }
  return outcome;
}

}  // namespace

// Whatever a program writes: it is observed or rejected in words, and the same however it comes in pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The only way to view bytes as characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Outcome whole = read(text, text.size() + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
    if (read(text, piece) != whole) std::abort();
  }
  return 0;
}
