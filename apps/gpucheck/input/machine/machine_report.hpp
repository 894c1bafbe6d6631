#pragma once

#include <string>
#include <vector>

#include "device/driver.hpp"
#include "input/machine/libraries.hpp"

namespace gpucheck::application {

/// What `info` found.
struct MachineReport {
  struct Devices {
    std::vector<device::DeviceProperties> found;
    std::string problem;  ///< why there is none; empty when there are
    device::Driver::Versions versions;
  };
  Devices cuda;
  std::vector<LibraryReport> libraries;
  std::vector<std::string> silent_gpus;  ///< those that do not answer, each with its place and what to do
};

}  // namespace gpucheck::application
