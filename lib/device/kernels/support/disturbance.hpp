#pragma once

#include <cstdint>

namespace gpucheck::device::kernels {

/// What a fault plan does to one multiprocessor, in kernels that tell multiprocessors apart.
struct Disturbance {
  std::uint32_t multiprocessor = 0;
  bool is_slow = false;   ///< works more than twice as long
  bool is_wrong = false;  ///< gets one number of each block wrong
};

}  // namespace gpucheck::device::kernels
