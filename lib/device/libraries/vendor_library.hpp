#pragma once

#include <string>

namespace gpucheck::device {

/// A library of the vendor's that works on a device, loaded when it is first asked for.
struct VendorLibrary {
  std::string name;     ///< "cuBLASLt", "NCCL", "reference"
  std::string version;  ///< empty where it cannot be used
  std::string problem;  ///< why it cannot be used; empty where it can
};

}  // namespace gpucheck::device
