#include "replay/verdict/replays.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "base/error.hpp"
#include "replay/targets/make_target.hpp"
#include "runtime/allocator/errors.hpp"

namespace gpucheck::replay {

namespace {

constexpr std::size_t max_samples = 512;

/// Calls `use` with a new device that has room for the limit; notes which in `result`.
template <typename Use>
void on_new_device(const Request& request, Replay& result, Use&& use) {
  const PlayedDevice played = request.devices.open(device_bytes_for(result.limit, request));
  const device::DeviceProperties& properties = played.device->properties();
  result.device = played.label;
  result.device_note = played.note;
  result.device_name = properties.name;
  result.device_memory_bytes = properties.total_memory_bytes;
  use(played);
}

Replay play(const Subject& subject, const Request& request, const std::string& settings) {
  Replay result{settings, memory_limit_of(subject, request), {}, {}, {}, 0, std::nullopt, std::nullopt};
  const TargetOptions conditions{settings, result.limit.bytes, subject.trace.stream_count};
  if (can_compare(subject, request)) {
    on_new_device(request, result, [&](const PlayedDevice& played) {
      const auto target = make_comparable_target(subject.trace, *played.device, conditions);
      result.comparison = compare(subject.trace, *target);
    });
  }
  if (asks_what_if(subject, request)) {
    on_new_device(request, result, [&](const PlayedDevice& played) {
      const auto target =
          make_target(subject.trace, request.allocator, *played.device, played.is_simulated, conditions);
      result.what_if = what_if(subject.trace, *target, max_samples);
    });
  }
  return result;
}

Replay play_as_recorded(const Subject& subject, const Request& request) {
  try {
    return play(subject, request, subject.trace.settings);
  } catch (const runtime::SettingsError& error) {  // the file's mistake, not that of whoever asks
    throw EnvironmentError(
        fmt::format("{}, {}: the settings it was recorded under are rejected: {}; give others "
                    "with --settings",
                    subject.file, subject.trace.name, error.what()));
  }
}

Evidence evidence_of(const Subject& subject, const Request& request, std::span<const Replay> replays) {
  Evidence evidence{.has_events = !subject.trace.events.empty(),
                    .is_compared = can_compare(subject, request),
                    .asks_for_memory = subject.recorded || !request.settings.empty() || request.memory_limit_bytes ||
                                       request.allocator.kind != runtime::AllocatorChoice::Kind::caching};
  for (const Replay& replay : replays) {
    if (replay.comparison) evidence.are_equal.push_back(replay.comparison->equal());
    if (replay.what_if) evidence.are_out_of_memory.push_back(replay.what_if->runs_out_of_memory());
  }
  return evidence;
}

SubjectReplays play_one(const Subject& subject, const Request& request) {
  SubjectReplays result{&subject, {}, {}};
  for (const std::string& settings : request.settings) result.replays.push_back(play(subject, request, settings));
  if (request.settings.empty()) result.replays.push_back(play_as_recorded(subject, request));
  result.verdict = judge(evidence_of(subject, request, result.replays));
  return result;
}

}  // namespace

std::vector<SubjectReplays> play_all(std::span<const Subject> subjects, const Request& request) {
  std::vector<SubjectReplays> results;
  results.reserve(subjects.size());
  for (const Subject& subject : subjects) results.push_back(play_one(subject, request));
  return results;
}

Outcome outcome_of(std::span<const SubjectReplays> results) {
  std::vector<Verdict> verdicts;
  std::ranges::transform(results, std::back_inserter(verdicts), &SubjectReplays::verdict);
  return outcome_of(verdicts);
}

}  // namespace gpucheck::replay
