#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/machine/host.hpp"
#include "telemetry/machine/reading.hpp"
#include "telemetry/network/network_files.hpp"

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
  std::optional<std::int64_t> used_memory_bytes;  ///< none where the driver does not say (another container's)
  bool operator==(const Process&) const = default;
};

/// By which a GPU is known to every driver and library; never by its place in a list.
struct GpuId {
  std::string uuid;         ///< "GPU-8d3f0a11-…"; empty when unknown
  std::string pci_address;  ///< "0000:3b:00.0" or "00000000:3B:00.0"; empty when unknown
  bool operator==(const GpuId&) const = default;
};

/// All that one GPU answered at one moment.
struct Gpu {
  std::array<Value, reading_count> values;  ///< `Reading::handle`: whether the library gives one for it
  std::vector<Link> links;                  ///< by number, those that are down too
  std::string links_problem = {};           ///< why they are not known, or not offered; empty where they are
  bool links_failed = false;                ///< that is: the driver failed to answer
  std::vector<Process> processes;
  std::string processes_problem;  ///< why they are not known; empty where they are
  bool processes_failed = false;  ///< that is: the driver failed to answer
  /// Numbers of the critical errors ("XIDs") that the driver has reported since it was first asked, in their order.
  std::vector<std::int64_t> xids;
  std::string xids_problem;  ///< why they are not known; empty where they are
  bool xids_failed = false;  ///< that is: the driver failed to answer

  [[nodiscard]] const Value& operator[](Reading which) const noexcept {
    return values[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] Value& operator[](Reading which) noexcept { return values[static_cast<std::size_t>(which)]; }
  bool operator==(const Gpu&) const = default;
};

/// All GPUs of a machine, as its driver sees them: CUDA_VISIBLE_DEVICES hides none.
struct Machine {
  Value driver_version = Unavailable{std::string(not_asked)};
  Value nvml_version = Unavailable{std::string(not_asked)};
  Value cuda_version = Unavailable{std::string(not_asked)};  ///< the newest that the driver offers: "13.0"
  std::vector<Gpu> gpus;
  Host host = {};
  NetworkFiles network = {};
  bool operator==(const Machine&) const = default;
};

/// Whether the GPU is the one: by its UUID, else (in MIG mode the two differ) by its PCI address.
[[nodiscard]] bool is_gpu(const Gpu& gpu, const GpuId& id);
/// The GPU of a machine; null where the driver has none such.
[[nodiscard]] const Gpu* find_gpu(const Machine& machine, const GpuId& id);

/// The number of a value that is one.
[[nodiscard]] std::optional<std::int64_t> number(const Value& value) noexcept;
[[nodiscard]] std::optional<bool> flag(const Value& value) noexcept;
/// The text of a value that is one; null otherwise.
[[nodiscard]] const std::string* text(const Value& value) noexcept;
/// Whether the driver failed to answer: a GPU that is lost, for example.
[[nodiscard]] bool is_failure(const Value& value) noexcept;
/// Why there is no value; null where there is one.
[[nodiscard]] const std::string* problem(const Value& value) noexcept;

}  // namespace gpucheck::telemetry
