#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/analysis/conversion.hpp"
#include "replay/formats/trace/trace.hpp"

namespace gpucheck::replay {

/// One thing to replay: a trace of a trace file, or the events that a snapshot holds of
/// one device.
struct Subject {
  std::string file;
  Trace trace;
  // For a snapshot only.
  std::optional<ConversionReport> recorded;
  std::vector<std::uint32_t> recorded_events;  ///< by step, as in Conversion

  /// The file says what the replay must lead to.
  [[nodiscard]] bool has_expectations() const;
};

/// What a file holds to replay.
struct FileSubjects {
  std::vector<Subject> subjects;          ///< in its order
  std::vector<std::size_t> idle_devices;  ///< of a snapshot: with events of which none can be played; left out
};

/// From a snapshot only what was recorded on `recorded_device`, where that is given, else on each device that has
/// events that can be played.
/// @throws FileError; EnvironmentError for a snapshot with nothing to replay.
FileSubjects load_subjects(const std::string& file, std::optional<int> recorded_device,
                           PrivatePools pools = PrivatePools::kept, SettingChanges changes = SettingChanges::played);

}  // namespace gpucheck::replay
