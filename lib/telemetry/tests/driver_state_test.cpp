#include "telemetry/machine/driver_state.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "base/files/tests/temporary_folder.hpp"

namespace gpucheck::telemetry {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A made-up machine: what the operating system shows of it, and which files there are.
class DriverStateTest : public ::testing::Test {
 protected:
  DriverStateTest() {
    host.libraries = {{"libcuda.so.1", "not found"}, {"libnvidia-ml.so.1", "not found"}};
    host.device_files = {{"/dev/nvidiactl", "No such file or directory"},
                         {"/dev/nvidia-uvm", "No such file or directory"}};
  }
  void write(const std::string& path) const {
    const std::filesystem::path file = folder_.file("root") + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "";
  }
  /// As it is with all of the driver.
  void install() {
    for (const char* path : {"/proc/driver/nvidia/version", "/sys/module/nvidia/version", "/dev/nvidiactl",
                             "/dev/nvidia-uvm", "/dev/nvidia0"}) {
      write(path);
    }
    host.pci_gpus = {{"0000:3b:00.0", "nvidia"}};
    host.kernel_module_version = "580.159.04";
    host.libraries = {{"libcuda.so.1", ""}, {"libnvidia-ml.so.1", ""}};
    host.device_files = {{"/dev/nvidiactl", ""}, {"/dev/nvidia-uvm", ""}, {"/dev/nvidia0", ""}};
  }
  [[nodiscard]] DriverState state() const { return driver_state(host, folder_.file("root")); }
  [[nodiscard]] std::string missing() const { return missing_part(state()); }

  Host host;

 private:
  TemporaryFolder folder_;
};

TEST_F(DriverStateTest, AMachineWithoutAGpuShowsNoSign) {
  EXPECT_FALSE(state().has_gpu());
  EXPECT_THAT(missing(), IsEmpty());
}

// Each of the drivers that take a GPU, and what to do about it; of several GPUs the first is named.
TEST_F(DriverStateTest, ADriverThatKeepsTheGpuIsNamedWithItsStep) {
  install();
  const std::vector<std::pair<const char*, const char*>> table{{"nouveau", "it cannot run CUDA"},
                                                               {"nova", "it cannot run CUDA"},
                                                               {"nova_core", "it cannot run CUDA"},
                                                               {"vfio-pci", "a virtual machine"},
                                                               {"vfio_pci_core", "a virtual machine"},
                                                               {"pci-stub", "a virtual machine"},
                                                               {"pciback", "a virtual machine"},
                                                               {"xen-pciback", "a virtual machine"},
                                                               {"other", "give the GPU to the nvidia driver"}};
  for (const auto& row : table) {
    host.pci_gpus = {{"0000:3b:00.0", row.first}, {"0000:3c:00.0", "uio"}};
    EXPECT_THAT(missing(), HasSubstr(std::string("0000:3b:00.0 is bound to ") + row.first));
    EXPECT_THAT(missing(), HasSubstr(row.second));
  }
  host.pci_gpus = {{"0000:3b:00.0", "vfio-pci"}, {"0000:3c:00.0", "nvidia"}};
  EXPECT_THAT(missing(), IsEmpty()) << "one is there for CUDA";
  host.kernel_module_version.clear();
  host.pci_gpus = {{"0000:3b:00.0", "vfio-pci"}, {"0000:3c:00.0", "uio"}};
  EXPECT_THAT(missing(), HasSubstr("the driver is not loaded: 0000:3b:00.0 is bound to vfio-pci: it keeps the GPU"));
}

TEST_F(DriverStateTest, AWholeDriverLacksNothing) {
  install();
  EXPECT_TRUE(state().has_gpu());
  EXPECT_THAT(missing(), IsEmpty());
}

TEST_F(DriverStateTest, AGpuOnTheBusIsASignAndItsDriverIsNotLoaded) {
  host.pci_gpus = {{"0000:3b:00.0", ""}};
  EXPECT_THAT(state().signs, Contains("0000:3b:00.0 on the PCI bus"));
  EXPECT_THAT(missing(), HasSubstr("the driver is not loaded: GPU at 0000:3b:00.0"));
  EXPECT_THAT(missing(), HasSubstr("modprobe nvidia"));
}

TEST_F(DriverStateTest, EachPartOfADriverAloneIsASign) {
  for (const char* path : {"/proc/driver/nvidia/version", "/sys/module/nvidia/version", "/dev/nvidiactl",
                           "/dev/nvidia3", "/dev/nvidia-uvm", "/dev/nvhost-gpu"}) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.file("root") + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "";
    const DriverState found = driver_state(host, folder.file("root"));
    EXPECT_TRUE(found.has_gpu()) << path;
    EXPECT_THAT(missing_part(found), HasSubstr("the driver is not loaded")) << path;
  }
  host.libraries[0].problem = "";
  EXPECT_THAT(state().signs, Contains("libcuda.so.1"));
  EXPECT_THAT(missing(), HasSubstr("the driver is not loaded"));
}

TEST_F(DriverStateTest, WithoutItsEntryInProcTheDriverIsNotLoaded) {
  install();
  host.kernel_module_version = "";
  EXPECT_THAT(missing(), HasSubstr("the driver is not loaded"));
  EXPECT_THAT(missing(), HasSubstr("/proc/driver/nvidia/version is missing"));
}

TEST_F(DriverStateTest, AnotherKernelDriverIsNamedWithWhatToDo) {
  host.pci_gpus = {{"0000:3b:00.0", "nouveau"}};
  EXPECT_THAT(missing(), HasSubstr("the driver is not loaded: 0000:3b:00.0 is bound to nouveau"));
  EXPECT_THAT(missing(), HasSubstr("install NVIDIA's driver"));
  host.pci_gpus = {{"0000:3b:00.0", "vfio-pci"}};
  EXPECT_THAT(missing(), HasSubstr("bound to vfio-pci"));
  EXPECT_THAT(missing(), HasSubstr("virtual machine"));
  install();
  host.pci_gpus = {{"0000:3b:00.0", "vfio-pci"}};
  EXPECT_THAT(missing(), HasSubstr("the driver is loaded, but 0000:3b:00.0 is bound to vfio-pci"));
  host.pci_gpus.push_back({"0000:3c:00.0", "nvidia"});
  EXPECT_THAT(missing(), IsEmpty()) << "one of two is meant for a virtual machine";
}

TEST_F(DriverStateTest, EachPartThatIsMissingIsNamed) {
  install();
  host.device_files[1].problem = "No such file or directory";
  EXPECT_THAT(missing(), HasSubstr("/dev/nvidia-uvm cannot be opened (No such file or directory)"));
  EXPECT_THAT(missing(), HasSubstr("nvidia-modprobe"));
  host.device_files[1].problem = "Operation not permitted";
  EXPECT_THAT(missing(), HasSubstr("device rules forbid it"));
  install();
  host.libraries[0].problem = "cannot open shared object file";
  EXPECT_THAT(missing(), HasSubstr("its libcuda.so.1 cannot be loaded (cannot open shared object file)"));
  install();
  host.pci_gpus.clear();
  EXPECT_THAT(missing(), HasSubstr("no GPU is on the PCI bus"));
  host.pci_gpus_problem = "Permission denied";
  EXPECT_THAT(missing(), IsEmpty()) << "the bus may not be looked at";
}

TEST_F(DriverStateTest, WindowsHasTheDriverForItsLinux) {
  write("/dev/dxg");
  EXPECT_FALSE(state().has_gpu()) << "a virtual machine without a GPU of NVIDIA's has that file, too";
  host.libraries[0].problem = "";
  EXPECT_THAT(state().signs, Contains("/dev/dxg"));
  EXPECT_THAT(missing(), IsEmpty());
}

}  // namespace
}  // namespace gpucheck::telemetry
