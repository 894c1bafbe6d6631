#include <algorithm>
#include <set>

#include "base/text/pci_address.hpp"
#include "cases/health/log/log_support.hpp"
#include "harness/xid/judge.hpp"

namespace gpucheck::cases::in_health::kernel_log {
namespace {

using telemetry::KernelEvent;
using Kind = telemetry::KernelEventKind;
using Texts = std::vector<std::string>;

/// Where the driver's library lists none, those that the driver is bound to.
std::set<std::string> listed_addresses(const telemetry::Machine& machine) {
  std::set<std::string> addresses;
  if (machine.gpus.empty()) {
    for (const telemetry::PciGpu& gpu : machine.host.pci_gpus) {
      if (gpu.driver == "nvidia") addresses.insert(normal_pci_address(gpu.address));
    }
  }
  for (const Gpu& gpu : machine.gpus) {
    const std::string* const address = telemetry::text(gpu[Reading::pci_address]);
    if (address != nullptr) addresses.insert(normal_pci_address(*address));
  }
  return addresses;
}

bool is_file_of_a_gpu(const telemetry::NamedState& file) {
  constexpr std::string_view prefix = "/dev/nvidia";
  return file.name.starts_with(prefix) && file.name.size() > prefix.size() &&
         file.name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

/// A container that was given some of the machine's GPUs: it has no files of the others, or none that it may open. A
/// GPU that is lost has a file, and is not reached.
bool has_others_gpus(const telemetry::Machine& machine) {
  const std::vector<telemetry::NamedState>& files = machine.host.device_files;
  const auto is_denied = [](const telemetry::NamedState& file) { return file.problem == "Operation not permitted"; };
  const auto is_reached = [](const Gpu& gpu) { return telemetry::flag(gpu[Reading::handle]) == true; };
  return std::ranges::any_of(files, is_denied) ||
         std::ranges::count_if(files, is_file_of_a_gpu) == std::ranges::count_if(machine.gpus, is_reached);
}

/// Whether a GPU that is not listed is on the bus, and used by a virtual machine or another container.
bool is_somebody_elses(const telemetry::Machine& machine, const std::string& address) {
  const auto is_it = [&address](const telemetry::PciGpu& gpu) { return normal_pci_address(gpu.address) == address; };
  const auto found = std::ranges::find_if(machine.host.pci_gpus, is_it);
  if (found == machine.host.pci_gpus.end() || found->driver.empty()) return false;
  return found->driver != "nvidia" || has_others_gpus(machine);
}

/// Whether an error that counts names its GPU.
bool says_which_gpu(const JudgedLog& log) {
  for (std::size_t i = 0; i < log.events().size(); ++i) {
    const KernelEvent& event = log.events()[i];
    const std::string_view failure = harness::failure_of(event);
    const bool fails = !failure.empty() && failure != "error_to_watch" && event.kind != Kind::switch_error;
    if (fails && !event.pci_address.empty() && log.counts(i)) return true;
  }
  return false;
}

/// What the log says beyond the GPUs that are listed, each of which has health.xid.
class Machine {
 public:
  Machine(const telemetry::Machine& machine, const JudgedLog& log)
      : machine_(machine), log_(log), listed_(listed_addresses(machine)), is_said_of_a_gpu_(says_which_gpu(log)) {}

  void look() {
    for (std::size_t i = 0; i < log_.events().size(); ++i) look_at(i);
  }
  [[nodiscard]] Texts of(const char* failure) const { return findings_.of(failure); }
  [[nodiscard]] const Texts& earlier() const noexcept { return earlier_; }

 private:
  void look_at(std::size_t index) {
    const KernelEvent& event = log_.events()[index];
    const std::string_view failure = harness::failure_of(event);
    if (failure.empty()) return;
    if (event.kind == Kind::switch_error) return count(index, log_.counts(index), failure);
    if (event.pci_address.empty()) {
      // With one GPU it is that one's, and with an error that names one it is said already.
      if ((machine_.gpus.empty() ? listed_.size() : machine_.gpus.size()) != 1 && !is_said_of_a_gpu_)
        count(index, log_.counts(index), without_address(failure));
      return;
    }
    if (listed_.contains(event.pci_address)) return;
    const bool only_warns = failure == "error_to_watch" || is_somebody_elses(machine_, event.pci_address);
    count(index, log_.counts_for_absent(index), only_warns ? "error_to_watch" : "unlisted_gpu_error");
  }

  static std::string_view without_address(std::string_view failure) {
    const bool has_key = failure == "gpu_lost" || failure == "gpu_reset_required" || failure == "error_to_watch";
    return has_key ? failure : "hardware_error_reported";
  }

  void count(std::size_t index, bool counts, std::string_view failure) {
    const KernelEvent& event = log_.events()[index];
    if (counts) {
      findings_.add(failure, event);
    } else {
      earlier_.push_back(harness::text_of(event));
    }
  }

  const telemetry::Machine& machine_;
  const JudgedLog& log_;
  std::set<std::string> listed_;
  bool is_said_of_a_gpu_;
  Findings findings_;
  Texts earlier_;
};

void run(harness::Context& context) {
  const telemetry::Machine machine = machine_beside_log(context);
  const JudgedLog log(context, machine);
  Machine seen(machine, log);
  seen.look();
  context.observe("switch_errors", seen.of("switch_error"));
  context.observe("unlisted_gpus", seen.of("unlisted_gpu_error"));
  context.observe("lost", seen.of("gpu_lost"));
  context.observe("needs_reset", seen.of("gpu_reset_required"));
  context.observe("without_address", seen.of("hardware_error_reported"));
  context.observe("to_watch", seen.of("error_to_watch"));
  context.observe("earlier", shortened(seen.earlier()));
  context.observe("log_begins", log.begin());
}

telemetry::FaultPlan lines(const char* text) { return telemetry::always(Aspect::kernel_lines, std::string(text)); }

/// On a machine of several GPUs: on one of one the line is about that.
telemetry::FaultPlan lines_of_some_gpu(const char* text) {
  return telemetry::always(Aspect::neighbour, {}) + lines(text);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.kernel_log",
      .summary = "The kernel's log holds no critical error of a switch, or of a GPU that is not there any more",
      .source = "NVIDIA's catalogue of XIDs",
      .needs = {.devices = 0},
      .parameters = {since_parameter(), kernel_log_parameter()},
      .faults = {{.name = "fatal_switch_error",
                  .summary = "an NVSwitch reported a fatal error",
                  .telemetry =
                      lines("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up")},
                 {.name = "nonfatal_switch_error",
                  .summary = "an NVSwitch reported an error that is not fatal",
                  .telemetry = lines("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32 egress "
                                     "non-posted PRIV error")},
                 {.name = "unlisted_gpu",
                  .summary = "a GPU that the driver does not list fell off the bus",
                  .telemetry = lines("NVRM: Xid (PCI:0000:ee:00): 79, GPU has fallen off the bus.")},
                 {.name = "lost_gpu",
                  .summary = "the driver lost a GPU, and does not say which",
                  .telemetry = lines_of_some_gpu("NVRM: Assertion failed: GPU lost from the bus [NV_ERR_GPU_IS_LOST]")},
                 {.name = "reset_required",
                  .summary = "the driver wants a reset of a GPU, and does not say which",
                  .telemetry = lines_of_some_gpu("NVRM: Assertion failed: Reset required [NV_ERR_RESET_REQUIRED]")},
                 {.name = "garbled_address",
                  .summary = "an error names no GPU that can be read",
                  .telemetry = lines_of_some_gpu("NVRM: Xid (PCI:0000:): 999, no address")}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::kernel_log
