#pragma once

#include <ostream>

namespace gpucheck::runtime::test {

/// An allocator that every test of a suite runs with.
struct TestedAllocator {
  const char* label;
  const char* allocator;  ///< as on the command line
  const char* settings = "";
  bool is_library = false;  ///< whose interface knows neither uses on other streams nor captures
};

inline void PrintTo(const TestedAllocator& tested, std::ostream* out) { *out << tested.label; }

}  // namespace gpucheck::runtime::test
