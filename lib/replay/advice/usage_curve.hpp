#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/formats/trace/trace.hpp"
#include "replay/verdict/request.hpp"

namespace gpucheck::replay {

/// Memory over time under some settings, without a limit: the highest of each of many
/// equally long stretches of steps. Bytes.
struct UsageCurve {
  struct Point {
    std::size_t end_step = 0;  ///< one past the last of the stretch
    std::uint64_t reserved_bytes = 0;
    std::uint64_t allocated_bytes = 0;  ///< as blocks
  };
  std::string settings;
  std::vector<Point> points;
};

/// At most `most_points` points, never more than steps. `peak_reserved_bytes` is what `play`
/// found with these settings: so large must a device be. @throws what `play` throws.
UsageCurve usage_curve(const Trace& trace, const std::string& settings, std::uint64_t peak_reserved_bytes,
                       const DeviceSource& devices, std::size_t most_points = 1000);

}  // namespace gpucheck::replay
