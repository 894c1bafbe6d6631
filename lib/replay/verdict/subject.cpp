#include "replay/verdict/subject.hpp"

#include <fmt/format.h>
#include <utility>

#include "base/error.hpp"
#include "replay/analysis/snapshot_summary.hpp"
#include "replay/formats/file.hpp"

namespace gpucheck::replay {

namespace {

Subject subject_of(const std::string& file, const Snapshot& snapshot, std::size_t device, PrivatePools pools,
                   SettingChanges changes) {
  Conversion conversion = convert(snapshot, device, pools, changes);
  return {file, std::move(conversion.trace), conversion.report, std::move(conversion.recorded_events)};
}

FileSubjects subjects_of(const std::string& file, const Snapshot& snapshot, std::optional<int> device,
                         PrivatePools pools, SettingChanges changes) {
  FileSubjects result;
  std::vector<Subject>& subjects = result.subjects;
  if (device) {
    subjects.push_back(subject_of(file, snapshot, static_cast<std::size_t>(*device), pools, changes));
    return result;
  }
  result.idle_devices = idle_devices(snapshot);
  for (const std::size_t i : devices_of(snapshot)) {
    if (has_playable_event(snapshot, i)) subjects.push_back(subject_of(file, snapshot, i, pools, changes));
  }
  if (subjects.empty()) {
    throw EnvironmentError(
        fmt::format("{}: the snapshot holds no events that can be played, so there is nothing to replay: call "
                    "torch.cuda.memory._record_memory_history() before the part of the program that is to be replayed",
                    file));
  }
  return result;
}

}  // namespace

bool Subject::has_expectations() const {
  return !trace.expected_statistics.empty() || !trace.final_statistics.empty() || trace.final_segments.has_value();
}

FileSubjects load_subjects(const std::string& file, std::optional<int> recorded_device, PrivatePools pools,
                           SettingChanges changes) {
  FileContent content = read_file(file);
  if (const auto* const snapshot = std::get_if<Snapshot>(&content)) {
    return subjects_of(file, *snapshot, recorded_device, pools, changes);
  }
  FileSubjects result;
  for (Trace& trace : std::get<std::vector<Trace>>(content)) {
    result.subjects.push_back({file, std::move(trace), std::nullopt, {}});
  }
  return result;
}

}  // namespace gpucheck::replay
