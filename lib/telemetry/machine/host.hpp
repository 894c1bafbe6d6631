#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/kernel_log/kernel_event.hpp"

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

/// What the operating system reports of the GPUs, beside the driver's library.
struct Host {
  std::vector<PciGpu> pci_gpus;
  std::string pci_gpus_problem;            ///< why they are not known; empty where they are
  std::vector<NamedState> device_files;    ///< /dev/nvidiactl, /dev/nvidia-uvm, and one for each GPU: "/dev/nvidia0"
  std::string device_files_problem;        ///< likewise
  std::vector<NamedState> libraries;       ///< of the driver, by their file names
  std::string libraries_problem;           ///< likewise
  std::string kernel_module_version;       ///< of the loaded driver; empty when unknown, or when none is loaded
  std::string kernel_module_problem;       ///< how it failed to be read; empty where it did not
  std::vector<KernelEvent> kernel_events;  ///< what its log says of GPUs and switches, as far back as it goes
  std::string kernel_log_problem;          ///< why the log cannot be read; empty where it can
  std::optional<std::int64_t> kernel_log_begin_s;  ///< time of its first line, seconds since 1970 UTC, where known
  std::optional<std::int64_t> kernel_log_read_s;   ///< when it was read, likewise
  bool operator==(const Host&) const = default;
};

/// Looks at this machine. Needs no root; where the kernel's log may not be read, that is said.
/// @param root the folder under which /dev, /proc and /sys lie, "" for the machine's own.
[[nodiscard]] Host read_host(const std::string& root = "");

}  // namespace gpucheck::telemetry
