#include "report/merged/merged_words.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string_view>

#include "base/text/sanitize.hpp"
#include "report/verdict_text.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::Verdict;

std::string nodes(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "node" : "nodes"); }

std::string names_of(const fleet::Fleet& fleet, const std::vector<std::size_t>& places) {
  std::vector<std::string> names;
  names.reserve(places.size());
  for (const std::size_t place : places) names.push_back(one_line(fleet.nodes[place].name, 80));
  return some_of(names, names.size());
}

/// "device 3 GPU-… 0000:1b:00.0: failed memtest.modulo_20; next: replace (GC2001 memory_mismatch)".
std::string reason_of(const harness::DeviceVerdict& verdict, const std::string& who) {
  std::string text = who + ":";
  const auto add = [&text](std::string_view word, const std::vector<std::string>& names) {
    if (!names.empty())
      text += fmt::format("{} {} {}", text.ends_with(':') ? "" : ";", word, some_of(names, names.size()));
  };
  add("failed", verdict.failed);
  add("differs from its peers in", verdict.failed_comparisons);
  add("not judged", verdict.unjudged);
  if (text.ends_with(':')) text += " " + counts_text(verdict.counts);
  const std::string steps = next_steps_text(verdict);
  if (!steps.empty()) text += "; next: " + steps;
  return text;
}

void add_reasons_of_run(std::vector<std::string>& reasons, const fleet::KeptRun& run) {
  for (const harness::DeviceVerdict& one : run.verdicts) {
    if (one.verdict == Verdict::passed) continue;
    const auto device = std::ranges::find(run.start.devices, one.device, &harness::DeviceIdentity::index);
    const std::string who =
        device == run.start.devices.end()
            ? fmt::format("device {}", one.device)
            : fmt::format("device {} {} {}", one.device, one_line(device->uuid, 80), one_line(device->pci_bus_id, 80));
    reasons.push_back(reason_of(one, who));
  }
  if (run.of_machine && run.of_machine->verdict != Verdict::passed) {
    reasons.push_back(reason_of(*run.of_machine, "machine"));
  }
}

/// A run that shows nothing wrong with any device, and is not a pass, says at least how it ended.
std::string end_of(const fleet::KeptRun& run) {
  return fmt::format("{}: exit code {}, {}", run.file, run.end.exit_code, counts_text(run.end.counts));
}

}  // namespace

NodeCounts count_nodes(const fleet::Fleet& fleet) {
  NodeCounts counts;
  for (const fleet::FleetNode& node : fleet.nodes) {
    ++(node.verdict == Verdict::passed   ? counts.passed
       : node.verdict == Verdict::failed ? counts.failed
                                         : counts.not_judged);
  }
  return counts;
}

std::string nodes_text(const fleet::Fleet& fleet) {
  const NodeCounts counts = count_nodes(fleet);
  const std::size_t all = std::max(fleet.expected.count.value_or(0), fleet.nodes.size() + fleet.missing_count);
  std::string text = fmt::format("{} of {} passed", counts.passed, nodes(all));
  if (counts.failed > 0) text += fmt::format(", {} failed", counts.failed);
  if (counts.not_judged > 0) text += fmt::format(", {} not judged", counts.not_judged);
  if (fleet.missing_count > 0) text += fmt::format(", {} did not report", fleet.missing_count);
  return text;
}

std::string extent_text(const fleet::Fleet& fleet) {
  std::set<std::string_view> uuids;
  std::size_t without = 0;
  for (const fleet::KeptRun& run : fleet.runs) {
    for (const harness::DeviceIdentity& device : run.start.devices) {
      // What is simulated has the same name on every node.
      if (device.uuid.empty() || device.kind != "cuda") {
        ++without;
      } else {
        uuids.insert(device.uuid);
      }
    }
  }
  const harness::Counts counts = fleet::counts_of(fleet);
  const std::size_t gpus = uuids.size() + without;
  return fmt::format("{}, {} {}, {} results: {}", nodes(fleet.nodes.size()), gpus, gpus == 1 ? "GPU" : "GPUs",
                     counts.total(), counts_text(counts));
}

std::vector<std::string> reasons_of(const fleet::Fleet& fleet, const fleet::FleetNode& node) {
  std::vector<std::string> reasons;
  if (node.verdict == Verdict::passed) return reasons;
  for (const std::size_t run : node.runs) add_reasons_of_run(reasons, fleet.runs[run]);
  for (const std::string& reason : node.reasons) reasons.push_back(one_line(reason, 1000));
  if (!reasons.empty()) return reasons;
  for (const std::size_t run : node.runs) reasons.push_back(end_of(fleet.runs[run]));
  return reasons;
}

std::vector<std::string> problems_of(const fleet::Fleet& fleet) {
  std::vector<std::string> problems;
  for (const fleet::FileProblem& one : fleet.problems) {
    const bool names_itself = one.reason.find(one.path) != std::string::npos;
    problems.push_back(one_line(names_itself ? one.reason : one.path + ": " + one.reason, 1000));
  }
  if (!fleet.missing.empty()) {
    problems.push_back(
        fmt::format("{} did not report: {}", nodes(fleet.missing_count), some_of(fleet.missing, fleet.missing_count)));
  } else if (fleet.missing_count > 0) {
    problems.push_back(fmt::format("{} did not report: {} were expected", nodes(fleet.missing_count),
                                   fleet.expected.count.value_or(0)));
  }
  std::vector<std::string> strangers;
  for (const fleet::FleetNode& node : fleet.nodes) {
    if (!node.is_expected) strangers.push_back(one_line(node.name, 80));
  }
  if (!strangers.empty()) {
    problems.push_back(fmt::format("{} reported that nobody expects: {}", nodes(strangers.size()),
                                   some_of(strangers, strangers.size())));
  } else if (fleet.expected.count && fleet.nodes.size() > *fleet.expected.count) {
    problems.push_back(
        fmt::format("{} reported, but {} were expected", nodes(fleet.nodes.size()), *fleet.expected.count));
  }
  return problems;
}

std::string difference_text(const fleet::Fleet& fleet, const fleet::Difference& difference) {
  std::vector<std::string> shares;
  for (const fleet::Difference::Share& share : difference.shares) {
    shares.push_back(fmt::format("{} on {}", share.value,
                                 shares.empty() ? nodes(share.nodes.size()) : names_of(fleet, share.nodes)));
  }
  return fmt::format("{}: {}", difference.what, fmt::join(shares, "; "));
}

std::string_view second_look_word(fleet::SecondLook look) noexcept {
  constexpr std::array<std::string_view, 3> words{"none", "confirmed", "refuted"};
  return words[static_cast<std::size_t>(look)];
}

std::string compared_device_name(const fleet::Fleet& fleet, int subject) {
  const fleet::Subject& one = fleet.across.subjects.at(static_cast<std::size_t>(subject));
  return one_line(fmt::format("{} {}", one.host, one.device.uuid.empty() ? one.device.pci_bus_id : one.device.uuid));
}

}  // namespace gpucheck::report
