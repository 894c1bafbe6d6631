#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucheck::fleet {

/// What was measured of one GPU in one run.
struct RecordedGpu {
  std::string uuid;
  std::string node;
  std::string time;  ///< when its run started, UTC: "2026-11-27T09:00:00Z"

  bool operator==(const RecordedGpu&) const = default;
};

struct RecordedMetric {
  std::string name;  ///< "bandwidth.device_write.write_gbps of NVIDIA H100"
  bool high_is_bad = false;
  std::optional<double> usual = {};                ///< the median of the fleet's GPUs; none where they are few
  std::vector<std::optional<double>> values = {};  ///< one for each GPU of the record; above 0

  bool operator==(const RecordedMetric&) const = default;
};

/// What one merge leaves for those that come: a file gpucheck.history/1.
struct HistoryRecord {
  std::vector<RecordedGpu> gpus = {};
  std::vector<RecordedMetric> metrics = {};

  bool operator==(const HistoryRecord&) const = default;
};

/// @throws EnvironmentError with `path` and the place for a text that is not such a file.
HistoryRecord parse_history_record(std::string_view text, const std::string& path);

std::string to_text(const HistoryRecord& record);

/// A name for the record's file, the same for the same record: the time of its first run and a digest of its text.
std::string file_name_of(const HistoryRecord& record);

}  // namespace gpucheck::fleet
