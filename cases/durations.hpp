#pragma once

#include <span>
#include <string_view>

namespace gpucheck {

namespace cases {

/// What is built into the binary of how long cases took: cases/durations.json.
struct DurationsFile {
  std::string_view path;
  std::string_view text;
};

}  // namespace cases

/// One file: a document "gpucheck.durations/1" (harness/durations.hpp), which scripts/record/durations writes.
std::span<const cases::DurationsFile> embedded_durations();

}  // namespace gpucheck
