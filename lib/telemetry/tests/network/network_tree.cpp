#include "telemetry/tests/network/network_tree.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>

#include "telemetry/network/port_counters.hpp"

namespace gpucheck::telemetry {
namespace {

namespace files = std::filesystem;

std::string last_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

void NetworkTree::write_raw(const std::string& path, const std::string& text) const {
  const files::path file = root() + path;
  files::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

void NetworkTree::link(const std::string& path, const std::string& target) const {
  const files::path file = root() + path;
  files::create_directories(file.parent_path());
  files::create_symlink(root() + target, file);
}

void NetworkTree::remove(const std::string& path) const { files::remove_all(root() + path); }

void NetworkTree::make_unreadable(const std::string& path) const {
  files::remove_all(root() + path);
  files::create_directories(root() + path);
}

void NetworkTree::add(const Adapter& adapter) const {
  const std::string device = "/sys/devices/" + adapter.pci_path;
  const std::string folder = device + "/infiniband/" + adapter.name;
  link("/sys/class/infiniband/" + adapter.name, folder);
  link(folder + "/device", device);
  write(folder + "/node_type", "1: CA");
  write(folder + "/fw_ver", adapter.firmware);
  write(folder + "/board_id", adapter.board);
  write(folder + "/hca_type", "MT4129");
  write(device + "/numa_node", "0");
  for (const char* const which : {"current", "max"}) {
    write(device + "/" + which + "_link_speed", "32.0 GT/s PCIe");
    write(device + "/" + which + "_link_width", "16");
  }
  if (!adapter.interface.empty()) {
    const std::string interface = device + "/net/" + adapter.interface;
    write(interface + "/carrier", "1");
    write(interface + "/operstate", "up");
    write(interface + "/speed", "400000");
    write(interface + "/mtu", "9000");
    link("/sys/class/net/" + adapter.interface, interface);
  }
  for (int number = 1; number <= adapter.ports; ++number) {
    const std::string port = folder + "/ports/" + std::to_string(number);
    write(port + "/state", "4: ACTIVE");
    write(port + "/phys_state", "5: LinkUp");
    write(port + "/rate", adapter.rate);
    write(port + "/link_layer", adapter.link_layer);
    write(port + "/lid", "0x5c");
    if (!adapter.interface.empty()) {
      write(port + "/gid_attrs/ndevs/0", adapter.interface);
      write(port + "/gid_attrs/types/0", "IB/RoCE v1");
      write(port + "/gid_attrs/types/1", "RoCE v2");
    }
    for (const PortCounter& counter : port_counters) {
      const std::string place = counter.is_of_interface ? device + "/net/" + adapter.interface : port;
      if (!counter.is_of_interface || !adapter.interface.empty()) write(place + "/" + std::string(counter.path), "0");
    }
  }
}

void NetworkTree::add_gpu(const std::string& pci_path, const std::string& numa_node) const {
  const std::string device = "/sys/devices/" + pci_path;
  write(device + "/class", "0x030200");
  write(device + "/vendor", "0x10de");
  write(device + "/numa_node", numa_node);
  link("/sys/bus/pci/devices/" + last_of(pci_path), device);
}

}  // namespace gpucheck::telemetry
