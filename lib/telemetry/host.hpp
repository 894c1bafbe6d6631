#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpucheck::telemetry {

/// A GPU of NVIDIA's on the PCI bus, whether or not its driver has it.
struct PciGpu {
  std::string address;  ///< "0000:3b:00.0"
  std::string driver;   ///< the kernel driver bound to it: "nvidia", "vfio-pci"; empty for none
  bool operator==(const PciGpu&) const = default;
};

/// Something that has to be usable, by its name.
struct NamedState {
  std::string name;
  std::string problem;  ///< why it cannot be used; empty where it can
  bool operator==(const NamedState&) const = default;
};

/// A critical error of a GPU, as the driver wrote it to the kernel's log.
struct KernelXid {
  std::string pci_address;
  std::int64_t xid = 0;
  std::string text;  ///< the line
  bool operator==(const KernelXid&) const = default;
};

/// What the operating system tells of the GPUs, beside the driver's library.
struct Host {
  std::vector<PciGpu> pci_gpus;
  std::string pci_gpus_problem;          ///< why they are not known; empty where they are
  std::vector<NamedState> device_files;  ///< /dev/nvidiactl, /dev/nvidia-uvm, and one for each GPU: "/dev/nvidia0"
  std::string device_files_problem;      ///< likewise
  std::vector<NamedState> libraries;     ///< of the driver, by their file names
  std::string libraries_problem;         ///< likewise
  std::string kernel_module_version;     ///< of the loaded driver; empty when unknown
  std::vector<KernelXid> kernel_xids;    ///< since the machine started, as far back as the log goes
  std::string kernel_log_problem;        ///< why the log cannot be read; empty where it can
  bool operator==(const Host&) const = default;
};

/// Looks at this machine. Needs no root; where the kernel's log may not be read, that is said.
/// @param root the folder under which /dev, /proc and /sys lie, "" for the machine's own.
[[nodiscard]] Host read_host(const std::string& root = "");

/// The errors that NVIDIA's driver has written into this text of the kernel's log, in their order.
[[nodiscard]] std::vector<KernelXid> xids_in_log(const std::string& log);

}  // namespace gpucheck::telemetry
