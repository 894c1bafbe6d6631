#include "replays.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/units.hpp"
#include "devices.hpp"
#include "replay/targets/caching_allocator_target.hpp"
#include "runtime/allocator/errors.hpp"
#include "trace_targets.hpp"

namespace gpucheck::application {

using namespace literals;

namespace {

using AllocatorKind = runtime::AllocatorChoice::Kind;

constexpr std::size_t max_samples = 512;
constexpr std::string_view sized_to_fit = "sim";
/// Of the largest simulated device, with room for what it keeps for itself.
constexpr std::uint64_t most_replayed_bytes = most_simulated_memory_bytes - 1_GiB;

MemoryLimit limit_for(const ReplaySubject& subject, const ReplayOptions& options) {
  using enum MemoryLimit::Source;
  if (options.memory_limit_bytes) return {option, options.memory_limit_bytes};
  // More than any simulated device has is no limit, wherever it comes from.
  const auto capped = [](std::uint64_t bytes) { return std::min(bytes, most_replayed_bytes); };
  if (subject.trace.memory_limit_bytes) return {trace, capped(*subject.trace.memory_limit_bytes)};
  if (!subject.recorded) return {};
  const replay::ConversionReport& report = *subject.recorded;
  if (report.recorded_capacity_bytes) return {recorded, capped(*report.recorded_capacity_bytes)};
  const bool small_enough = report.recorded_peak_reserved_bytes <= default_simulated_memory_bytes();
  return {options.device != sized_to_fit || small_enough ? device : not_recorded, std::nullopt};
}

/// The simulated device that is chosen by default grows with what is asked of it; a
/// device that was chosen by name is what it is.
std::string device_for(const MemoryLimit& limit, const ReplayOptions& options) {
  if (options.device != sized_to_fit) return options.device;
  // Only the caching allocator keeps all that it reserves within a limit.
  if (limit.bytes && options.allocator.kind != AllocatorKind::caching) return simulated_device_of(*limit.bytes);
  const bool unknown = limit.source == MemoryLimit::Source::not_recorded;
  return simulated_device_with(limit.bytes.value_or(unknown ? most_replayed_bytes : 0));
}

/// A comparison says nothing of what other settings, or another limit, would come to.
bool asks_what_if(const ReplaySubject& subject, const ReplayOptions& options) {
  return !can_compare(subject, options) || !options.settings.empty() || options.memory_limit_bytes.has_value();
}

/// What cannot be applied is refused where it was asked for; where the file has it, the
/// report says so.
void check_library_options(std::span<const ReplaySubject> subjects, const ReplayOptions& options) {
  if (options.allocator.kind != AllocatorKind::library) return;
  if (!options.settings.empty()) throw UsageError("--settings: an allocator library takes no settings: leave them out");
  if (options.memory_limit_bytes && options.device != sized_to_fit) {
    throw UsageError(
        "--memory-limit: an allocator library takes no limit: leave --device out, which gives it a simulated device of "
        "that size");
  }
  if (subjects.size() > 1) {
    throw UsageError(
        fmt::format("an allocator library keeps memory of one device from one trace to the next, so it plays one trace "
                    "in one run, and here are {}: choose one with --trace or --device-index",
                    subjects.size()));
  }
}

class Player {
 public:
  Player(const ReplaySubject& subject, const ReplayOptions& options)
      : subject_(subject), options_(options), limit_(limit_for(subject, options)) {}

  /// Each play begins on a device of its own, so that none depends on the one before.
  Replay play(const std::string& settings) {
    Replay result{settings, limit_, {}, {}, {}, 0, std::nullopt, std::nullopt};
    const replay::TargetOptions conditions{settings, limit_.bytes, subject_.trace.stream_count};
    const auto on_new_device = [&](auto&& use) {
      const runner::OpenedDriver opened = open_driver(device_for(limit_, options_), 0);
      const auto device = opened.driver->open(opened.ordinal);
      if (!device.has_value()) device::check(device.error(), "opening the device");
      result.device = opened.resolved;
      result.device_note = opened.note;
      result.device_name = (*device)->properties().name;
      result.device_memory_bytes = (*device)->properties().total_memory_bytes;
      use(**device);
    };
    if (can_compare(subject_, options_)) {
      on_new_device([&](device::Device& device) {
        replay::CachingAllocatorTarget target(device, conditions);
        result.comparison = replay::compare(subject_.trace, target);
      });
    }
    if (asks_what_if(subject_, options_)) {
      on_new_device([&](device::Device& device) {
        const bool is_simulated = result.device.starts_with(sized_to_fit);
        const auto target = make_trace_target(options_.allocator, device, is_simulated, conditions);
        result.what_if = replay::what_if(subject_.trace, *target, max_samples);
      });
    }
    return result;
  }

 private:
  const ReplaySubject& subject_;
  const ReplayOptions& options_;
  MemoryLimit limit_;
};

ReplayVerdict judge(const ReplaySubject& subject, const std::vector<Replay>& replays, const ReplayOptions& options) {
  if (subject.trace.events.empty()) return ReplayVerdict::empty;
  if (can_compare(subject, options)) {
    const bool equal = std::ranges::all_of(replays, [](const Replay& replay) { return replay.comparison->equal(); });
    return equal ? ReplayVerdict::equal : ReplayVerdict::differs;
  }
  const bool asked = subject.recorded || !options.settings.empty() || options.memory_limit_bytes ||
                     options.allocator.kind != AllocatorKind::caching;
  if (!asked) return ReplayVerdict::nothing_to_compare;
  const bool fits =
      std::ranges::any_of(replays, [](const Replay& replay) { return !replay.what_if->runs_out_of_memory(); });
  return fits ? ReplayVerdict::fits : ReplayVerdict::out_of_memory;
}

SubjectReplays play_one(const ReplaySubject& subject, const ReplayOptions& options) {
  SubjectReplays result{&subject, {}, {}};
  Player player(subject, options);
  for (const std::string& settings : options.settings) result.replays.push_back(player.play(settings));
  if (options.settings.empty()) {
    try {
      result.replays.push_back(player.play(subject.trace.settings));
    } catch (const runtime::SettingsError& error) {  // the file's mistake, not the command line's
      throw EnvironmentError(
          fmt::format("{}, {}: the settings it was recorded under are refused: {}; give others "
                      "with --settings",
                      subject.file, subject.trace.name, error.what()));
    }
  }
  result.verdict = judge(subject, result.replays, options);
  return result;
}

}  // namespace

std::string_view to_text(ReplayVerdict verdict) {
  switch (verdict) {
    case ReplayVerdict::equal:
      return "equal";
    case ReplayVerdict::differs:
      return "differs";
    case ReplayVerdict::fits:
      return "fits";
    case ReplayVerdict::out_of_memory:
      return "out_of_memory";
    case ReplayVerdict::nothing_to_compare:
      return "nothing_to_compare";
    case ReplayVerdict::empty:
      return "empty";
  }
  return "";
}

bool can_compare(const ReplaySubject& subject, const ReplayOptions& options) noexcept {
  return subject.has_expectations() && options.allocator.kind == AllocatorKind::caching;
}

std::vector<SubjectReplays> play_all(std::span<const ReplaySubject> subjects, const ReplayOptions& options) {
  check_library_options(subjects, options);
  std::vector<SubjectReplays> results;
  for (const ReplaySubject& subject : subjects) results.push_back(play_one(subject, options));
  return results;
}

harness::ExitCode exit_code(std::span<const SubjectReplays> results) noexcept {
  using enum ReplayVerdict;
  const auto any = [results](ReplayVerdict one, ReplayVerdict other) {
    return std::ranges::any_of(
        results, [&](const SubjectReplays& result) { return result.verdict == one || result.verdict == other; });
  };
  if (any(differs, out_of_memory)) return harness::ExitCode::failed;
  if (results.empty() || any(nothing_to_compare, empty)) return harness::ExitCode::not_judged;
  return harness::ExitCode::passed;
}

}  // namespace gpucheck::application
