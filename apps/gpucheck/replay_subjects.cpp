#include "replay_subjects.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"
#include "harness/registry.hpp"
#include "replay/analysis/snapshot_summary.hpp"
#include "replay/formats/file.hpp"

namespace gpucheck::application {

namespace {

using Subjects = std::vector<ReplaySubject>;

void add_traces(const std::string& file, std::vector<replay::Trace> traces, Subjects& subjects) {
  for (replay::Trace& trace : traces) subjects.push_back({file, std::move(trace), std::nullopt, {}});
}

void add_device(const std::string& file, const replay::Snapshot& snapshot, std::size_t device, Subjects& subjects) {
  replay::Conversion conversion = replay::convert(snapshot, device);
  subjects.push_back({file, std::move(conversion.trace), conversion.report, std::move(conversion.recorded_events)});
}

void add_snapshot(const std::string& file, const replay::Snapshot& snapshot, std::optional<int> device,
                  Subjects& subjects) {
  if (device) return add_device(file, snapshot, static_cast<std::size_t>(*device), subjects);
  const std::size_t before = subjects.size();
  for (const std::size_t i : replay::devices_of(snapshot)) {
    const bool has_events = i < snapshot.device_traces.size() && !snapshot.device_traces[i].empty();
    if (has_events) add_device(file, snapshot, i, subjects);
  }
  if (subjects.size() == before) {
    throw EnvironmentError(
        fmt::format("{}: the snapshot holds no events, so there is nothing to replay: call "
                    "torch.cuda.memory._record_memory_history() before the part of the program that is to be replayed",
                    file));
  }
}

Subjects load(const std::string& file, std::optional<int> device) {
  replay::FileContent content = replay::read_file(file);
  Subjects subjects;
  if (auto* const traces = std::get_if<std::vector<replay::Trace>>(&content)) {
    add_traces(file, std::move(*traces), subjects);
  } else {
    add_snapshot(file, std::get<replay::Snapshot>(content), device, subjects);
  }
  return subjects;
}

/// Every glob must select something: one that silently selects nothing would be a trace
/// that silently is not checked.
void keep_named(Subjects& subjects, const std::vector<std::string>& globs) {
  const auto matches = [&subjects](const std::string& glob) {
    return std::ranges::any_of(
        subjects, [&](const ReplaySubject& subject) { return harness::matches_glob(glob, subject.trace.name); });
  };
  for (const std::string& glob : globs) {
    if (!matches(glob)) throw EnvironmentError(fmt::format("no trace in the files has a name like \"{}\"", glob));
  }
  if (globs.empty()) return;
  std::erase_if(subjects, [&](const ReplaySubject& subject) {
    return std::ranges::none_of(
        globs, [&](const std::string& glob) { return harness::matches_glob(glob, subject.trace.name); });
  });
}

}  // namespace

bool ReplaySubject::has_expectations() const {
  return !trace.expected_figures.empty() || !trace.final_statistics.empty() || trace.final_segments.has_value();
}

std::vector<ReplaySubject> load_subjects(const ReplayOptions& options) {
  Subjects subjects;
  for (const std::string& file : options.files) {
    std::ranges::move(load(file, options.recorded_device), std::back_inserter(subjects));
  }
  keep_named(subjects, options.trace_names);
  return subjects;
}

}  // namespace gpucheck::application
