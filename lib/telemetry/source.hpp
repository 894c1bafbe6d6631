#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "telemetry/machine/machine.hpp"

namespace gpucheck::telemetry {

/// How much is asked of each GPU. Its identity is reported in any case.
enum class Subset : std::uint8_t {
  everything,
  gauges,    ///< `sampled_gauges` alone
  counters,  ///< `watched_counters`, and the gauges
};

struct Question {
  Subset subset = Subset::everything;
  std::vector<GpuId> gpus = {};  ///< empty: all
  bool with_host = false;        ///< and what the operating system reports
  bool with_network = false;     ///< and what it shows of InfiniBand and RoCE adapters, which answer themselves
  bool with_gpus = true;         ///< false: no GPU is asked, and none is in the answer
};

/// Where readings come from: a driver, or a file that one was written to.
class Source {
 public:
  virtual ~Source() = default;
  /// Asks the GPUs. A single reading that fails is answered with its reason; what was not asked is unavailable, "not
  /// asked". A GPU that is not there is missing in the answer. To be called by one thread at a time.
  /// @throws EnvironmentError where nobody can be asked at all. A driver may never return.
  [[nodiscard]] virtual Machine read(const Question& question) = 0;
  [[nodiscard]] Machine read() { return read({.with_host = true}); }

 protected:
  Source() = default;
  Source(const Source&) = default;
  Source& operator=(const Source&) = default;
};

/// NVIDIA's driver, through libnvidia-ml.so.1, loaded now. Needs no root and no daemon.
/// @throws NotInstalled where there is no such library, EnvironmentError where it does not work.
[[nodiscard]] std::unique_ptr<Source> open_nvml();

/// A machine as it once was: the same at each reading.
[[nodiscard]] std::unique_ptr<Source> open_recording(Machine machine);

}  // namespace gpucheck::telemetry
