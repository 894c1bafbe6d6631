#pragma once

#include <string>

#include "base/files/tests/temporary_folder.hpp"

namespace gpucheck::telemetry {

/// A made-up machine's /sys and /proc, in a folder of its own. Devices lie below /sys/devices, and everything else
/// leads to them by links, as in a real one.
class NetworkTree {
 public:
  struct Adapter {
    std::string name = "mlx5_0";
    std::string pci_path = "pci0000:15/0000:15:01.0/0000:18:00.0";  ///< below /sys/devices
    std::string board = "MT_0000000838";
    std::string firmware = "28.39.1002";
    std::string link_layer = "InfiniBand";
    std::string rate = "400 Gb/sec (4X NDR)";
    std::string interface = {};  ///< its network interface, empty for none
    int ports = 1;
  };

  /// An adapter that is up, with all its counters at 0.
  void add(const Adapter& adapter) const;
  void add_gpu(const std::string& pci_path, const std::string& numa_node) const;
  /// With a newline at the end.
  void write(const std::string& path, const std::string& text) const { write_raw(path, text + "\n"); }
  void write_raw(const std::string& path, const std::string& text) const;
  void link(const std::string& path, const std::string& target) const;
  void remove(const std::string& path) const;
  /// A file that is there and cannot be read by anybody: a folder.
  void make_unreadable(const std::string& path) const;
  [[nodiscard]] std::string root() const { return folder_.file("root"); }

 private:
  TemporaryFolder folder_;
};

}  // namespace gpucheck::telemetry
