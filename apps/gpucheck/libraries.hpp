#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpucheck::application {

/// One of the libraries that cases may load, as found on this machine.
struct LibraryReport {
  std::string_view name;  ///< "cuBLAS"
  std::string path;       ///< where it was loaded from; empty when it was not
  std::string version;    ///< its own answer; empty when it gave none
  std::string problem;    ///< why there is no path or no version, in the loader's or library's words
};

/// Loads each library in turn and asks it for its version; they stay loaded. Loading can take a second
/// for the larger ones; nothing is initialised on a device.
std::vector<LibraryReport> find_libraries();

}  // namespace gpucheck::application
