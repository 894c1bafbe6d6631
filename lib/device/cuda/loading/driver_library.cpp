#include "device/cuda/loading/driver_library.hpp"

#include <fstream>
#include <sstream>
#include <string_view>

#include "device/cuda/loading/nvml.hpp"
#include "device/cuda/loading/shared_library.hpp"

namespace gpucheck::cuda {
namespace {

constexpr const char* libcuda = "libcuda.so.1";

/// 580.159.04: nothing but digits and dots, at least one dot.
bool is_version(std::string_view word) {
  return word.find('.') != std::string_view::npos && word.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// The kernel module's own statement: cheap, and true also where NVML is missing.
std::string version_from_kernel_module() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (is_version(word)) return word;
  }
  return {};
}

}  // namespace

void* driver_function(const char* name) { return find_symbol(libcuda, name); }

device::Result<int> driver_device_count() {
  auto* const device_get_count = find_function<int(int*)>(libcuda, "cuDeviceGetCount");
  if (device_get_count == nullptr) return device::Status::insufficient_driver;
  int count = 0;
  // CUresult and cudaError_t share their numbers (driver_types.h, since CUDA 10.1).
  if (const int result = device_get_count(&count); result != 0) return static_cast<device::Status>(result);
  return count;
}

std::string display_driver_version() {
  std::string version = version_from_kernel_module();
  return version.empty() ? nvml::driver_version() : version;
}

}  // namespace gpucheck::cuda
