#pragma once

#include <span>
#include <string_view>

#include "device/sim/tests/fixture.hpp"

namespace gpucheck::sim {

/// A small program that is right when `ordered` and lacks one ordering when not.
struct RacyProgram {
  std::string_view name;
  std::string_view one;  ///< the two operations that nothing orders
  std::string_view other;
  void (*run)(Fixture& fixture, bool ordered);
  int device_count = 1;
};

std::span<const RacyProgram> racy_programs();

}  // namespace gpucheck::sim
