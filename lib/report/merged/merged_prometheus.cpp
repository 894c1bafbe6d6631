#include <algorithm>
#include <fmt/format.h>

#include "report/formats/exposition.hpp"
#include "report/merged/merged_formats.hpp"
#include "report/merged/merged_words.hpp"

namespace gpucheck::report {
namespace {

/// Devices that did not pass alone: what passed would be tens of thousands of series, and all of them 0.
void add_devices(Exposition& exposition, const fleet::FleetNode& node, const fleet::KeptRun& run) {
  for (const harness::DeviceVerdict& one : run.verdicts) {
    const harness::DeviceIdentity& device = run.start.devices[static_cast<std::size_t>(one.device)];
    const Labels labels{{"host", node.name}, {"device", fmt::format("{}", one.device)}, {"uuid", device.uuid}};
    if (one.verdict != harness::Verdict::passed) {
      exposition.add("gpucheck_device_not_passed", "A device that did not pass.",
                     with(labels, {{"verdict", std::string(harness::to_text(one.verdict))}}), 1);
    }
    for (const harness::FailureKind* kind : one.failures) {
      exposition.add("gpucheck_fleet_device_failure", "A kind of failure that the device has; gpucheck explain CODE.",
                     with(labels, {{"code", std::string(kind->code)},
                                   {"failure", std::string(kind->name)},
                                   {"severity", std::string(harness::to_text(kind->severity))},
                                   {"action", std::string(harness::to_text(kind->action))}}),
                     1);
    }
  }
}

}  // namespace

std::string merged_prometheus(const fleet::Fleet& fleet) {
  Exposition exposition;
  exposition.add_verdict("gpucheck_fleet_verdict", "1 for the verdict on the fleet.", {}, fleet.verdict);
  const NodeCounts counts = count_nodes(fleet);
  for (const auto& [state, count] :
       {std::pair("passed", counts.passed), std::pair("failed", counts.failed),
        std::pair("not_judged", counts.not_judged), std::pair("missing", fleet.missing_count)}) {
    exposition.add("gpucheck_fleet_nodes", "Nodes by what is known of them; a missing one did not report.",
                   {{"state", state}}, static_cast<double>(count));
  }
  exposition.add("gpucheck_fleet_problems", "Files that could not be read or are not journals.", {},
                 static_cast<double>(fleet.problems.size()));
  for (const fleet::FleetSuspect& one : fleet.suspects) {
    exposition.add("gpucheck_fleet_suspect_loss_ratio",
                   "By which share a rack, slot, node or GPU is worse than its sisters, or a GPU than it was, in what "
                   "it is worst in.",
                   {{"place", one.place},
                    {"worse_than", one.own_past ? "it was" : "usual"},
                    {"metric", one.suspect.evidence.front().metric},
                    {"second_look", std::string(second_look_word(one.second_look))}},
                   one.suspect.evidence.front().loss);
  }
  for (const std::string& name : fleet.missing) {
    exposition.add("gpucheck_node_missing", "A node that was expected and did not report.", {{"host", name}}, 1);
  }
  for (const fleet::FleetNode& node : fleet.nodes) {
    exposition.add_verdict("gpucheck_node_verdict", "1 for the verdict on the node.", {{"host", node.name}},
                           node.verdict);
    for (const std::size_t run : node.runs) add_devices(exposition, node, fleet.runs[run]);
  }
  return exposition.text();
}

}  // namespace gpucheck::report
