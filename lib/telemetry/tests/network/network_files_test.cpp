#include "telemetry/network/network_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "telemetry/network/adapters.hpp"
#include "telemetry/tests/network/network_tree.hpp"

// What is read of sysfs, and what is said of files that cannot be read, are torn or vanish.
namespace gpucheck::telemetry {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

const std::string port_folder = "/sys/class/infiniband/mlx5_0/ports/1";

TEST(NetworkFiles, AMachineWithoutAdaptersHasNone) {
  const NetworkTree tree;
  const NetworkFiles network = read_network_files(tree.root());
  EXPECT_THAT(network.files, IsEmpty());
  EXPECT_EQ(network.problem, "");
  EXPECT_THAT(network_adapters(network), IsEmpty());
}

TEST(NetworkFiles, AreTheFirstLinesByTheirPaths) {
  const NetworkTree tree;
  tree.add({});
  tree.write("/proc/uptime", "12.34 56.78");
  tree.write("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX\nGCC version: 12");
  tree.write("/sys/module/nvidia_peermem/refcnt", "0");
  const auto files = read_network_files(tree.root()).files;
  EXPECT_THAT(files, Contains(Pair(port_folder + "/state", FileState{"4: ACTIVE", ""})));
  EXPECT_THAT(files, Contains(Pair(port_folder + "/counters/link_downed", FileState{"0", ""})));
  EXPECT_THAT(files, Contains(Pair("/sys/class/infiniband/mlx5_0/device",
                                   FileState{"pci0000:15/0000:15:01.0/0000:18:00.0", ""})));
  EXPECT_THAT(files, Contains(Pair("/proc/driver/nvidia/version", FileState{"NVRM version: NVIDIA UNIX", ""})));
  EXPECT_THAT(files, Contains(Pair("/proc/uptime", FileState{"12.34 56.78", ""})));
  EXPECT_THAT(files, Contains(Pair("/sys/module/nvidia_peermem", FileState{"loaded", ""})));
  EXPECT_THAT(files, Not(Contains(Key("/sys/module/nv_peer_mem"))));
}

TEST(NetworkFiles, WhatCannotBeReadIsNotAbsent) {
  const NetworkTree tree;
  tree.add({});
  tree.remove(port_folder + "/counters/symbol_error");
  tree.make_unreadable(port_folder + "/counters/link_downed");
  const auto files = read_network_files(tree.root()).files;
  EXPECT_THAT(files, Not(Contains(Key(port_folder + "/counters/symbol_error"))));
  EXPECT_THAT(files, Contains(Pair(port_folder + "/counters/link_downed", FileState{"", "Is a directory"})));
  const NetworkPort port = network_adapters(read_network_files(tree.root())).at(0).ports.at(0);
  EXPECT_FALSE(port.counters.contains("symbol_error"));
  EXPECT_THAT(port.counters.at("link_downed").problem, HasSubstr("link_downed: Is a directory"));
  EXPECT_EQ(port.count("link_downed"), std::nullopt);
}

TEST(NetworkFiles, ATornFileIsSaid) {
  const NetworkTree tree;
  tree.add({});
  tree.write_raw(port_folder + "/counters/symbol_error", "12");
  tree.write_raw(port_folder + "/state", "");
  const NetworkPort port = network_adapters(read_network_files(tree.root())).at(0).ports.at(0);
  EXPECT_EQ(port.count("symbol_error"), std::nullopt);
  EXPECT_THAT(port.counters.at("symbol_error").problem, HasSubstr("torn"));
  EXPECT_THAT(port.problems, ElementsAre(port_folder + "/state: it is empty"));
  EXPECT_FALSE(port.is_active());
}

TEST(NetworkFiles, AnAdapterThatIsTakenAwayMeanwhileIsSaid) {
  const NetworkTree tree;
  tree.add({});
  tree.add({.name = "mlx5_1", .pci_path = "pci0000:15/0000:15:02.0/0000:19:00.0"});
  // It was listed, and there is nothing any more where the link leads.
  tree.remove("/sys/devices/pci0000:15/0000:15:01.0");
  const std::vector<NetworkAdapter> adapters = network_adapters(read_network_files(tree.root()));
  ASSERT_EQ(adapters.size(), 2U);
  EXPECT_THAT(adapters[0].problems, ElementsAre("mlx5_0: the adapter was taken away while it was read"));
  EXPECT_THAT(adapters[0].ports, IsEmpty());
  EXPECT_THAT(adapters[1].problems, IsEmpty());
  EXPECT_TRUE(adapters[1].ports.at(0).is_active());
}

TEST(NetworkFiles, AListThatCannotBeReadIsNotAnEmptyOne) {
  const NetworkTree tree;
  tree.write("/sys/class/infiniband", "not a folder");
  const NetworkFiles network = read_network_files(tree.root());
  EXPECT_THAT(network.problem, HasSubstr("/sys/class/infiniband: Not a directory"));
  EXPECT_TRUE(network.failed);
  const NetworkTree without_ports;
  without_ports.add({});
  without_ports.remove(port_folder);
  without_ports.remove("/sys/class/infiniband/mlx5_0/ports");
  EXPECT_THAT(network_adapters(read_network_files(without_ports.root())).at(0).problems,
              ElementsAre("mlx5_0: it has no port"));
  without_ports.write("/sys/class/infiniband/mlx5_0/ports", "not a folder");
  EXPECT_THAT(network_adapters(read_network_files(without_ports.root())).at(0).problems,
              ElementsAre("/sys/class/infiniband/mlx5_0/ports: Not a directory"));
}

}  // namespace
}  // namespace gpucheck::telemetry
