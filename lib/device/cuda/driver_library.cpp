#include "device/cuda/driver_library.hpp"

#include <array>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <string_view>

namespace gpucheck::cuda {
namespace {

/// A function of a shared library that may be absent; null when it is.
void* find_symbol(const char* library, const char* name) {
  void* handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  return handle != nullptr ? dlsym(handle, name) : nullptr;
}

template <typename Function>
Function* find_function(const char* library, const char* name) {
  return reinterpret_cast<Function*>(find_symbol(library, name));
}

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

constexpr const char* nvml = "libnvidia-ml.so.1";

/// NVML, initialised for a scope where it can be.
class NvmlScope {
 public:
  NvmlScope() {
    auto* const initialise = find_function<int()>(nvml, "nvmlInit_v2");
    ready_ = initialise != nullptr && shut_down_ != nullptr && initialise() == 0;
  }
  ~NvmlScope() {
    if (ready_) shut_down_();
  }
  NvmlScope(const NvmlScope&) = delete;
  NvmlScope& operator=(const NvmlScope&) = delete;
  [[nodiscard]] bool ready() const noexcept { return ready_; }

 private:
  int (*shut_down_)() = find_function<int()>(nvml, "nvmlShutdown");
  bool ready_ = false;
};

std::string version_from_nvml() {
  auto* const version = find_function<int(char*, unsigned)>(nvml, "nvmlSystemGetDriverVersion");
  const NvmlScope scope;
  if (version == nullptr || !scope.ready()) return {};
  std::array<char, 80> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  const bool known = version(text.data(), static_cast<unsigned>(text.size())) == 0;
  return known ? text.data() : std::string{};
}

}  // namespace

void* driver_function(const char* name) { return find_symbol("libcuda.so.1", name); }

device::Result<int> driver_device_count() {
  auto* const device_get_count = find_function<int(int*)>("libcuda.so.1", "cuDeviceGetCount");
  if (device_get_count == nullptr) return device::Status::insufficient_driver;
  int count = 0;
  // CUresult and cudaError_t share their numbers (driver_types.h, since CUDA 10.1).
  if (const int result = device_get_count(&count); result != 0) return static_cast<device::Status>(result);
  return count;
}

std::optional<std::vector<std::string>> uuids_from_nvml() {
  struct DeviceOfNvml;
  auto* const get_count = find_function<int(unsigned*)>(nvml, "nvmlDeviceGetCount_v2");
  auto* const get_device = find_function<int(unsigned, DeviceOfNvml**)>(nvml, "nvmlDeviceGetHandleByIndex_v2");
  auto* const get_uuid = find_function<int(DeviceOfNvml*, char*, unsigned)>(nvml, "nvmlDeviceGetUUID");
  const NvmlScope scope;
  if (get_count == nullptr || get_device == nullptr || get_uuid == nullptr || !scope.ready()) return std::nullopt;
  unsigned count = 0;
  if (get_count(&count) != 0) return std::nullopt;
  std::vector<std::string> uuids;
  for (unsigned i = 0; i < count; ++i) {
    DeviceOfNvml* device = nullptr;
    std::array<char, 96> uuid{};  // NVML_DEVICE_UUID_V2_BUFFER_SIZE
    if (get_device(i, &device) != 0 || get_uuid(device, uuid.data(), static_cast<unsigned>(uuid.size())) != 0) {
      return std::nullopt;
    }
    uuids.emplace_back(uuid.data());
  }
  return uuids;
}

std::string display_driver_version() {
  std::string version = version_from_kernel_module();
  return version.empty() ? version_from_nvml() : version;
}

}  // namespace gpucheck::cuda
