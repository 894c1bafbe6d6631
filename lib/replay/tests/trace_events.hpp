#pragma once

#include <cstdint>

#include "replay/formats/trace/trace.hpp"

/// Events of a trace, as tests write them.
namespace gpucheck::replay {

inline Event allocate(std::uint32_t id, std::uint64_t size, std::uint16_t stream = 0) {
  return {size, id, stream, Action::allocate, false};
}
inline Event free_of(std::uint32_t id) { return {0, id, 0, Action::free, false}; }

}  // namespace gpucheck::replay
