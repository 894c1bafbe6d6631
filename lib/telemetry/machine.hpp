#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/reading.hpp"

namespace gpucheck::telemetry {

/// One NVLink of a GPU.
struct Link {
  std::array<Value, link_reading_count> values;

  [[nodiscard]] const Value& operator[](LinkReading which) const noexcept {
    return values[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] Value& operator[](LinkReading which) noexcept { return values[static_cast<std::size_t>(which)]; }
  bool operator==(const Link&) const = default;
};

/// A process that computes on a GPU.
struct Process {
  std::int64_t pid = 0;
  std::optional<std::int64_t> used_memory_bytes;  ///< none where the driver does not tell (another container's)
  bool operator==(const Process&) const = default;
};

/// All that one GPU answered at one moment.
struct Gpu {
  std::array<Value, reading_count> values;
  std::vector<Link> links;  ///< by number; none where the GPU has no NVLink
  std::vector<Process> processes;
  std::string processes_problem;  ///< why they are not known; empty where they are

  [[nodiscard]] const Value& operator[](Reading which) const noexcept {
    return values[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] Value& operator[](Reading which) noexcept { return values[static_cast<std::size_t>(which)]; }
  bool operator==(const Gpu&) const = default;
};

/// All GPUs of a machine, as its driver sees them: CUDA_VISIBLE_DEVICES hides none.
struct Machine {
  std::string driver_version;
  std::string nvml_version;
  std::string cuda_version;  ///< the newest that the driver offers: "13.0"
  std::vector<Gpu> gpus;
  bool operator==(const Machine&) const = default;
};

/// The number of a value that is one.
[[nodiscard]] std::optional<std::int64_t> number(const Value& value) noexcept;
[[nodiscard]] std::optional<bool> flag(const Value& value) noexcept;
/// The text of a value that is one; null otherwise.
[[nodiscard]] const std::string* text(const Value& value) noexcept;
/// Why there is no value; null where there is one.
[[nodiscard]] const std::string* problem(const Value& value) noexcept;

}  // namespace gpucheck::telemetry
