#include "telemetry/network/adapters.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "telemetry/network/port_counters.hpp"
#include "telemetry/tests/network/network_tree.hpp"

// What the files mean, of machines as they are built.
namespace gpucheck::telemetry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string adapter_folder = "/sys/class/infiniband/mlx5_0";
const std::string device_folder = "/sys/devices/pci0000:15/0000:15:01.0/0000:18:00.0";

std::vector<NetworkAdapter> adapters_in(const NetworkTree& tree) {
  return network_adapters(read_network_files(tree.root()));
}

TEST(NetworkAdapters, OfInfiniBand) {
  const NetworkTree tree;
  tree.add({});
  const NetworkAdapter adapter = adapters_in(tree).at(0);
  EXPECT_EQ(adapter.name, "mlx5_0");
  EXPECT_EQ(adapter.node_type, "CA");
  EXPECT_EQ(adapter.model, "MT_0000000838");
  EXPECT_EQ(adapter.firmware, "28.39.1002");
  EXPECT_EQ(adapter.pci_address, "0000:18:00.0");
  EXPECT_EQ(adapter.pci_path, "pci0000:15/0000:15:01.0/0000:18:00.0");
  EXPECT_EQ(adapter.numa_node, "0");
  EXPECT_FALSE(adapter.is_virtual);
  const NetworkPort port = adapter.ports.at(0);
  EXPECT_EQ(port.name, "mlx5_0/1");
  EXPECT_TRUE(port.is_active());
  EXPECT_EQ(port.link_layer, "InfiniBand");
  EXPECT_EQ(port.rate_gbps, 400);
  EXPECT_EQ(port.lid, "0x5c");
  EXPECT_EQ(port.interface, "");
  EXPECT_EQ(port.count("symbol_error"), 0U);
  EXPECT_EQ(port.count("carrier_down_count"), std::nullopt) << "of an interface, of which it has none";
  EXPECT_THAT(port.problems, IsEmpty());
}

TEST(NetworkAdapters, OfRoce) {
  const NetworkTree tree;
  tree.add({.link_layer = "Ethernet", .rate = "2.5 Gb/sec (1X SDR)", .interface = "eth2"});
  tree.write("/sys/class/net/eth2/carrier_down_count", "3");
  const NetworkPort port = adapters_in(tree).at(0).ports.at(0);
  EXPECT_EQ(port.interface, "eth2");
  EXPECT_TRUE(port.interface_is_up);
  EXPECT_EQ(port.interface_state, "eth2 up, 400000 Mb/s, MTU 9000");
  EXPECT_EQ(port.count("carrier_down_count"), 3U);
  EXPECT_EQ(port.rate_gbps, 2.5);
  EXPECT_THAT(port.address_types, ElementsAre("IB/RoCE v1", "RoCE v2"));
}

// The kernel answers for neither file of an interface that is switched off.
TEST(NetworkAdapters, AnInterfaceThatIsSwitchedOffIsNotAProblem) {
  NetworkTree tree;
  tree.add({.link_layer = "Ethernet", .interface = "eth2"});
  NetworkFiles network = read_network_files(tree.root());
  network.files["/sys/class/net/eth2/carrier"] = {"", "Invalid argument"};
  network.files["/sys/class/net/eth2/speed"] = {"", "Invalid argument"};
  const NetworkPort port = network_adapters(network).at(0).ports.at(0);
  EXPECT_FALSE(port.interface_is_up);
  EXPECT_THAT(port.problems, IsEmpty());
  EXPECT_THAT(port.interface_state, HasSubstr("speed unknown"));
  network.files["/sys/class/net/eth2/carrier"].problem = "Input/output error";
  EXPECT_THAT(network_adapters(network).at(0).ports.at(0).problems,
              ElementsAre("/sys/class/net/eth2/carrier: Input/output error"));
}

TEST(NetworkAdapters, AnInterfaceIsThePortsByItsAddressesOrItsNumber) {
  const NetworkTree tree;
  tree.add({.link_layer = "Ethernet", .interface = "eth2", .ports = 2});
  tree.remove(adapter_folder + "/ports/1/gid_attrs");
  tree.remove(adapter_folder + "/ports/2/gid_attrs");
  const auto interface_of = [&tree](std::size_t port) { return adapters_in(tree).at(0).ports.at(port).interface; };
  EXPECT_EQ(interface_of(0), "eth2") << "the only one";
  tree.write(device_folder + "/net/eth3/dev_port", "1");
  tree.link("/sys/class/net/eth3", device_folder + "/net/eth3");
  tree.write(device_folder + "/net/eth2/dev_port", "0");
  EXPECT_EQ(interface_of(0), "eth2");
  EXPECT_EQ(interface_of(1), "eth3");
  tree.write(device_folder + "/net/eth3/dev_port", "0");
  EXPECT_EQ(interface_of(0), "") << "either may be it";
  tree.write(adapter_folder + "/ports/1/gid_attrs/ndevs/3", "eth3");
  EXPECT_EQ(interface_of(0), "eth3");
}

TEST(NetworkAdapters, TwoPortsOfOneDevice) {
  const NetworkTree tree;
  tree.add({.name = "mlx4_0", .ports = 2});
  tree.write("/sys/class/infiniband/mlx4_0/ports/2/state", "1: DOWN");
  const NetworkAdapter adapter = adapters_in(tree).at(0);
  ASSERT_EQ(adapter.ports.size(), 2U);
  EXPECT_TRUE(adapter.ports[0].is_active());
  EXPECT_EQ(adapter.ports[1].name, "mlx4_0/2");
  EXPECT_EQ(adapter.ports[1].state, "DOWN");
}

TEST(NetworkAdapters, EightOfTwoRates) {
  const NetworkTree tree;
  for (int i = 0; i < 8; ++i) {
    tree.add({.name = fmt::format("mlx5_{}", i),
              .pci_path = fmt::format("pci0000:{0:02x}/0000:{0:02x}:00.0", 0x10 + i),
              .board = i < 4 ? "MT_0000000838" : "MT_0000000359",
              .rate = i < 4 ? "400 Gb/sec (4X NDR)" : "200 Gb/sec (4X HDR)"});
  }
  const std::vector<NetworkAdapter> adapters = adapters_in(tree);
  ASSERT_EQ(adapters.size(), 8U);
  EXPECT_EQ(adapters[3].ports.at(0).rate_gbps, 400);
  EXPECT_EQ(adapters[4].ports.at(0).rate_gbps, 200);
  EXPECT_NE(adapters[3].model, adapters[4].model);
}

TEST(NetworkAdapters, AVirtualFunctionIsKnownByItsPhysicalOne) {
  const NetworkTree tree;
  tree.add({});
  tree.add({.name = "mlx5_1", .pci_path = "pci0000:15/0000:15:01.0/0000:18:00.1"});
  tree.link("/sys/devices/pci0000:15/0000:15:01.0/0000:18:00.1/physfn", device_folder);
  const std::vector<NetworkAdapter> adapters = adapters_in(tree);
  EXPECT_FALSE(adapters.at(0).is_virtual);
  EXPECT_TRUE(adapters.at(1).is_virtual);
}

// A guest has the files of the counters, and its device answers none of them.
TEST(NetworkAdapters, CountersThatNoneAnswersAreNotOffered) {
  for (const FileState& answer :
       {FileState{"", "Invalid argument"}, FileState{"N/A (no PMA)", ""}, FileState{"", "Function not implemented"}}) {
    const NetworkTree tree;
    tree.add({});
    NetworkFiles network = read_network_files(tree.root());
    const std::string counters = adapter_folder + "/ports/1/counters/";
    for (auto& [path, state] : network.files) {
      if (path.starts_with(counters)) state = answer;
    }
    const NetworkPort port = network_adapters(network).at(0).ports.at(0);
    EXPECT_FALSE(port.counters.contains("symbol_error")) << answer.text << answer.problem;
    EXPECT_TRUE(port.counters.contains("out_of_sequence"));
    network.files[counters + "link_downed"] = {"0", ""};
    EXPECT_NE(network_adapters(network).at(0).ports.at(0).counters.at("symbol_error").problem, "")
        << "one that does not answer among others that do has failed";
  }
}

TEST(NetworkAdapters, ACounterIsANumberAndNothingElse) {
  const std::string path = adapter_folder + "/ports/1/counters/symbol_error";
  for (const char* const text : {"", "x", "1x", "-1", "0x1", "18446744073709551616", " 1"}) {
    const NetworkTree tree;
    tree.add({});
    tree.write(path, text);
    EXPECT_THAT(adapters_in(tree).at(0).ports.at(0).counters.at("symbol_error").problem,
                HasSubstr("symbol_error: not a count"))
        << text;
  }
  const NetworkTree tree;
  tree.add({});
  tree.write(path, "18446744073709551615");
  EXPECT_EQ(adapters_in(tree).at(0).ports.at(0).count("symbol_error"), UINT64_MAX);
}

TEST(NetworkAdapters, AStateOfAnotherFormIsAProblem) {
  for (const char* const text : {"ACTIVE", "4:", "4: ", "x: ACTIVE", "4:ACTIVE"}) {
    const NetworkTree tree;
    tree.add({});
    tree.write(adapter_folder + "/ports/1/state", text);
    const NetworkPort port = adapters_in(tree).at(0).ports.at(0);
    EXPECT_THAT(port.problems, ElementsAre(HasSubstr("state: not understood"))) << text;
    EXPECT_FALSE(port.is_active());
  }
  const NetworkTree tree;
  tree.add({.rate = "fast"});
  tree.remove(adapter_folder + "/ports/1/phys_state");
  const NetworkPort port = adapters_in(tree).at(0).ports.at(0);
  EXPECT_THAT(port.problems, ElementsAre(HasSubstr("phys_state: it is absent")));
  EXPECT_THAT(port.rate_problem, HasSubstr("rate: not understood: \"fast\""));
}

TEST(NetworkAdapters, TheLinkIsPossibleThatAdapterAndSlotBothCan) {
  const NetworkTree tree;
  tree.add({});
  EXPECT_EQ(adapters_in(tree).at(0).possible_link.gigatransfers, 32);
  tree.write("/sys/devices/pci0000:15/0000:15:01.0/max_link_speed", "16.0 GT/s PCIe");
  tree.write("/sys/devices/pci0000:15/0000:15:01.0/max_link_width", "8");
  EXPECT_EQ(adapters_in(tree).at(0).possible_link.gigatransfers, 16);
  EXPECT_EQ(adapters_in(tree).at(0).possible_link.lanes, 8);
  EXPECT_EQ(adapters_in(tree).at(0).link.lanes, 16);
  tree.write(device_folder + "/current_link_speed", "Unknown");
  tree.write(device_folder + "/current_link_width", "255");
  EXPECT_EQ(adapters_in(tree).at(0).link.gigatransfers, 0);
  EXPECT_EQ(adapters_in(tree).at(0).link.lanes, 0);
}

TEST(NetworkAdapters, ThoseThatSoftwareMakesAreLeftOut) {
  const NetworkTree tree;
  tree.add({.name = "rxe0", .pci_path = "virtual/net/eth0"});
  EXPECT_THAT(adapters_in(tree), IsEmpty());
}

TEST(NetworkAdapters, ADriverMayPutADeviceOfItsOwnBelowThePciDevice) {
  const NetworkTree tree;
  tree.add({.pci_path = "pci0000:15/0000:18:00.0/mlx5_core.rdma.0"});
  EXPECT_EQ(adapters_in(tree).at(0).pci_address, "0000:18:00.0");
}

TEST(NetworkAdapters, AControllerWithoutAnAdapterIsNamed) {
  NetworkFiles network;
  const std::string bus = "/sys/bus/pci/devices/";
  network.files[bus + "0000:18:00.0/class"].text = "0x020700";
  network.files[bus + "0000:19:00.0/class"].text = "0x020700";
  network.files[bus + "0000:19:00.0/driver"].text = "mlx5_core";
  network.files[bus + "0000:1a:00.0/class"].text = "0x020700";
  network.files[bus + "0000:1a:00.0/driver"].text = "vfio-pci";
  network.files[bus + "0000:1b:00.0/class"].text = "0x030200";
  EXPECT_THAT(controllers_without_adapter(network),
              ElementsAre("0000:18:00.0 (no driver)", "0000:19:00.0 (driver mlx5_core)"));
  network.files["/sys/class/infiniband/mlx5_0/device"].text = "pci0000:15/0000:18:00.0";
  EXPECT_THAT(controllers_without_adapter(network), ElementsAre("0000:19:00.0 (driver mlx5_core)"));
}

// As the kernel's table of PortCounters has them (drivers/infiniband/core/sysfs.c).
TEST(PortCounters, HaveTheWidthsOfTheArchitecture) {
  const auto limit = [](std::string_view name) {
    return std::ranges::find(port_counters, name, &PortCounter::name)->limit();
  };
  EXPECT_EQ(limit("symbol_error"), 65535U);
  EXPECT_EQ(limit("link_downed"), 255U);
  EXPECT_EQ(limit("link_error_recovery"), 255U);
  EXPECT_EQ(limit("local_link_integrity_errors"), 15U);
  EXPECT_EQ(limit("excessive_buffer_overrun_errors"), 15U);
  EXPECT_EQ(limit("out_of_sequence"), 4294967295U);
  EXPECT_EQ(limit("rx_crc_errors"), UINT64_MAX);
}

}  // namespace
}  // namespace gpucheck::telemetry
