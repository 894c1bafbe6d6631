#include "harness/failure_kinds.hpp"

#include <algorithm>
#include <cctype>

#include "harness/result.hpp"

namespace gpucheck::harness {
namespace {

using enum Severity;
using enum FailureCategory;
using enum NextAction;

constexpr FailureKind kinds[] = {
    {"GC1001", "missing_gpu", critical, configuration, drain, "The machine has fewer GPUs than it should.",
     "Look for the GPU in lspci and in the kernel log; restart the machine. Where it stays away, reseat or replace "
     "it."},
    {"GC1002", "mixed_versions", serious, configuration, configure, "GPUs of one machine differ in VBIOS or board.",
     "Update all of them to one VBIOS; replace a board of another kind."},
    {"GC1003", "wrong_mode", serious, configuration, configure,
     "The GPU is in a mode that keeps programs from using it (compute mode, MIG, no fabric).",
     "Set the mode that jobs expect (nvidia-smi -c, -mig), or exclude the case where the mode is meant."},
    {"GC1004", "foreign_process", warning, configuration, rerun, "Another process uses the GPU.",
     "Find it by its number, end it or wait for it, and run again."},
    {"GC1005", "power_limit_lowered", warning, configuration, configure, "The GPU's power limit is below its default.",
     "Set it back (nvidia-smi -pl), or give this host class limits of its own."},
    {"GC2001", "memory_mismatch", critical, memory, replace, "Device memory gave back another value than was written.",
     "Drain the machine. Run the case again: one that repeats at the same address is a defect of the memory, and the "
     "GPU "
     "is to be replaced; one at changing addresses may come from power or heat."},
    {"GC2002", "uncorrectable_memory_error", critical, memory, reset,
     "The memory's error correction met an error that it could not correct.",
     "Reset the GPU, so that the row is remapped, and run again. Replace it when it happens once more."},
    {"GC2003", "row_remap_pending", serious, memory, reset, "A row of memory waits to be replaced by a spare one.",
     "Reset the GPU (nvidia-smi -r) or restart the machine: the spare row is used from then on."},
    {"GC2004", "row_remap_failed", critical, memory, replace, "No spare row was left for a row of memory that is bad.",
     "Replace the GPU."},
    {"GC2005", "memory_not_covered", serious, memory, rerun, "Less of the memory could be tested than should be.",
     "End what else uses the GPU's memory, and run again."},
    {"GC2006", "slow_memory", serious, memory, drain, "The device's memory is slower than it should be.",
     "Look at clocks, temperature and error counters (gpucheck info); reset the GPU and run again. Replace it when it "
     "stays slow.",
     true},
    {"GC2007", "many_corrected_errors", warning, memory, rerun, "The memory corrects many errors.",
     "Run again; drain the machine when the number goes on growing."},
    {"GC3001", "wrong_product", critical, compute, replace, "A computation with a known answer came to another one.",
     "Drain the machine and run again. Replace the GPU when it repeats: what it computes cannot be trusted."},
    {"GC3002", "not_a_number", critical, compute, replace,
     "A computation of plain integers came to a NaN or an infinity.",
     "Drain the machine and run again. Replace the GPU when it repeats."},
    {"GC3003", "slow_compute", serious, compute, drain, "The GPU computes slower than it should.",
     "Look at clocks, their reasons, power limit and temperature (gpucheck info); reset and run again. Replace the GPU "
     "when it stays slow at full clocks.",
     true},
    {"GC3004", "bad_multiprocessor", critical, compute, replace,
     "One multiprocessor is wrong, or slower than the others.",
     "Reset the GPU and run again; replace it when the same multiprocessor is named."},
    {"GC4001", "host_link_degraded", serious, interconnect, reset,
     "The link to the host runs with fewer lanes, or slower, than both its ends can.",
     "Restart the machine; reseat the GPU or its riser; look at the slot's settings in the BIOS."},
    {"GC4002", "host_link_errors", serious, interconnect, drain, "The link to the host repeats many packets.",
     "Reseat the GPU or its riser; replace the riser, then the GPU."},
    {"GC4003", "nvlink_down", critical, interconnect, reset, "An NVLink is not up that should be.",
     "Reset all GPUs of the machine together; look at the fabric manager's log. Replace the GPU, or the switch, whose "
     "link stays down."},
    {"GC4004", "nvlink_errors", serious, interconnect, drain, "An NVLink counts errors.",
     "Reset all GPUs of the machine together and run again; replace what the links that count have in common."},
    {"GC4005", "fabric_not_ready", critical, interconnect, configure, "The NVLink fabric is not ready.",
     "Start the fabric manager (systemctl status nvidia-fabricmanager); look into its log."},
    {"GC4006", "slow_host_transfer", serious, interconnect, drain,
     "Copies between host and device are slower than they should be.",
     "Look at the link (health.pcie_link), at the host's NUMA placement and IOMMU; run again alone.", true},
    {"GC4007", "slow_peer_transfer", serious, interconnect, drain,
     "Copies between two GPUs are slower than they should be.",
     "Look at the NVLinks (health.nvlink), and at PCIe's access control services where there are none.", true},
    {"GC4008", "corrupted_transfer", critical, interconnect, replace, "A copy arrived with other bytes than were sent.",
     "Drain the machine. Run again with each GPU of the pair and others: replace the one that all bad copies share."},
    {"GC4009", "wrong_collective", critical, interconnect, drain, "A collective operation gave a wrong result.",
     "Drain the machine; the case names the GPU that all wrong pairs share. Reset, run again, replace it."},
    {"GC4010", "slow_collective", serious, interconnect, drain, "A collective operation is slower than it should be.",
     "Look at the pairs in the result for the slow GPU; look at its NVLinks.", true},
    {"GC5001", "overheated", serious, power_and_heat, drain,
     "The GPU is at or near the temperature at which it slows down.",
     "Look at fans, airflow and coolant; run again when it is cool."},
    {"GC5002", "clocks_slowed", serious, power_and_heat, drain,
     "The hardware lowered the GPU's clocks: heat, or the power supply's brake.",
     "Look at the reason in the result: cooling for heat, power supply and cables for the power brake."},
    {"GC5003", "power_not_reached", warning, power_and_heat, drain,
     "Under full load the GPU draws less power than it should.",
     "Look at its power limit and clocks; compare with the machine's other GPUs."},
    {"GC6001", "behaviour_differs", serious, software, configure,
     "The CUDA driver or the runtime behaves unlike what deep-learning frameworks rely on.",
     "Run again; update the driver (gpucheck info shows it). Where it stays, report it with the JSON result."},
    {"GC6002", "rule_broken", serious, software, rerun,
     "A case left something behind, memory or an error, or raced, although its own work was right.",
     "Run the case again by its rerun command; report it with the JSON result when it repeats."},
    {"GC6003", "driver_unfit", critical, software, configure, "Driver, libraries or device files do not fit together.",
     "Install the driver that the CUDA version needs; the case says what is missing."},
    {"GC7001", "hardware_error_reported", critical, compute, drain,
     "The driver reported an error of the hardware (XID).",
     "Look up the XID's number in NVIDIA's XID catalogue; reset the GPU and run again. Replace it when it repeats."},
    {"GC7002", "crash", critical, software, drain, "The process that used the GPU died.",
     "Look at its last words and the kernel log; run again. With the same end on one GPU alone, replace that GPU."},
    {"GC7003", "hang", critical, software, reset, "The GPU or its driver did not answer in time.",
     "Look at the kernel log; reset the GPU or restart the machine, and run again. Replace it when it repeats."},
    {"GC8001", "too_slow", serious, compute, drain, "A measured speed is below its limit.",
     "Run again with nothing else on the machine; compare with other machines (gpucheck baseline).", true},
    {"GC8002", "unsteady_speed", warning, compute, rerun,
     "A measured speed changes too much from one sample to the next to be judged.",
     "Run again with nothing else on the machine; look at clocks and temperature (gpucheck info), and for what else "
     "uses the host's memory and links.",
     true},
    {"GC9001", "not_judged", serious, tool, rerun, "The tool or the driver could not judge.",
     "Read the reason; mend what is missing and run again. Nothing is known about the GPU until then."},
};

template <typename Enumeration, std::size_t count>
std::string_view word(const std::string_view (&words)[count], Enumeration value) noexcept {
  return words[static_cast<std::size_t>(value)];
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::crash:
      return "crash";
    case Outcome::hang:
      return "hang";
    case Outcome::error:
      return "not_judged";
    default:
      return {};
  }
}

}  // namespace

std::string_view to_text(Severity severity) noexcept { return word({"warning", "serious", "critical"}, severity); }

std::string_view to_text(FailureCategory category) noexcept {
  return word({"configuration", "memory", "compute", "interconnect", "power_and_heat", "software", "tool"}, category);
}

std::string_view to_text(NextAction action) noexcept {
  return word({"rerun", "configure", "reset", "drain", "replace"}, action);
}

std::span<const FailureKind> failure_kinds() noexcept { return kinds; }

const FailureKind* find_failure_kind(std::string_view code_or_name) noexcept {
  const auto* const found = std::ranges::find_if(kinds, [&](const FailureKind& kind) {
    return kind.name == code_or_name || equal_in_any_case(kind.code, code_or_name);
  });
  return found == std::end(kinds) ? nullptr : found;
}

std::vector<const FailureKind*> failures_of(const CaseResult& result) {
  std::vector<const FailureKind*> found;
  const auto add = [&found](std::string_view code_or_name) {
    const FailureKind* const kind = find_failure_kind(code_or_name);
    if (kind != nullptr && std::ranges::find(found, kind) == found.end()) found.push_back(kind);
  };
  if (result.outcome == Outcome::pass || result.outcome == Outcome::skip) return found;
  add(name_of(result.outcome));
  for (const Mismatch& mismatch : result.mismatches) add(mismatch.failure);
  std::ranges::stable_sort(found, std::ranges::greater{}, [](const FailureKind* kind) { return kind->severity; });
  return found;
}

bool failed_by_speed_alone(const CaseResult& result) {
  const auto is_of_speed = [](const Mismatch& mismatch) {
    const FailureKind* const kind = find_failure_kind(mismatch.failure);
    return kind != nullptr && kind->of_speed;
  };
  return result.outcome == Outcome::fail && !result.mismatches.empty() &&
         std::ranges::all_of(result.mismatches, is_of_speed);
}

}  // namespace gpucheck::harness
