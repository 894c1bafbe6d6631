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
  // Of a snapshot only.
  std::optional<ConversionReport> recorded;
  std::vector<std::uint32_t> recorded_events;  ///< by step, as in Conversion

  /// The file says what the replay must lead to.
  [[nodiscard]] bool has_expectations() const;
};

/// All that a file holds to replay, in its order; of a snapshot only what was recorded on
/// `recorded_device`, where that is given, else on each device that has events.
/// @throws FileError; EnvironmentError for a snapshot with nothing to replay.
std::vector<Subject> load_subjects(const std::string& file, std::optional<int> recorded_device,
                                   PrivatePools pools = PrivatePools::kept);

}  // namespace gpucheck::replay
