#include "fleet/nodes/fleet_suspects.hpp"

#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

#include "base/text/sanitize.hpp"
#include "fleet/nodes/fleet.hpp"

namespace gpucheck::fleet {
namespace {

/// The GPUs of the fleet, and what was measured of them.
class Measured {
 public:
  Measured(const Fleet& fleet, const Racks& racks) {
    for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
      for (const std::size_t run : fleet.nodes[i].runs) add(fleet.runs[run], racks, i);
    }
  }

  [[nodiscard]] const std::vector<Site>& sites() const noexcept { return sites_; }
  [[nodiscard]] std::size_t node_of(std::size_t site) const { return nodes_[site]; }
  [[nodiscard]] const std::string& uuid_of(std::size_t site) const { return uuids_[site]; }
  [[nodiscard]] std::vector<Metric> metrics() const { return in_order(metrics_); }
  [[nodiscard]] std::vector<FleetGpu> gpus() const {
    std::vector<FleetGpu> all;
    all.reserve(sites_.size());
    for (std::size_t i = 0; i < sites_.size(); ++i) all.push_back({.node = nodes_[i], .uuid = uuids_[i]});
    return all;
  }

  /// What a second run measured of GPUs that the first had.
  [[nodiscard]] std::vector<Metric> again(const std::vector<KeptRun>& runs) const {
    std::map<Key, Metric> metrics;
    for (const KeptRun& run : runs) {
      for (const KeptMeasurement& one : run.measurements) {
        const harness::DeviceIdentity& device = run.start.devices[static_cast<std::size_t>(one.device)];
        const auto site = site_by_gpu_.find({run.start.host_name, identity_of(device)});
        if (site != site_by_gpu_.end()) add_reading(metrics, device, one, site->second);
      }
    }
    return in_order(metrics);
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // model, case, key

  static std::string identity_of(const harness::DeviceIdentity& device) {
    return device.uuid.empty() ? device.pci_bus_id : device.uuid;
  }

  static std::vector<Metric> in_order(const std::map<Key, Metric>& metrics) {
    std::vector<Metric> all;
    all.reserve(metrics.size());
    for (const auto& [_, metric] : metrics) all.push_back(metric);
    return all;
  }

  static void add_reading(std::map<Key, Metric>& metrics, const harness::DeviceIdentity& device,
                          const KeptMeasurement& one, std::size_t site) {
    Metric& metric = metrics[{device.name, *one.case_name, *one.key}];
    metric.name = metric_name(one, device);
    metric.high_is_bad = one.high_is_bad;
    metric.readings.push_back({site, one.value});
  }

  void add(const KeptRun& run, const Racks& racks, std::size_t node) {
    std::vector<std::size_t> of_device;
    for (const harness::DeviceIdentity& device : run.start.devices) {
      const auto [place, is_new] = site_by_gpu_.try_emplace({run.start.host_name, identity_of(device)}, sites_.size());
      of_device.push_back(place->second);
      if (!is_new) continue;
      sites_.push_back({.node = run.start.host_name,
                        .slot = device.pci_bus_id.empty() ? fmt::format("{}", device.index) : device.pci_bus_id,
                        .rack = racks.of(run.start.host_name)});
      nodes_.push_back(node);
      uuids_.push_back(device.uuid);
    }
    for (const KeptMeasurement& one : run.measurements) {
      const auto index = static_cast<std::size_t>(one.device);
      add_reading(metrics_, run.start.devices[index], one, of_device[index]);
    }
  }

  std::vector<Site> sites_;
  std::vector<std::size_t> nodes_;  ///< of each site
  std::vector<std::string> uuids_;
  std::map<std::pair<std::string, std::string>, std::size_t> site_by_gpu_;
  std::map<Key, Metric> metrics_;
};

std::string place_of(const Suspect& suspect, const Measured& measured) {
  const Site& site = measured.sites()[suspect.site];
  switch (suspect.scope) {
    case Scope::rack:
      return "rack " + one_line(suspect.place, 80);
    case Scope::slot:
      return fmt::format("slot {} of every node", one_line(suspect.place, 80));
    case Scope::node:
      return "node " + one_line(suspect.place, 80);
    case Scope::gpu:
      return one_line(fmt::format("{} of {}", measured.uuid_of(suspect.site), site.node), 200);
  }
  return {};
}

/// "12.5 % worse than usual in gemm.bf16.mean_tflops of NVIDIA H100 (9.1 standard deviations), and in 3 other metrics".
std::string evidence_text(const FleetSuspect& one) {
  const Evidence& worst = one.suspect.evidence.front();
  std::string text = fmt::format("{:.1f} % worse than {} in {} ({:.1f} standard deviations)", 100 * worst.loss,
                                 one.own_past ? "it was" : "usual", one_line(worst.metric, 200), worst.scores);
  const std::size_t others = one.suspect.evidence.size() - 1;
  if (others > 0) text += fmt::format(", and in {} other {}", others, others == 1 ? "metric" : "metrics");
  if (!one.own_past) return text;
  return text + fmt::format(", since {} ({} {})", one_line(one.own_past->since, 40), one.own_past->runs,
                            one.own_past->runs == 1 ? "run" : "runs");
}

}  // namespace

void find_suspects(Fleet& fleet, const Racks& racks, const std::vector<KeptRun>& again) {
  const Measured measured(fleet, racks);
  fleet.metrics = measured.metrics();
  fleet.gpus = measured.gpus();
  const Outliers outliers = find_outliers(fleet.metrics, measured.sites());
  const std::vector<Metric> second = measured.again(again);
  for (const Suspect& suspect : outliers.suspects) {
    FleetSuspect& one = fleet.suspects.emplace_back();
    one.suspect = suspect;
    one.second_look = look_again(suspect, outliers.usual, second, measured.sites());
    one.place = place_of(suspect, measured);
    if (suspect.scope == Scope::gpu || suspect.scope == Scope::node) one.nodes = {measured.node_of(suspect.site)};
    if (suspect.scope == Scope::gpu) one.device_uuid = measured.uuid_of(suspect.site);
    blame(fleet, one);
  }
}

std::string metric_name(const KeptMeasurement& measurement, const harness::DeviceIdentity& device) {
  return fmt::format("{}.{} of {}", *measurement.case_name, *measurement.key, device.name);
}

void blame(Fleet& fleet, const FleetSuspect& suspect) {
  if (!counts_against(suspect)) return;
  for (const std::size_t place : suspect.nodes) {
    FleetNode& node = fleet.nodes[place];
    const bool confirmed = suspect.second_look == SecondLook::confirmed;
    if (confirmed) node.verdict = harness::Verdict::failed;
    if (!confirmed && node.verdict == harness::Verdict::passed) node.verdict = harness::Verdict::not_judged;
    node.reasons.push_back(
        fmt::format("{}: {}; {}", suspect.place, evidence_text(suspect),
                    confirmed ? "a second measurement confirms it" : "measure it again (gpucheck help fleet)"));
  }
}

std::string text_of(const FleetSuspect& suspect) {
  constexpr const char* looks[] = {"not measured again", "a second measurement confirms it",
                                   "a second measurement does not confirm it"};
  return fmt::format("{}: {}; {}", suspect.place, evidence_text(suspect),
                     looks[static_cast<std::size_t>(suspect.second_look)]);
}

bool counts_against(const FleetSuspect& suspect) noexcept { return suspect.second_look != SecondLook::refuted; }

}  // namespace gpucheck::fleet
