#include "device/cuda/cuda_driver.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#if __has_include(<nvtx3/nvToolsExt.h>)  // a toolkit may lack its package nvtx
#include <nvtx3/nvToolsExt.h>
#define GPUCHECK_HAS_NVTX
#endif

#include "device/cuda/convert.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/cupti_recorder.hpp"
#include "device/cuda/driver_library.hpp"

namespace gpucheck::cuda {
namespace {

using device::Result;

/// 13020 is "13.2"; 0 (no driver) is the empty string.
std::string version_text(int version) {
  return version == 0 ? std::string{} : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

class CudaDriver final : public device::Driver {
 public:
  [[nodiscard]] std::string_view kind() const noexcept override { return "cuda"; }

  [[nodiscard]] Result<int> device_count() override {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    return to_result(error, count);
  }

  [[nodiscard]] Result<int> device_count_without_initialising() override { return driver_device_count(); }

  [[nodiscard]] std::string_view visible_devices_variable() const noexcept override { return "CUDA_VISIBLE_DEVICES"; }

  [[nodiscard]] Result<device::DeviceProperties> properties(int ordinal) override { return find_properties(ordinal); }

  [[nodiscard]] Result<std::unique_ptr<device::Device>> open(int ordinal) override { return open_device(ordinal); }

  [[nodiscard]] Versions versions() override {
    int driver = 0;
    int runtime = 0;
    // Where a call fails its version stays 0, which reads as "not known".
    static_cast<void>(cudaDriverGetVersion(&driver));
    static_cast<void>(cudaRuntimeGetVersion(&runtime));
    return {
        .driver = display_driver_version(), .cuda_driver = version_text(driver), .cuda_runtime = version_text(runtime)};
  }

  [[nodiscard]] device::ActivityRecording record_activity() override { return record_with_cupti(); }

#ifdef GPUCHECK_HAS_NVTX
  void begin_range(const std::string& name) override { nvtxRangePushA(name.c_str()); }
  void end_range() override { nvtxRangePop(); }
#endif
};

}  // namespace

std::unique_ptr<device::Driver> make_driver() { return std::make_unique<CudaDriver>(); }

}  // namespace gpucheck::cuda
