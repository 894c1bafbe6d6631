#include "replay/verdict/subject.hpp"

#include <fmt/format.h>
#include <utility>

#include "base/error.hpp"
#include "replay/analysis/snapshot_summary.hpp"
#include "replay/formats/file.hpp"

namespace gpucheck::replay {

namespace {

Subject subject_of(const std::string& file, const Snapshot& snapshot, std::size_t device, PrivatePools pools) {
  Conversion conversion = convert(snapshot, device, pools);
  return {file, std::move(conversion.trace), conversion.report, std::move(conversion.recorded_events)};
}

std::vector<Subject> subjects_of(const std::string& file, const Snapshot& snapshot, std::optional<int> device,
                                 PrivatePools pools) {
  std::vector<Subject> subjects;
  if (device) {
    subjects.push_back(subject_of(file, snapshot, static_cast<std::size_t>(*device), pools));
    return subjects;
  }
  for (const std::size_t i : devices_of(snapshot)) {
    const bool has_events = i < snapshot.device_traces.size() && !snapshot.device_traces[i].empty();
    if (has_events) subjects.push_back(subject_of(file, snapshot, i, pools));
  }
  if (subjects.empty()) {
    throw EnvironmentError(
        fmt::format("{}: the snapshot holds no events, so there is nothing to replay: call "
                    "torch.cuda.memory._record_memory_history() before the part of the program that is to be replayed",
                    file));
  }
  return subjects;
}

}  // namespace

bool Subject::has_expectations() const {
  return !trace.expected_statistics.empty() || !trace.final_statistics.empty() || trace.final_segments.has_value();
}

std::vector<Subject> load_subjects(const std::string& file, std::optional<int> recorded_device, PrivatePools pools) {
  FileContent content = read_file(file);
  if (const auto* const snapshot = std::get_if<Snapshot>(&content)) {
    return subjects_of(file, *snapshot, recorded_device, pools);
  }
  std::vector<Subject> subjects;
  for (Trace& trace : std::get<std::vector<Trace>>(content)) {
    subjects.push_back({file, std::move(trace), std::nullopt, {}});
  }
  return subjects;
}

}  // namespace gpucheck::replay
