#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/values/fields.hpp"
#include "harness/values/parameter.hpp"
#include "runtime/settings/allocator_choice.hpp"

namespace gpucheck::harness {

/// What decides what a run's cases see: one value that travels whole from the command
/// line through plan, request, worker and a case's child processes to the Context. On
/// its way a plan narrows it to one case: its seed, and the parameters it declares.
/// A new setting is a member and a row here, and an option of the command line.
struct RunSettings {
  std::string device = "auto";              ///< as on the command line
  std::uint64_t seed = 0;                   ///< of the run; of one case, once that is planned
  runtime::AllocatorChoice allocator = {};  ///< of every runtime that a case makes
  std::string fault = {};                   ///< name of a case's fault to run under; empty for none
  /// Those given; what is left out has its default. Of a run: texts as typed, since each
  /// case has types of its own; of a case: values of its parameters' types.
  ParameterValues parameters = {};
  std::vector<std::string> case_folders = {};  ///< folders of cases of the site's own
  std::string golden_directory = {};           ///< empty: the golden files built into the binary
  std::string limits_path = {};  ///< a file of limits that go before those of the golden files; empty for none
  /// File with the machine that stands in for what a driver would report of simulated devices; empty: a healthy one.
  std::string telemetry = {};

  bool operator==(const RunSettings&) const = default;
};

/// A row with the option that says it.
template <typename T>
struct Setting {
  std::string_view name;
  T RunSettings::*member;
  /// Of `gpucheck run`; empty for what has no place in a command that runs a case again.
  std::string_view option;
};
template <typename T>
Setting(const char*, T RunSettings::*, const char*) -> Setting<T>;

template <>
inline constexpr auto fields_of<RunSettings> = std::tuple{
    Setting{"device", &RunSettings::device, "--device"},
    Setting{"seed", &RunSettings::seed, "--seed"},
    Setting{"allocator", &RunSettings::allocator, "--allocator"},
    Setting{"fault", &RunSettings::fault, ""},
    Setting{"parameters", &RunSettings::parameters, "--parameter"},
    Setting{"case_folders", &RunSettings::case_folders, "--cases"},
    Setting{"golden_directory", &RunSettings::golden_directory, "--golden"},
    Setting{"limits_path", &RunSettings::limits_path, "--limits"},
    Setting{"telemetry", &RunSettings::telemetry, "--telemetry"},
};
static_assert(has_every_member<RunSettings>);

/// The options, as words for a command line, that give these settings; those at their
/// defaults are left out, but for device and seed, which are always said.
std::vector<std::string> to_options(const RunSettings& settings);

}  // namespace gpucheck::harness
