#include <charconv>
#include <optional>
#include <utility>

#include "cases/shared/health_support.hpp"
#include "telemetry/machine/driver_state.hpp"

namespace gpucheck::cases::in_health::software {
namespace {

using Texts = std::vector<std::string>;

bool is_forbidden(const telemetry::NamedState& each) { return each.problem == telemetry::operation_not_permitted; }

std::string with_reason(const telemetry::NamedState& each) { return fmt::format("{}: {}", each.name, each.problem); }

/// Each with the reason. What a cgroup forbids is not part of the driver that is missing.
Texts unusable(const std::vector<telemetry::NamedState>& list) {
  Texts texts;
  for (const telemetry::NamedState& each : list) {
    if (!each.problem.empty() && !is_forbidden(each)) texts.push_back(with_reason(each));
  }
  return texts;
}

/// Device files that every program needs and the job's cgroup forbids. Those of single GPUs are other jobs'.
Texts forbidden_to_all(const std::vector<telemetry::NamedState>& device_files) {
  Texts texts;
  for (const telemetry::NamedState& each : device_files) {
    const bool is_for_all = each.name == "/dev/nvidiactl" || each.name == "/dev/nvidia-uvm";
    if (is_for_all && is_forbidden(each)) texts.push_back(with_reason(each));
  }
  return texts;
}

/// NVML's words (nvmlErrorString) for a job that may not open the device files: nothing is wrong with the library.
bool is_access_denied(const std::string& library_problem) {
  return library_problem.find("Insufficient Permissions") != library_problem.npos ||
         library_problem.find("GPU access blocked by the operating system") != library_problem.npos;
}

/// Why a list is not evidence: an empty one is none either, whoever gave it. Empty where it is.
std::string why_unknown(const std::vector<telemetry::NamedState>& list, const std::string& problem) {
  if (!problem.empty()) return problem;
  return list.empty() ? "none is listed" : "";
}

/// CUDA's major version that gpucheck is made for. Within one, any driver serves any runtime (NVIDIA's minor version
/// compatibility).
constexpr int cuda_major = 13;

/// 13 of "13.0"; 0 of what is not a version.
int major_of(const std::string& version) {
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  return major;
}

/// @throws EnvironmentError where the driver failed to say what `value` is.
void require_no_failure(const char* what, const telemetry::Value& value) {
  if (telemetry::is_failure(value))
    throw EnvironmentError(fmt::format("{} cannot be read: {}", what, *telemetry::problem(value)));
}

void require_no_failure(const telemetry::Machine& machine) {
  require_no_failure("the newest CUDA that the driver offers", machine.cuda_version);
  require_no_failure("the driver's version", machine.driver_version);
  require_no_failure("NVML's version", machine.nvml_version);
  if (const std::string& problem = machine.host.kernel_module_problem; !problem.empty())
    throw EnvironmentError("the version of the loaded driver cannot be read: " + problem);
}

std::string text_of(const telemetry::Value& version) {
  const std::string* const text = telemetry::text(version);
  return text == nullptr ? "" : *text;
}

void run(harness::Context& context) {
  std::string library_problem;
  const telemetry::Machine machine = machine_or_host(context, library_problem);
  const telemetry::Host& host = machine.host;
  // A library that does not work is a finding, unless no driver is loaded at all.
  if (!library_problem.empty() && host.kernel_module_version.empty()) throw EnvironmentError(library_problem);
  const std::string no_files = why_unknown(host.device_files, host.device_files_problem);
  const std::string no_libraries = why_unknown(host.libraries, host.libraries_problem);
  if (!no_files.empty() && !no_libraries.empty() && library_problem.empty()) {
    throw harness::Skip(fmt::format("device files: {}; libraries: {}", no_files, no_libraries));
  }
  const auto known = [](const std::string& why_not, Texts texts) {
    return why_not.empty() || !texts.empty() ? std::optional(std::move(texts)) : std::nullopt;
  };
  Texts problems = unusable(host.libraries);
  Texts forbidden = forbidden_to_all(host.device_files);
  if (!library_problem.empty()) (is_access_denied(library_problem) ? forbidden : problems).push_back(library_problem);
  observe_known(context, "unusable_device_files", known(no_files, unusable(host.device_files)));
  observe_known(context, "forbidden_device_files", known(no_files, forbidden));
  observe_known(context, "unusable_libraries", known(no_libraries, problems));
  require_no_failure(machine);
  const std::string cuda = text_of(machine.cuda_version);
  if (cuda.empty()) {
    observe_not_available(context, "driver_is_new_enough");
  } else {
    context.observe("driver_is_new_enough", major_of(cuda) >= cuda_major);
  }
  const std::string driver = text_of(machine.driver_version);
  context.observe("driver_version", driver.empty() ? host.kernel_module_version : driver);
  context.observe("cuda_of_driver", cuda);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.software",
      .summary = "The driver's device files can be opened, its libraries load, and it is new enough for CUDA",
      .source = "NVIDIA's driver installation guide",
      .needs = {.devices = 0},
      .faults = {{.name = "device_file_denied",
                  .summary = "a GPU's device file may not be opened",
                  .telemetry = telemetry::always(Aspect::device_file, "Permission denied")},
                 {.name = "device_file_forbidden",
                  .summary = "the job's cgroup forbids a device file that every program needs",
                  .telemetry = telemetry::always(Aspect::device_file, "/dev/nvidia-uvm: Operation not permitted")},
                 {.name = "library_missing",
                  .summary = "a library of the driver is not installed",
                  .telemetry = telemetry::always(Aspect::library, "cannot open shared object file")},
                 {.name = "old_driver",
                  .summary = "the driver is older than CUDA needs",
                  .telemetry = telemetry::always(Aspect::cuda_version, "11.0")},
                 {.name = "version_unreadable",
                  .summary = "the driver fails to say which CUDA it offers",
                  .telemetry = telemetry::failing(Aspect::cuda_version)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::software
