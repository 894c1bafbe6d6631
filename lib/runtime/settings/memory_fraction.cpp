#include "runtime/settings/memory_fraction.hpp"

#include <fmt/format.h>
#include <string>

#include "base/error.hpp"

namespace gpucheck::runtime {

void require_memory_fraction(double fraction) {
  if (fraction >= 0.0 && fraction <= 1.0) return;
  // Python shows 2.0 where fmt shows 2; what its "#" adds to that depends on its version.
  std::string text = fmt::format("{}", fraction);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  throw UsageError(fmt::format("Invalid fraction value: {}. Allowed range: 0~1", text));
}

}  // namespace gpucheck::runtime
