#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "replay/analysis/conversion.hpp"
#include "replay/formats/trace.hpp"

namespace gpucheck::application {

/// One thing to replay: a trace of a trace file, or the events that a snapshot holds of
/// one device.
struct ReplaySubject {
  std::string file;
  replay::Trace trace;
  // Of a snapshot only.
  std::optional<replay::ConversionReport> recorded;
  std::vector<std::uint32_t> recorded_events;  ///< by step, as in replay::Conversion

  /// The file says what figures the replay must lead to.
  [[nodiscard]] bool has_expectations() const;
};

/// Reads every file, so that one that cannot be read is known before anything is
/// played. In the order of the files, and within each as it has them.
/// @throws FileError; EnvironmentError when there is nothing to replay, or when one of
/// `trace_names` matches nothing.
std::vector<ReplaySubject> load_subjects(const ReplayOptions& options);

}  // namespace gpucheck::application
