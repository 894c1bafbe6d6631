#include <map>

#include "base/text/pci_address.hpp"
#include "cases/health/log/log_support.hpp"
#include "harness/xid/catalog.hpp"
#include "harness/xid/judge.hpp"

namespace gpucheck::cases::in_health::xid {
namespace {

using telemetry::KernelEvent;
using Kind = telemetry::KernelEventKind;
using Texts = std::vector<std::string>;

constexpr std::int64_t recovery_action_changed = 154;

/// A line that names no GPU can only be about the one that there is.
bool is_about(const KernelEvent& event, const std::string& address, bool is_only_gpu) {
  if (event.kind == Kind::switch_error) return false;
  return event.pci_address.empty() ? is_only_gpu : event.pci_address == address;
}

/// How often programs' errors of one number came from each place of the GPU.
using Places = std::map<std::string, std::int64_t>;

/// "GPC 2" of "GPC 2, TPC 1, SM 0".
std::string cluster_of(const std::string& place) { return place.substr(0, place.find(',')); }

/// A place from which most of them came, again and again. A program that is wrong does not choose its place; but one
/// that runs a single block always gets the same.
void add_suspect(std::int64_t xid, const Places& places, std::int64_t repeats, Texts& suspects) {
  std::int64_t all = 0;
  for (const auto& [_, count] : places) all += count;
  for (const auto& [place, count] : places) {
    if (count < repeats || 2 * count <= all) continue;
    suspects.push_back(fmt::format("XID {}: {} of {} from {}", xid, count, all, place));
  }
}

Texts suspect_places(const std::map<std::int64_t, Places>& places, std::int64_t repeats) {
  Texts suspects;
  for (const auto& [xid, of_xid] : places) {
    const std::size_t before = suspects.size();
    add_suspect(xid, of_xid, repeats, suspects);
    if (suspects.size() > before) continue;
    // Several multiprocessors of one cluster, and of that alone.
    Places clusters;
    for (const auto& [place, count] : of_xid) {
      if (place.starts_with("GPC ")) clusters[cluster_of(place)] += count;
    }
    add_suspect(xid, clusters, repeats, suspects);
  }
  return suspects;
}

/// What the log says of one GPU.
struct Seen {
  Findings findings;
  std::int64_t of_programs = 0;
  std::map<std::int64_t, Places> places;
  Texts earlier;
  const KernelEvent* action = nullptr;  ///< the last that the driver asked for
};

void take(Seen& seen, const KernelEvent& event) {
  const std::string_view failure = harness::failure_of(event);
  if (event.kind == Kind::xid && event.xid == recovery_action_changed) {
    seen.action = failure.empty() ? nullptr : &event;
    return;
  }
  if (event.kind == Kind::xid && harness::is_caused_by_programs(event.xid)) {
    seen.of_programs += event.count;
    const std::string place = telemetry::place_in_gpu(event.text);
    if (!place.empty()) seen.places[event.xid][place] += event.count;
  }
  if (!failure.empty()) seen.findings.add(failure, event);
}

Seen look(const JudgedLog& log, const std::string& address, bool is_only_gpu) {
  Seen seen;
  for (std::size_t i = 0; i < log.events().size(); ++i) {
    const KernelEvent& event = log.events()[i];
    if (!is_about(event, address, is_only_gpu)) continue;
    if (log.counts(i)) {
      take(seen, event);
    } else if (!harness::failure_of(event).empty()) {
      seen.earlier.push_back(harness::text_of(event));
    }
  }
  if (seen.action != nullptr) seen.findings.add(harness::failure_of(*seen.action), *seen.action);
  return seen;
}

/// The address of the GPU that is judged. A device that CUDA and NVML say nothing of is the one GPU on the bus, or not
/// known.
std::string own_address(harness::Context& context, const telemetry::Machine& machine) {
  std::string address = context.telemetry().gpus().front().pci_address;
  if (address.empty() && machine.host.pci_gpus.size() == 1) address = machine.host.pci_gpus.front().address;
  if (address.empty()) throw EnvironmentError("the log cannot be judged: this GPU's PCI address is not known");
  return normal_pci_address(address);
}

void run(harness::Context& context) {
  const telemetry::Machine machine = machine_beside_log(context);
  const JudgedLog log(context, machine);
  const std::string own = own_address(context, machine);
  const std::size_t gpus = machine.gpus.empty() ? machine.host.pci_gpus.size() : machine.gpus.size();
  const Seen seen = look(log, own, gpus == 1);
  const auto repeats = context.parameter<std::int64_t>("suspect_repeats");
  context.observe("lost", seen.findings.of("gpu_lost"));
  context.observe("needs_reset", seen.findings.of("gpu_reset_required"));
  context.observe("needs_reboot", seen.findings.of("reboot_required"));
  context.observe("needs_drain", seen.findings.of("drain_required"));
  context.observe("fabric", seen.findings.of("imex_recovery_required"));
  context.observe("xids", seen.findings.of("hardware_error_reported"));
  context.observe("to_watch", seen.findings.of("error_to_watch"));
  context.observe("from_one_place", suspect_places(seen.places, repeats));
  context.observe("xids_caused_by_programs", seen.of_programs);
  context.observe("earlier", shortened(seen.earlier));
  context.observe("log_begins", log.begin());
}

telemetry::FaultPlan lines(const char* text) { return telemetry::always(Aspect::kernel_lines, std::string(text)); }

/// Five errors of a program, all from one multiprocessor.
constexpr const char* one_place =
    "NVRM: Xid (PCI:ADDRESS): 13, pid=1, name=a, Graphics SM Warp Exception on (GPC 2, TPC 1, SM 0): Out Of Range\n"
    "NVRM: Xid (PCI:ADDRESS): 13, pid=2, name=a, Graphics SM Warp Exception on (GPC 2, TPC 1, SM 0): Out Of Range\n"
    "NVRM: Xid (PCI:ADDRESS): 13, pid=3, name=b, Graphics SM Warp Exception on (GPC 2, TPC 1, SM 0): Out Of Range\n"
    "NVRM: Xid (PCI:ADDRESS): 13, pid=4, name=b, Graphics SM Warp Exception on (GPC 2, TPC 1, SM 0): Out Of Range\n"
    "NVRM: Xid (PCI:ADDRESS): 13, pid=5, name=c, Graphics SM Warp Exception on (GPC 2, TPC 1, SM 0): Out Of Range\n";

std::vector<harness::Fault> faults() {
  return {{.name = "fallen_off_the_bus",
           .summary = "the log says that the GPU has fallen off its bus",
           .telemetry = telemetry::always(Aspect::kernel_xid, std::int64_t{79})},
          {.name = "uncorrectable_error",
           .summary = "the log has an uncorrectable error of the memory",
           .telemetry = telemetry::always(Aspect::kernel_xid, std::int64_t{48})},
          {.name = "unknown_number",
           .summary = "the log has an XID that no catalogue knows",
           .telemetry = telemetry::always(Aspect::kernel_xid, std::int64_t{999})},
          {.name = "reboot_asked_for",
           .summary = "the driver asks for a restart of the machine",
           .telemetry = lines("NVRM: Xid (PCI:ADDRESS): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node "
                              "Reboot Required)")},
          {.name = "drain_asked_for",
           .summary = "the driver asks to end the jobs that use the GPU from other GPUs",
           .telemetry =
               lines("NVRM: Xid (PCI:ADDRESS): 154, GPU recovery action changed from 0x0 (None) to 0x3 (Drain P2P)")},
          {.name = "fabric_recovery_asked_for",
           .summary = "the driver asks for the recovery of the IMEX domain",
           .telemetry = lines(
               "NVRM: Xid (PCI:ADDRESS): 154, GPU recovery action changed from 0x0 (None) to 0x5 (Recover IMEX)")},
          {.name = "nonfatal_link_error",
           .summary = "the log has an NVLink error that is not fatal",
           .telemetry = lines("NVRM: Xid (PCI:ADDRESS): 145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x04000001)")},
          {.name = "errors_from_one_place",
           .summary = "programs fail again and again on one multiprocessor",
           .telemetry = lines(one_place)}};
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.xid",
      .summary = "The kernel's log holds no critical error (XID) of the GPU but those that programs cause",
      .source = "NVIDIA's catalogue of XIDs",
      .needs = {.libraries = {std::string(harness::management_library)}},
      .parameters = {since_parameter(),
                     kernel_log_parameter(),
                     {.name = "suspect_repeats",
                      .summary =
                          "Errors of programs (XID 13, 31) from one place of the GPU, if most come from there, that "
                          "make it a suspect",
                      .default_value = std::int64_t{5},
                      .minimum = 2}},
      .faults = faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::xid
