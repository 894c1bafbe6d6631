#include "fleet/nodes/fleet_history.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/sanitize.hpp"
#include "base/text/utc.hpp"
#include "fleet/history/history.hpp"
#include "fleet/median.hpp"
#include "fleet/nodes/fleet.hpp"

namespace gpucheck::fleet {
namespace {

/// When the first run of each GPU started, by UUID.
std::map<std::string_view, std::chrono::system_clock::time_point> start_times(const Fleet& fleet) {
  std::map<std::string_view, std::chrono::system_clock::time_point> times;
  for (const KeptRun& run : fleet.runs) {
    for (const harness::DeviceIdentity& device : run.start.devices) {
      const auto [time, is_new] = times.try_emplace(device.uuid, run.start.start_time);
      if (!is_new) time->second = std::min(time->second, run.start.start_time);
    }
  }
  return times;
}

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

/// The values of each GPU of the fleet in one metric, by its place.
std::map<std::size_t, std::vector<double>> values_by_gpu(const Metric& metric) {
  std::map<std::size_t, std::vector<double>> values;
  for (const Reading& reading : metric.readings) {
    if (is_positive(reading.value)) values[reading.site].push_back(reading.value);
  }
  return values;
}

/// What a second measurement says of one GPU in one metric; the median of several.
std::optional<double> measured_again(const GpuDrift& drift, const std::vector<KeptRun>& again) {
  std::vector<double> values;
  for (const KeptRun& run : again) {
    for (const KeptMeasurement& one : run.measurements) {
      const harness::DeviceIdentity& device = run.start.devices[static_cast<std::size_t>(one.device)];
      if (device.uuid == drift.uuid && metric_name(one, device) == drift.metric && is_positive(one.value)) {
        values.push_back(one.value);
      }
    }
  }
  return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

SecondLook look_again_at(const GpuDrift& drift, const HistoryRecord& now, const std::vector<KeptRun>& again) {
  const std::optional<double> value = measured_again(drift, again);
  if (!value) return SecondLook::none;
  const auto metric = std::ranges::find(now.metrics, drift.metric, &RecordedMetric::name);
  const double usual = drift.is_relative ? metric->usual.value_or(1) : 1;
  const double loss = drift.before - level(*value, usual, drift.high_is_bad);
  return loss > -std::log1p(-drift.drift.loss) / 2 ? SecondLook::confirmed : SecondLook::refuted;
}

}  // namespace

HistoryRecord record_of(const Fleet& fleet) {
  constexpr std::size_t enough = 8;  // GPUs: the median of fewer is too much the GPU's own value
  HistoryRecord record;
  const auto times = start_times(fleet);
  std::map<std::size_t, std::size_t> places;  // in the record, by the place in the fleet
  for (std::size_t i = 0; i < fleet.gpus.size(); ++i) {
    const FleetGpu& gpu = fleet.gpus[i];
    if (gpu.uuid.empty()) continue;
    places[i] = record.gpus.size();
    record.gpus.push_back(
        {.uuid = gpu.uuid, .node = fleet.nodes[gpu.node].name, .time = utc_seconds(times.at(gpu.uuid)) + 'Z'});
  }
  for (const Metric& metric : fleet.metrics) {
    RecordedMetric& recorded = record.metrics.emplace_back();
    recorded.name = metric.name;
    recorded.high_is_bad = metric.high_is_bad;
    recorded.values.resize(record.gpus.size());
    std::vector<double> of_all;
    for (auto& [gpu, values] : values_by_gpu(metric)) {
      of_all.push_back(median(values));
      if (const auto place = places.find(gpu); place != places.end()) recorded.values[place->second] = of_all.back();
    }
    if (of_all.size() >= enough) recorded.usual = median(std::move(of_all));
  }
  return record;
}

void find_drifting(Fleet& fleet, const std::vector<HistoryRecord>& past, const std::vector<KeptRun>& again) {
  if (past.empty()) return;
  const HistoryRecord now = record_of(fleet);
  std::map<std::string, std::size_t> suspect_of;  // by UUID
  for (const GpuDrift& drift : find_drifting_gpus(past, now)) {
    const auto gpu = std::ranges::find(fleet.gpus, drift.uuid, &FleetGpu::uuid);
    const auto [place, is_new] = suspect_of.try_emplace(drift.uuid, fleet.suspects.size());
    if (is_new) {
      FleetSuspect& one = fleet.suspects.emplace_back();
      one.suspect.site = static_cast<std::size_t>(gpu - fleet.gpus.begin());
      one.own_past = OwnPast{.since = drift.since, .runs = drift.runs};
      one.second_look = look_again_at(drift, now, again);
      one.place = one_line(fmt::format("{} of {}", drift.uuid, fleet.nodes[gpu->node].name), 200);
      one.nodes = {gpu->node};
      one.device_uuid = drift.uuid;
    }
    fleet.suspects[place->second].suspect.evidence.push_back(
        {.metric = drift.metric, .loss = drift.drift.loss, .scores = drift.drift.scores});
  }
  for (const auto& [_, place] : suspect_of) blame(fleet, fleet.suspects[place]);
}

}  // namespace gpucheck::fleet
