#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/network/network_files.hpp"

/// What the files of sysfs say of InfiniBand and RoCE adapters.
namespace gpucheck::telemetry {

/// A counter that a port has.
struct CounterReading {
  std::uint64_t value = 0;
  std::string problem;  ///< why it is not known; empty where it is
};

struct NetworkPort {
  std::string name;                        ///< "mlx5_0/1"
  std::string state;                       ///< "ACTIVE", "DOWN", "INIT", "ARMED"; empty where it is not known
  std::string physical_state;              ///< "LinkUp", "Polling", "Disabled"; likewise
  std::string link_layer;                  ///< "InfiniBand", "Ethernet"; likewise
  std::string rate;                        ///< "400 Gb/sec (4X NDR)"; likewise
  std::string rate_problem;                ///< why the rate is not known; that of a port that is down may not be
  double rate_gbps = 0;                    ///< 10^9 bits a second
  std::string lid;                         ///< the address that a subnet manager gave it: "0x5c"
  std::vector<std::string> address_types;  ///< "IB/RoCE v1", "RoCE v2"
  std::string interface;                   ///< the network interface on an Ethernet port; empty where none is seen
  std::string interface_state;             ///< its operstate, speed and MTU, for people
  bool interface_is_up = false;            ///< it is switched on, with or without a cable
  /// By the names in `port_counters`; what the port does not offer is not among them.
  std::map<std::string, CounterReading, std::less<>> counters;
  std::vector<std::string> problems;  ///< of the states: "/sys/…/state: it is empty"

  [[nodiscard]] bool is_active() const;
  /// The value of a counter; none where the port has it not, or it cannot be read.
  [[nodiscard]] std::optional<std::uint64_t> count(std::string_view counter) const;
};

/// The PCIe link of an adapter: the transfers that a lane makes, and the lanes. 0: not known.
struct AdapterLink {
  double gigatransfers = 0;
  std::int64_t lanes = 0;
};

struct NetworkAdapter {
  std::string name;           ///< "mlx5_0"
  std::string node_type;      ///< "CA" (channel adapter), "RNIC" (iWARP)
  std::string firmware;       ///< "28.39.1002"
  std::string model;          ///< the board's number, or the type of its chip, where it has none
  std::string pci_path;       ///< "pci0000:15/0000:15:01.0/0000:18:00.0"; empty where it is not on a PCI bus
  std::string pci_address;    ///< "0000:18:00.0"
  std::string numa_node;      ///< "0"; "-1" where the machine has one alone
  bool is_virtual = false;    ///< a virtual function, of which this machine has the physical one too
  AdapterLink link;           ///< as it is
  AdapterLink possible_link;  ///< as adapter and slot can have it
  std::vector<NetworkPort> ports;
  std::vector<std::string> problems;  ///< "mlx5_0: …"
};

/// In the order of their names. Those without a place on a PCI bus, which are made by software, are left out.
[[nodiscard]] std::vector<NetworkAdapter> network_adapters(const NetworkFiles& network);

/// Controllers of InfiniBand on the PCI bus that have no adapter, although no driver keeps them for a virtual machine:
/// "0000:18:00.0 (driver mlx5_core)".
[[nodiscard]] std::vector<std::string> controllers_without_adapter(const NetworkFiles& network);

}  // namespace gpucheck::telemetry
