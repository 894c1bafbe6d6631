#include "telemetry/network/gpu_distance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/tests/network/network_tree.hpp"

// How far GPUs and adapters are from each other, and whether the one reaches the other.
namespace gpucheck::telemetry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(GpuDistance, IsThatOfTheTopologyMatrix) {
  const std::string upstream = "pci0000:15/0000:15:01.0/0000:16:00.0";
  const std::string gpu = upstream + "/0000:17:00.0/0000:18:00.0";
  EXPECT_EQ(distance(gpu, "0", upstream + "/0000:17:01.0/0000:19:00.0", "0"), "PIX") << "two ports of one switch";
  EXPECT_EQ(distance(gpu, "0", upstream + "/0000:17:01.0/0000:1a:00.0/0000:1b:00.0/0000:1c:00.0", "0"), "PXB");
  EXPECT_EQ(distance(gpu, "0", "pci0000:15/0000:15:02.0/0000:20:00.0", "0"), "PHB");
  EXPECT_EQ(distance(gpu, "0", "pci0000:35/0000:35:01.0/0000:36:00.0", "0"), "NODE");
  EXPECT_EQ(distance(gpu, "0", "pci0000:95/0000:95:01.0/0000:96:00.0", "1"), "SYS");
  EXPECT_EQ(distance(gpu, "0", "", "0"), "");
  EXPECT_EQ(distance("", "0", gpu, "0"), "");
}

TEST(GpuDistance, NamesTheNearestAdaptersOfEachGpu) {
  const NetworkTree tree;
  tree.add_gpu("pci0000:15/0000:15:01.0/0000:18:00.0", "0");
  tree.add_gpu("pci0000:95/0000:95:01.0/0000:98:00.0", "1");
  EXPECT_THAT(nearest_adapters(read_network_files(tree.root())), IsEmpty());
  tree.add({.name = "mlx5_0", .pci_path = "pci0000:15/0000:15:02.0/0000:19:00.0"});
  tree.add({.name = "mlx5_1", .pci_path = "pci0000:15/0000:15:02.0/0000:19:00.1"});
  tree.add({.name = "mlx5_2", .pci_path = "pci0000:95/0000:95:01.0/0000:99:00.0"});
  EXPECT_THAT(nearest_adapters(read_network_files(tree.root())),
              ElementsAre("0000:18:00.0: mlx5_0 mlx5_1, PHB", "0000:98:00.0: mlx5_2, PIX"));
}

class GpuDirectTest : public ::testing::Test {
 protected:
  void set_driver(const char* version) const { tree_.write("/proc/driver/nvidia/version", version); }
  void set_kernel(const char* release) const { tree_.write("/proc/sys/kernel/osrelease", release); }
  [[nodiscard]] GpuDirect found() const { return gpudirect(read_network_files(tree_.root())); }
  const NetworkTree& tree() const { return tree_; }

  static constexpr const char* open_modules =
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build";
  static constexpr const char* closed_modules = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04";

 private:
  NetworkTree tree_;
};

TEST_F(GpuDirectTest, NeedsAGpuAndItsDriver) {
  EXPECT_FALSE(found().has_gpu);
  tree().add_gpu("pci0000:15/0000:15:01.0/0000:18:00.0", "0");
  EXPECT_TRUE(found().has_gpu);
  EXPECT_FALSE(found().has_driver);
  set_driver(closed_modules);
  EXPECT_TRUE(found().has_driver);
}

TEST_F(GpuDirectTest, ByDmaBufFromItsKernelOnWithOpenModules) {
  set_driver(open_modules);
  for (const char* const release : {"5.12.0", "5.12", "5.100.1", "6.8.0-45-generic", "6.0.0"}) {
    set_kernel(release);
    EXPECT_THAT(found().ways, ElementsAre("dma-buf")) << release;
  }
  for (const char* const release : {"5.11.9", "4.18.0-553.el8", "unknown", "6", "6.x"}) {
    set_kernel(release);
    EXPECT_THAT(found().ways, IsEmpty()) << release;
    EXPECT_THAT(found().hints, ElementsAre(HasSubstr("nvidia_peermem"), HasSubstr("kernel from 5.12 on"))) << release;
  }
  set_kernel("6.8.0");
  set_driver(closed_modules);
  EXPECT_THAT(found().ways, IsEmpty());
  EXPECT_THAT(found().hints, ElementsAre(HasSubstr("nvidia_peermem"), HasSubstr("open kernel modules")));
}

TEST_F(GpuDirectTest, ByAModuleOfOldOrNew) {
  set_driver(closed_modules);
  tree().write("/sys/module/nv_peer_mem/refcnt", "0");
  EXPECT_THAT(found().ways, ElementsAre("nv_peer_mem"));
  tree().write("/sys/module/nvidia_peermem/refcnt", "0");
  EXPECT_THAT(found().ways, ElementsAre("nvidia_peermem", "nv_peer_mem"));
}

}  // namespace
}  // namespace gpucheck::telemetry
