#pragma once

#include <chrono>
#include <string_view>

namespace gpucheck {

/// Reads "500ms", "5s", "1.5s" or "2min", from 1 ms to 24 h. @throws UsageError saying what is allowed.
std::chrono::milliseconds parse_duration(std::string_view text);

}  // namespace gpucheck
