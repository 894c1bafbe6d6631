#pragma once

#include <cstdint>
#include <optional>

#include "replay/verdict/request.hpp"

namespace gpucheck::replay {

/// The most memory that a replayed program may hold, and who says so.
struct MemoryLimit {
  enum class Source {
    requested,     ///< whoever asks for the replay
    trace,         ///< the file
    recorded,      ///< what a recorded failure says: RecordedUsage::capacity_bytes
    device,        ///< none but the size of the device replayed on
    not_recorded,  ///< none: more was in use than the default device has, so that it is made as large as can be
  };
  Source source = Source::device;
  std::optional<std::uint64_t> bytes;
  bool operator==(const MemoryLimit&) const = default;
};

[[nodiscard]] MemoryLimit memory_limit_of(const Subject& subject, const Request& request);

/// How large the device has to be for that limit; absent for one that is what it is.
[[nodiscard]] std::optional<std::uint64_t> device_bytes_for(const MemoryLimit& limit, const Request& request);

}  // namespace gpucheck::replay
