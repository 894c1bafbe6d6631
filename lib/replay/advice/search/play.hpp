#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "replay/formats/trace/trace.hpp"
#include "replay/targets/waiting_frees.hpp"
#include "replay/verdict/request.hpp"

namespace gpucheck::replay {

/// Numbers allocations anew, by those that live at once: a play then needs a pointer for
/// each of these, not for each that there ever was. The trace can be played, and that is
/// all: it cannot be compared any more.
void reuse_allocation_numbers(Trace& trace);

/// The conditions of one play.
struct PlayConditions {
  std::string settings;
  /// Absent: as much as the job takes. A simulated device grows with it, up to the largest
  /// there can be: it reserves addresses for all its memory, and systems limit those.
  std::optional<std::uint64_t> memory_limit_bytes = std::nullopt;
  /// What follows the first failure is not played.
  bool stops_at_out_of_memory = false;
  bool stops_at_retry = false;  ///< the same, after the first time that memory was short
  Pace pace = 0;
};

/// What a program's allocations need. Bytes.
struct PlayFigures {
  std::uint64_t peak_reserved_bytes = 0;
  std::size_t peak_step = 0;                  ///< the first with that
  std::uint64_t allocated_at_peak_bytes = 0;  ///< as blocks, after that step
  std::uint64_t peak_allocated_bytes = 0;     ///< as blocks, whenever that was
  std::int64_t device_allocations = 0;        ///< segments made, or memory mapped; each stalls the stream
  std::int64_t retries = 0;                   ///< allocations that released the cache and tried again
  std::uint64_t out_of_memory_count = 0;
  std::optional<std::size_t> first_out_of_memory_step;
  /// Why these settings cannot be played on: where no device can do what they ask for. Empty where they can. What
  /// cannot be played does not run to its end.
  std::string problem;

  [[nodiscard]] std::uint64_t unused_at_peak_bytes() const noexcept {
    return peak_reserved_bytes - allocated_at_peak_bytes;
  }
  [[nodiscard]] bool runs_to_its_end() const noexcept { return out_of_memory_count == 0 && problem.empty(); }
  bool operator==(const PlayFigures&) const = default;
};

/// Plays a trace of device memory against PyTorch's caching allocator, on a device of its
/// own: may be called from several threads at once, as `devices.open` may. The same answers
/// as `what_if` gives. What a device cannot do costs this play alone: see `problem`. @throws SettingsError;
/// what `devices.open` throws.
PlayFigures play(const Trace& trace, const PlayConditions& conditions, const DeviceSource& devices);

}  // namespace gpucheck::replay
