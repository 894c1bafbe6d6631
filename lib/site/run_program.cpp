#include "site/run_program.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "device/check.hpp"
#include "harness/result/outcome_text.hpp"
#include "site/observation_lines.hpp"

namespace gpucheck::site {
namespace {

using Texts = std::vector<std::string>;
using harness::Context;
using harness::ProgramEnd;
using harness::ProgramEnded;

constexpr std::string_view prefix = "GPUCHECK_";
constexpr std::string_view visible_devices = "CUDA_VISIBLE_DEVICES";

/// What this process has, but for what is said to programs.
Texts inherited_environment() {
  Texts texts;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const bool is_ours = text.starts_with(prefix) || text.substr(0, text.find('=')) == visible_devices;
    if (!is_ours) texts.emplace_back(text);
  }
  return texts;
}

std::string assignment(std::string_view name, std::string_view value) { return fmt::format("{}={}", name, value); }

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// Simulated devices are seen by gpucheck alone: to CUDA there are none.
void add_devices(Texts& environment, Context& context) {
  std::vector<int> ordinals;
  Texts uuids;
  Texts addresses;
  if (context.test_case().needs.devices > 0) ordinals = context.ordinals();
  for (const int ordinal : ordinals) {
    const auto properties = context.driver().properties(ordinal);
    if (!properties) throw device::DeviceError(properties.error(), fmt::format("asking what device {} is", ordinal));
    uuids.push_back(properties->uuid);
    addresses.push_back(properties->pci_bus_id);
  }
  const bool is_real = !ordinals.empty() && context.driver().kind() != "sim";
  if (is_real && std::ranges::find(uuids, "") != uuids.end()) {
    throw EnvironmentError(
        "the driver gives no UUID of the device, by which alone a program can be given just this one");
  }
  environment.push_back(assignment("GPUCHECK_DEVICE_KIND", ordinals.empty() ? "none" : context.driver().kind()));
  environment.push_back(assignment("GPUCHECK_DEVICE_ORDINALS", fmt::format("{}", fmt::join(ordinals, ","))));
  environment.push_back(assignment("GPUCHECK_DEVICE_UUIDS", fmt::format("{}", fmt::join(uuids, ","))));
  environment.push_back(assignment("GPUCHECK_DEVICE_PCI_ADDRESSES", fmt::format("{}", fmt::join(addresses, ","))));
  environment.push_back(
      assignment(visible_devices, is_real ? fmt::format("{}", fmt::join(uuids, ",")) : std::string()));
}

Texts environment_of(Context& context) {
  Texts environment = inherited_environment();
  environment.push_back(assignment("GPUCHECK_CASE", context.test_case().name));
  environment.push_back(assignment("GPUCHECK_OBSERVATIONS", fmt::format("{}", harness::program_descriptor)));
  environment.push_back(assignment("GPUCHECK_SEED", fmt::format("{}", context.seed())));
  environment.push_back(assignment("GPUCHECK_FAULT", context.fault()));
  for (const auto& [name, value] : context.parameters()) {
    environment.push_back(assignment(fmt::format("GPUCHECK_PARAMETER_{}", upper(name)), harness::to_text(value)));
  }
  add_devices(environment, context);
  return environment;
}

std::string end_text(const ProgramEnd& end) {
  if (end.signal) return fmt::format("its program was {}", harness::process_end_text({}, end.signal));
  if (end.exit_code) {
    return fmt::format("its program exited with code {}, where 0 says that it observed all", *end.exit_code);
  }
  return "its program ended in a way that could not be determined";
}

/// The program's last words follow these texts: the supervisor has them.
void check_end(const ProgramEnd& end) {
  using Meaning = ProgramEnded::Meaning;
  if (end.exit_code == 0) return;
  if (end.exit_code == skip_code) {
    throw ProgramEnded(Meaning::skip, end, fmt::format("its program skips it (exit code {})", skip_code));
  }
  if (end.exit_code == not_judged_code) {
    throw ProgramEnded(Meaning::error, end, fmt::format("its program could not judge (exit code {})", not_judged_code));
  }
  throw ProgramEnded(Meaning::crash, end, end_text(end));
}

}  // namespace

void run_program(Context& context) {
  const harness::Program& program = *context.test_case().program;
  ObservationLines lines(
      [&context](const std::string& key, harness::Value value) { context.observe(key, std::move(value)); });
  const ProgramEnd end = context.run_program({.path = fmt::format("{}/{}", program.folder, program.file),
                                              .folder = program.folder,
                                              .environment = environment_of(context)},
                                             [&lines](std::string_view bytes) { lines.take(bytes); });
  check_end(end);
  lines.finish();
}

}  // namespace gpucheck::site
