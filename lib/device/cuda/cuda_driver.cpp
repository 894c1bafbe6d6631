#include "device/cuda/cuda_driver.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "device/cuda/convert.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/loading/driver_library.hpp"
#include "device/cuda/loading/nvml.hpp"
#include "device/cuda/tracing/cupti_recorder.hpp"
#include "device/cuda/tracing/nvtx.hpp"

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

  [[nodiscard]] std::optional<std::vector<std::string>> installed_devices() override { return nvml::device_uuids(); }

  [[nodiscard]] Result<device::DeviceProperties> properties(int ordinal) override { return find_properties(ordinal); }

  [[nodiscard]] device::PeerLink peer_link(int ordinal) override {
    const Result<device::DeviceProperties> found = find_properties(ordinal);
    return found ? nvml::peer_link(found->pci_bus_id) : device::PeerLink{};
  }

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

  void begin_range(const std::string& name) override { nvtx::push(name); }
  void end_range() override { nvtx::pop(); }
  void mark(const std::string& name) override { nvtx::mark(name); }
  [[nodiscard]] std::uint64_t start_range(const std::string& name) override { return nvtx::start(name); }
  void finish_range(std::uint64_t range) override { nvtx::end(range); }
  [[nodiscard]] std::optional<std::vector<device::RangeEvent>> hear_ranges(
      const std::function<void()>& action) override {
    return nvtx::hear(action);
  }
};

}  // namespace

std::unique_ptr<device::Driver> make_driver_of_joined() { return std::make_unique<CudaDriver>(); }

}  // namespace gpucheck::cuda
