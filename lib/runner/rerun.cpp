#include "runner/rerun.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gpucheck::runner {
namespace {

bool is_plain(char c) {
  constexpr std::string_view harmless = "_-./:=,+@%";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         harmless.find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string rerun_command(const PlannedCase& planned, const Options& options, std::string_view device) {
  std::string command = fmt::format("gpucheck {} {} --device {} --seed {}", planned.fault.empty() ? "run" : "prove",
                                    shell_quoted(planned.which->name), shell_quoted(device),
                                    seed_of_repetition(options.seed, planned.repetition));
  for (const auto& [name, value] : planned.parameters) {
    command += " -p " + shell_quoted(name + "=" + harness::to_text(value));
  }
  if (options.allocator != runtime::AllocatorChoice{}) {
    command += " --allocator " + shell_quoted(runtime::to_text(options.allocator));
  }
  if (!options.golden_directory.empty()) command += " --golden " + shell_quoted(options.golden_directory);
  return command;
}

}  // namespace gpucheck::runner
