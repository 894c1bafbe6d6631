#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "harness/case/registry.hpp"
#include "site/description.hpp"

using namespace gpucheck;

// Whatever the description: it is rejected in words that name the file, or it is a case that a registry takes, whose
// program lies in its folder.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The only way to view bytes as characters.
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const harness::Case test_case = site::parse_description(text, "case.toml");
    if (!test_case.program || test_case.program->file.empty()) std::abort();
    if (test_case.program->file.find('/') != std::string::npos || test_case.program->file == "..") std::abort();
    if (test_case.name.size() > site::longest_name || test_case.summary.find('\n') != std::string::npos) std::abort();
    static_cast<void>(harness::Registry({test_case}));
  } catch (const UsageError& problem) {
    if (!std::string_view(problem.what()).starts_with("case.toml:")) std::abort();
  }
  return 0;
}
