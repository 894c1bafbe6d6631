#pragma once

#include <chrono>
#include <string>

namespace gpucheck {

/// UTC, "2026-08-22T10:11:12", with neither fraction nor zone.
std::string utc_seconds(std::chrono::sys_seconds time);

inline std::string utc_seconds(std::chrono::system_clock::time_point time) {
  return utc_seconds(std::chrono::floor<std::chrono::seconds>(time));
}

}  // namespace gpucheck
