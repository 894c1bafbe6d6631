#include "replay/advice/advice.hpp"

#include <algorithm>
#include <utility>

#include "runtime/allocator/errors.hpp"
#include "runtime/allocator/settings.hpp"

namespace gpucheck::replay {

namespace {

/// Empty where PyTorch takes them.
std::string rejection_of(const std::string& settings) {
  try {
    const runtime::AllocatorSettings parsed = runtime::parse_settings(settings);
    require_same_backend(parsed, runtime::AllocatorSettings{});
    return "";
  } catch (const runtime::SettingsError& error) {
    return error.what();
  }
}

std::vector<std::string> references_of(const Advice& advice, const AdviceRequest& request) {
  const std::string others = advice.rejection.empty() ? other_settings(advice.recorded_settings) : "";
  std::vector<std::string> references;
  if (advice.rejection.empty()) references.push_back(advice.recorded_settings);
  std::vector<std::string> more{others, joined_settings("expandable_segments:True", others)};
  more.insert(more.end(), request.settings.begin(), request.settings.end());
  for (std::string& settings : more) {
    if (std::ranges::find(references, settings) == references.end()) references.push_back(std::move(settings));
  }
  return references;
}

std::vector<Candidate> candidates_for(const Advice& advice) {
  std::vector<Candidate> candidates = search_space();
  if (!advice.rejection.empty()) return candidates;
  const std::string others = other_settings(advice.recorded_settings);
  for (Candidate& candidate : candidates) candidate.settings = joined_settings(candidate.settings, others);
  return candidates;
}

}  // namespace

const RankedSettings* Advice::of(const std::string& settings) const noexcept {
  const auto row = std::ranges::find(search.ranking, settings, &RankedSettings::settings);
  return row == search.ranking.end() ? nullptr : &*row;
}

const RankedSettings* Advice::advised() const noexcept {
  if (search.ranking.empty() || !search.ranking.front().smallest_memory_bytes) return nullptr;
  const RankedSettings& best = search.ranking.front();
  const RankedSettings* const recorded_row = as_recorded();
  if (recorded_row == nullptr || !recorded_row->smallest_memory_bytes) return &best;
  const std::uint64_t bytes = *recorded_row->smallest_memory_bytes;
  if (*best.smallest_memory_bytes <= bytes - bytes / 100 && *best.smallest_memory_bytes < bytes) return &best;
  // A little is worth it where that makes the program fit.
  return fits() && !fits_as_recorded() ? &best : nullptr;
}

bool Advice::fits_as_recorded() const noexcept {
  if (!memory_limit_bytes) return true;
  const RankedSettings* const row = as_recorded();
  return row != nullptr && row->at_limit && row->at_limit->runs_to_its_end();
}

bool Advice::fits() const noexcept {
  if (!memory_limit_bytes) return true;
  return std::ranges::any_of(search.ranking,
                             [](const RankedSettings& row) { return row.at_limit && row.at_limit->runs_to_its_end(); });
}

Advice advise(Snapshot& snapshot, std::size_t device, const AdviceRequest& request) {
  Conversion conversion = convert(snapshot, device);
  Trace& trace = conversion.trace;
  Advice advice;
  advice.device = device;
  advice.recorded = conversion.report;
  advice.recorded_settings = trace.settings;
  advice.rejection = rejection_of(advice.recorded_settings);
  advice.failures = explain_out_of_memory(
      snapshot, device, runtime::parse_settings(advice.rejection.empty() ? advice.recorded_settings : ""));
  snapshot.device_traces[device] = {};
  advice.memory_limit_bytes = request.memory_limit_bytes;
  if (!advice.memory_limit_bytes && conversion.report.recorded_capacity_bytes) {
    const auto& sizes = request.devices.sizes;
    advice.memory_limit_bytes =
        std::min(*conversion.report.recorded_capacity_bytes, sizes ? sizes->max_bytes : UINT64_MAX);
    advice.limit_is_recorded = true;
  }
  advice.step_count = trace.events.size();
  reuse_allocation_numbers(trace);
  advice.live = live_at_peak(trace, conversion.stacks);
  advice.search = search_settings(trace, {.references = references_of(advice, request),
                                          .candidates = candidates_for(advice),
                                          .memory_limit_bytes = advice.memory_limit_bytes,
                                          .devices = request.devices,
                                          .threads = request.threads,
                                          .on_progress = request.on_progress});
  if (request.wants_curves) {
    for (const RankedSettings* const row : {advice.as_recorded(), advice.advised()}) {
      if (row == nullptr) continue;
      advice.curves.push_back(usage_curve(trace, row->settings, row->unlimited.peak_reserved_bytes, request.devices));
    }
  }
  advice.recorded_events = std::move(conversion.recorded_events);
  return advice;
}

Outcome outcome_of(const std::vector<Advice>& advices) {
  if (advices.empty()) return Outcome::not_judged;
  return std::ranges::all_of(advices, &Advice::fits) ? Outcome::passed : Outcome::failed;
}

}  // namespace gpucheck::replay
