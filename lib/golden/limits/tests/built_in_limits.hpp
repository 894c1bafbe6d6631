#pragma once

#include <string>

#include "golden/limits/limits.hpp"

namespace gpucheck::golden {

inline Limits limits_with(const std::string& classes) {
  return Limits::parse(R"({"schema": "gpucheck.limits/1", "classes": [)" + classes + "]}", "limits.json");
}

/// Shares of the memory's bandwidth, 4917 GB/s on an H200: fails below 3933, warns below 4425.
inline const char* const built_in = R"({"name": "any", "limits": {
  "bandwidth.read.read_gbps": {"of": "memory_bandwidth_gbps", "fail_below": 0.8, "warn_below": 0.9, "source": "sheet"}}})";

}  // namespace gpucheck::golden
