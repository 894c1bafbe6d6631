#include "replay_settings.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "runtime/allocator/errors.hpp"
#include "runtime/allocator/settings.hpp"

namespace gpucheck::application {

void check_settings(std::span<const std::string> settings) {
  for (const std::string& text : settings) {
    try {
      static_cast<void>(runtime::parse_settings(text));
    } catch (const runtime::SettingsError& problem) {
      const std::string_view reason = problem.what();
      // All that PyTorch says, and so the allocator, is the name of the C function.
      const bool is_no_number = reason == "stoull" || reason == "stod";
      throw UsageError(fmt::format("--settings \"{}\": {}", text,
                                   is_no_number ? "a value is no number, or one beyond 64 bits" : reason));
    }
  }
}

}  // namespace gpucheck::application
