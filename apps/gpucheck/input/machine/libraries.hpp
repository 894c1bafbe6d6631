#pragma once

#include <cstddef>
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

/// All that are looked for.
[[nodiscard]] std::vector<std::string_view> library_names();

/// Loads that one, by its place among the names, and asks it for its version; it stays loaded. Loading can take a
/// second for the larger ones; nothing is initialised on a device, but a driver that hangs may never return.
[[nodiscard]] LibraryReport find_library(std::size_t index);

}  // namespace gpucheck::application
