#include "telemetry/machine/host.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/tests/temporary_folder.hpp"
#include "telemetry/kernel_log/kernel_log.hpp"

namespace gpucheck::telemetry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The root of a made-up machine.
class HostTest : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void add_pci(const std::string& address, const char* vendor, const char* device_class, const char* driver) const {
    const std::string folder = "/sys/bus/pci/devices/" + address;
    write(folder + "/vendor", std::string(vendor) + "\n");
    write(folder + "/class", std::string(device_class) + "\n");
    if (driver != nullptr)
      std::filesystem::create_symlink(std::string("../drivers/") + driver, root() + folder + "/driver");
  }
  [[nodiscard]] std::string root() const { return folder_.file("root"); }

 private:
  TemporaryFolder folder_;
};

TEST_F(HostTest, GpusOnTheBusAndTheirDrivers) {
  add_pci("0000:3b:00.0", "0x10de", "0x030200", "nvidia");
  add_pci("0000:3c:00.0", "0x10de", "0x030200", nullptr);
  add_pci("0000:3d:00.0", "0x10de", "0x068000", "nvidia");  // an NVSwitch
  add_pci("0000:3e:00.0", "0x1a03", "0x030000", "ast");
  add_pci("0000:3f:00.0", "0x10de", "0x030000", "nvidia");  // a card with a display
  add_pci("0000:3f:00.1", "0x10de", "0x040300", "snd");     // and its sound
  EXPECT_THAT(read_host(root()).pci_gpus, ElementsAre(PciGpu{"0000:3b:00.0", "nvidia"}, PciGpu{"0000:3c:00.0", ""},
                                                      PciGpu{"0000:3f:00.0", "nvidia"}));
}

TEST_F(HostTest, DeviceFilesThatCannotBeOpenedAreSaid) {
  write("/dev/nvidiactl", "");
  write("/dev/nvidia0", "");
  write("/dev/nvidia-modeset", "");
  const Host host = read_host(root());
  ASSERT_EQ(host.device_files.size(), 3U);
  EXPECT_EQ(host.device_files[0], (NamedState{"/dev/nvidiactl", ""}));
  EXPECT_EQ(host.device_files[1], (NamedState{"/dev/nvidia-uvm", "No such file or directory"}));
  EXPECT_EQ(host.device_files[2], (NamedState{"/dev/nvidia0", ""}));
}

/// Whoever runs this may read everything; what is a folder can be read by nobody.
TEST_F(HostTest, WhatCannotBeReadIsNotAbsent) {
  add_pci("0000:3b:00.0", "0x10de", "0x030200", "nvidia");
  std::filesystem::create_directories(root() + "/sys/bus/pci/devices/0000:3c:00.0/vendor");
  std::filesystem::create_directories(root() + "/proc/driver/nvidia/version");
  const Host host = read_host(root());
  EXPECT_THAT(host.pci_gpus_problem, HasSubstr("0000:3c:00.0/vendor: Is a directory"));
  EXPECT_THAT(host.kernel_module_problem, HasSubstr("/proc/driver/nvidia/version: Is a directory"));
}

TEST_F(HostTest, ADriverThatCannotBeReadIsNotNone) {
  add_pci("0000:3b:00.0", "0x10de", "0x030200", nullptr);
  write("/sys/bus/pci/devices/0000:3b:00.0/driver", "");
  EXPECT_THAT(read_host(root()).pci_gpus_problem, HasSubstr("0000:3b:00.0/driver: Invalid argument"));
}

TEST_F(HostTest, AVersionFileWithoutAVersionIsAProblem) {
  write("/proc/driver/nvidia/version", "nothing of the kind\n");
  EXPECT_THAT(read_host(root()).kernel_module_problem, HasSubstr("no version is in it"));
}

TEST_F(HostTest, VersionOfTheLoadedDriver) {
  write("/proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (builder)\n");
  EXPECT_EQ(read_host(root()).kernel_module_version, "580.159.04");
}

TEST_F(HostTest, XidsOfTheKernelsLog) {
  write("/dev/kmsg",
        "6,1041,52731094,-;usb 1-1: new device\n"
        "4,1042,52731094,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=python, GPU has fallen off the bus.\n"
        "4,1043,52731095,-;NVRM: Xid (PCI:0000:3c:00.0): 48, pid='<unknown>', DBE\n"
        "4,1044,52731096,-;NVRM: Xid (PCI:0000:3c:00.0): none\n");
  const Host host = read_host(root());
  EXPECT_EQ(host.kernel_log_problem, "");
  ASSERT_EQ(host.kernel_events.size(), 2U);
  EXPECT_EQ(host.kernel_events[0].pci_address, "0000:3b:00.0");
  EXPECT_EQ(host.kernel_events[0].xid, 79);
  EXPECT_THAT(host.kernel_events[0].text, HasSubstr("fallen off the bus"));
  EXPECT_EQ(host.kernel_events[1].pci_address, "0000:3c:00.0");
  EXPECT_EQ(host.kernel_events[1].xid, 48);
}

TEST_F(HostTest, TimesOfTheKernelsLogAreSinceTheBoot) {
  write("/proc/stat", "cpu  1 2 3\nbtime 1795600000\nprocesses 1\n");
  write("/dev/kmsg",
        "6,1,1000000,-;Linux version 6.8.0\n"
        "4,2,2751000000,-;NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n");
  const Host host = read_host(root());
  ASSERT_EQ(host.kernel_events.size(), 2U);
  EXPECT_EQ(host.kernel_events[1].last_time_s, 1'795'602'751);
  EXPECT_EQ(host.kernel_log_begin_s, 1'795'600'001);
  EXPECT_TRUE(host.kernel_log_read_s);
}

TEST_F(HostTest, AnEmptyLogIsNoEvidence) {
  write("/dev/kmsg", "");
  EXPECT_EQ(read_host(root()).kernel_log_problem, "/dev/kmsg: it is empty");
}

TEST_F(HostTest, AFileThatIsNotALogIsNoEvidence) {
  for (const char* text : {"<html>404</html>\n", "{\"schema\": NaN}", "\xff\xfe\n[[[[\n"}) {
    write("/log", text);
    EXPECT_THAT(read_kernel_log_file(root() + "/log").problem, HasSubstr("no line has the form of a kernel's log"));
  }
  for (const char* text : {"[    1.5] Linux version 6.8.0\n", "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=a, b\n",
                           "Nov 25 10:32:31 node1 kernel: something else\n"}) {
    write("/log", text);
    EXPECT_EQ(read_kernel_log_file(root() + "/log").problem, "") << text;
  }
}

TEST_F(HostTest, WhatIsNotThereIsSaid) {
  const Host host = read_host(root());
  EXPECT_THAT(host.pci_gpus_problem, HasSubstr("No such file or directory"));
  EXPECT_THAT(host.device_files_problem, HasSubstr("No such file or directory"));
  EXPECT_EQ(host.kernel_log_problem, "/dev/kmsg: No such file or directory");
  EXPECT_EQ(host.kernel_module_version, "");
  EXPECT_EQ(host.libraries.size(), 3U);
}

}  // namespace
}  // namespace gpucheck::telemetry
