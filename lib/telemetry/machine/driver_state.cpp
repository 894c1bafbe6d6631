#include "telemetry/machine/driver_state.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

namespace gpucheck::telemetry {
namespace {

namespace files = std::filesystem;

bool exists(const std::string& path) {
  std::error_code problem;
  return files::exists(path, problem);
}

/// Device files of the driver: of a GPU in a slot ("nvidia…"), and of one on the same chip (Jetson: "nvhost-gpu",
/// "nvgpu").
std::vector<std::string> device_files(const std::string& root) {
  std::vector<std::string> names;
  std::error_code problem;
  for (files::directory_iterator entry(root + "/dev", problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string name = entry->path().filename();
    if (name.starts_with("nvidia") || name == "nvhost-gpu" || name == "nvgpu") names.push_back("/dev/" + name);
  }
  std::ranges::sort(names);
  return names;
}

const NamedState* find(const std::vector<NamedState>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, &NamedState::name);
  return found == list.end() ? nullptr : &*found;
}

bool is_installed(const Host& host, std::string_view library) {
  const NamedState* const found = find(host.libraries, library);
  return found != nullptr && found->problem.empty();
}

constexpr std::string_view module_version = "/proc/driver/nvidia/version";
constexpr std::string_view cuda_library = "libcuda.so.1";
constexpr std::string_view management_library = "libnvidia-ml.so.1";
constexpr std::string_view own_driver = "nvidia";

/// GPUs that another kernel driver than NVIDIA's has: "0000:3b:00.0 is bound to nouveau".
std::vector<const PciGpu*> taken_by_others(const Host& host) {
  std::vector<const PciGpu*> taken;
  for (const PciGpu& gpu : host.pci_gpus) {
    if (!gpu.driver.empty() && gpu.driver != own_driver) taken.push_back(&gpu);
  }
  return taken;
}

std::string addresses(const Host& host) {
  std::vector<std::string> list;
  for (const PciGpu& gpu : host.pci_gpus) list.push_back(gpu.address);
  return fmt::format("{}", fmt::join(list, ", "));
}

std::string step_for(std::string_view driver) {
  if (driver == "nouveau" || driver == "nova_core" || driver == "nova") {
    return "it cannot run CUDA: install NVIDIA's driver, which puts it on the list of modules not to load, and restart "
           "the machine";
  }
  if (driver.starts_with("vfio") || driver == "pci-stub" || driver == "pciback" || driver == "xen-pciback") {
    return "it keeps the GPU for a virtual machine: run gpucheck there, or give the GPU back to the nvidia driver "
           "(driverctl unset-override ADDRESS)";
  }
  return "give the GPU to the nvidia driver";
}

/// The kernel module does not say that it is there.
std::string not_loaded(const DriverState& state) {
  const Host& host = state.host;
  const std::vector<const PciGpu*> others = taken_by_others(host);
  if (!others.empty()) {
    const PciGpu& first = *others.front();
    return fmt::format("the driver is not loaded: {} is bound to {}: {}", first.address, first.driver,
                       step_for(first.driver));
  }
  std::string where = host.pci_gpus.empty()
                          ? fmt::format("{}, but no GPU is on the PCI bus", fmt::join(state.signs, ", "))
                          : fmt::format("GPU at {}", addresses(host));
  const std::string_view half = state.has_module ? ", although some of it is there," : "";
  return fmt::format(
      "the driver is not loaded: {}{} and {} is missing: load it (modprobe nvidia; the kernel's log says why it does "
      "not load: dmesg | grep -i nvrm), or install it",
      where, half, module_version);
}

/// The first of the device files that every CUDA program opens which is not usable.
std::string unusable_file(const Host& host) {
  for (const std::string_view name : {"/dev/nvidiactl", "/dev/nvidia-uvm"}) {
    const NamedState* const file = find(host.device_files, name);
    if (file == nullptr || file->problem.empty()) continue;
    return fmt::format(
        "the driver is loaded, but {} cannot be opened ({}): {}", name, file->problem,
        file->problem == operation_not_permitted
            ? "the job's or the container's device rules forbid it: ask for GPUs (srun --gres=gpu:N, --gpus all)"
            : "make the device files (nvidia-modprobe -c 0 -u), or give them to the container (--gpus all)");
  }
  return {};
}

}  // namespace

DriverState driver_state(Host host, const std::string& root) {
  DriverState state;
  state.host = std::move(host);
  for (const PciGpu& gpu : state.host.pci_gpus) state.signs.push_back(gpu.address + " on the PCI bus");
  for (const std::string_view place : {"/proc/driver/nvidia", "/sys/module/nvidia"}) {
    if (!exists(root + std::string(place))) continue;
    state.has_module = true;
    state.signs.emplace_back(place);
  }
  std::ranges::move(device_files(root), std::back_inserter(state.signs));
  state.is_wsl = exists(root + "/dev/dxg") && is_installed(state.host, cuda_library);
  if (state.is_wsl) state.signs.emplace_back("/dev/dxg");
  for (const std::string_view library : {cuda_library, management_library}) {
    if (is_installed(state.host, library)) state.signs.emplace_back(library);
  }
  return state;
}

DriverState look_at_driver(const std::string& root) { return driver_state(read_host(root), root); }

std::string missing_part(const DriverState& state) {
  const Host& host = state.host;
  if (!state.has_gpu() || state.is_wsl) return {};
  if (!host.kernel_module_problem.empty())
    return "the version of the loaded driver cannot be read: " + host.kernel_module_problem;
  if (host.kernel_module_version.empty()) return not_loaded(state);
  if (std::string file = unusable_file(host); !file.empty()) return file;
  for (const std::string_view library : {cuda_library, management_library}) {
    const NamedState* const found = find(host.libraries, library);
    if (found == nullptr || found->problem.empty()) continue;
    return fmt::format(
        "the driver is loaded ({}), but its {} cannot be loaded ({}): install the driver's libraries of that version; "
        "in a container, let the NVIDIA container toolkit bring them (NVIDIA_DRIVER_CAPABILITIES=compute,utility)",
        host.kernel_module_version, library, found->problem);
  }
  if (host.pci_gpus_problem.empty() && host.pci_gpus.empty()) {
    return fmt::format(
        "the driver is loaded ({}), but no GPU is on the PCI bus: look at the kernel's log for one that has fallen off "
        "it (dmesg | grep -i xid), and restart the machine",
        host.kernel_module_version);
  }
  if (const auto others = taken_by_others(host); others.size() == host.pci_gpus.size() && !others.empty()) {
    const PciGpu& first = *others.front();
    return fmt::format("the driver is loaded, but {} is bound to {}: {}", first.address, first.driver,
                       step_for(first.driver));
  }
  return {};
}

}  // namespace gpucheck::telemetry
