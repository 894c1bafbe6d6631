#include "device/cuda/kernels/launch_table.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gpucheck::cuda {
namespace {

std::vector<std::span<const LaunchEntry>>& joined_families() noexcept {
  static std::vector<std::span<const LaunchEntry>> families;
  return families;
}

std::unordered_map<const device::Kernel*, const void*> all_functions() {
  std::unordered_map<const device::Kernel*, const void*> functions;
  for (const std::span<const LaunchEntry> family : kernel_families()) {
    for (const LaunchEntry& entry : family) functions.emplace(entry.kernel, entry.function);
  }
  return functions;
}

std::unordered_map<const void*, const device::Kernel*> all_kernels() {
  std::unordered_map<const void*, const device::Kernel*> kernels;
  for (const std::span<const LaunchEntry> family : kernel_families()) {
    for (const LaunchEntry& entry : family) kernels.emplace(entry.function, entry.kernel);
  }
  return kernels;
}

}  // namespace

void join_kernels(std::initializer_list<KernelFamilies> parts) {
  static std::once_flag joined;
  std::call_once(joined, [&] {
    std::vector<std::span<const LaunchEntry>> families;
    for (const KernelFamilies part : parts) families.insert(families.end(), part.begin(), part.end());
    joined_families() = std::move(families);
  });
}

KernelFamilies kernel_families() noexcept { return joined_families(); }

const void* find_function(const device::Kernel* kernel) noexcept {
  static const auto functions = all_functions();
  const auto found = functions.find(kernel);
  return found == functions.end() ? nullptr : found->second;
}

const device::Kernel* find_kernel(const void* function) noexcept {
  static const auto kernels = all_kernels();
  const auto found = kernels.find(function);
  return found == kernels.end() ? nullptr : found->second;
}

}  // namespace gpucheck::cuda
