#include "telemetry/network/gpu_distance.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>
#include <utility>

#include "telemetry/network/adapters.hpp"
#include "telemetry/network/file_view.hpp"

namespace gpucheck::telemetry {
namespace {

using Texts = std::vector<std::string>;

/// The nearest first.
constexpr std::array<std::string_view, 5> distances{"PIX", "PXB", "PHB", "NODE", "SYS"};

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    path = slash == path.npos ? "" : path.substr(slash + 1);
  }
  return parts;
}

Texts gpus_of(const FileView& view) {
  Texts addresses = view.names_in(bus_folder);
  std::erase_if(addresses, [&view](const std::string& address) {
    return !view.text(fmt::format("{}/{}/class", bus_folder, address)).starts_with("0x03");
  });
  return addresses;
}

/// Whether "6.8.0-45-generic" is 5.12 or later; none where it is not a version.
std::optional<bool> is_new_enough(std::string_view release) {
  const std::size_t dot = release.find('.');
  if (dot == release.npos) return {};
  const std::string_view rest = release.substr(dot + 1);
  const auto major = whole_number<int>(release.substr(0, dot));
  const auto minor = whole_number<int>(rest.substr(0, rest.find_first_not_of("0123456789")));
  if (!major || !minor) return {};
  return std::pair(*major, *minor) >= std::pair(5, 12);
}

}  // namespace

std::string distance(const std::string& gpu_path, const std::string& gpu_node, const std::string& adapter_path,
                     const std::string& adapter_node) {
  const std::vector<std::string_view> gpu = parts_of(gpu_path);
  const std::vector<std::string_view> adapter = parts_of(adapter_path);
  if (gpu.empty() || adapter.empty()) return "";
  const auto [end_of_gpu, end_of_adapter] = std::ranges::mismatch(gpu, adapter);
  const auto common = end_of_gpu - gpu.begin();
  if (common == 0) return gpu_node == adapter_node ? "NODE" : "SYS";
  // The first part is the host bridge.
  if (common == 1) return "PHB";
  // Each has its own port of the switch before it, and nothing else.
  const auto beyond = std::max(gpu.end() - end_of_gpu, adapter.end() - end_of_adapter);
  return beyond <= 2 ? "PIX" : "PXB";
}

std::vector<std::string> nearest_adapters(const NetworkFiles& network) {
  const FileView view(network);
  const std::vector<NetworkAdapter> adapters = network_adapters(network);
  Texts nearest;
  for (const std::string& address : gpus_of(view)) {
    const std::string folder = fmt::format("{}/{}", bus_folder, address);
    const std::string path = view.text(folder);
    const std::string node = view.text(folder + "/numa_node");
    for (const std::string_view each : distances) {
      Texts names;
      for (const NetworkAdapter& adapter : adapters) {
        if (distance(path, node, adapter.pci_path, adapter.numa_node) == each) names.push_back(adapter.name);
      }
      if (names.empty()) continue;
      nearest.push_back(fmt::format("{}: {}, {}", address, fmt::join(names, " "), each));
      break;
    }
  }
  return nearest;
}

GpuDirect gpudirect(const NetworkFiles& network) {
  const FileView view(network);
  const std::string version = view.text("/proc/driver/nvidia/version");
  GpuDirect found{.has_gpu = !gpus_of(view).empty(), .has_driver = !version.empty(), .ways = {}, .hints = {}};
  for (const std::string module : {"nvidia_peermem", "nv_peer_mem"}) {
    if (!view.text("/sys/module/" + module).empty()) found.ways.push_back(module);
  }
  if (found.ways.empty()) found.hints.emplace_back("nvidia_peermem is not loaded");
  const std::string release = view.text("/proc/sys/kernel/osrelease");
  const std::optional<bool> kernel = is_new_enough(release);
  const bool is_open = version.find("Open Kernel Module") != version.npos;
  if (is_open && kernel == true) {
    found.ways.emplace_back("dma-buf");
  } else if (!is_open) {
    found.hints.emplace_back("dma-buf needs NVIDIA's open kernel modules, and others are loaded");
  } else {
    found.hints.push_back(fmt::format("dma-buf needs a kernel from 5.12 on, and this one is {}",
                                      kernel ? release : "of an unknown version"));
  }
  return found;
}

}  // namespace gpucheck::telemetry
