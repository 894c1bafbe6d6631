#pragma once

#include <map>
#include <string>

/// What sysfs shows of the machine's InfiniBand and RoCE adapters, as it stands there: nothing is written, nothing is
/// asked of a device but by reading these files, and no privilege is needed.
namespace gpucheck::telemetry {

/// What a file held when it was read.
struct FileState {
  std::string text;     ///< its first line, without the end; of a link where it leads, without "/sys/devices/"
  std::string problem;  ///< why it cannot be read, or what is wrong with it; empty where nothing is
  bool operator==(const FileState&) const = default;
};

/// Files by their paths; what there is not is not among them. The README of lib/telemetry lists what is read.
struct NetworkFiles {
  std::map<std::string, FileState> files;
  std::string problem;  ///< why they are not known; empty where they are
  bool failed = false;  ///< that is: they could not be read
  bool operator==(const NetworkFiles&) const = default;
};

/// Looks at this machine. An adapter that is taken away meanwhile is said.
/// @param root the folder under which /sys and /proc lie, "" for the machine's own. May wait for an adapter's firmware,
/// which answers for most counters.
[[nodiscard]] NetworkFiles read_network_files(const std::string& root = "");

}  // namespace gpucheck::telemetry
