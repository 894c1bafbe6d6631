#pragma once

#include <memory>
#include <string>

#include "device/sim/sim_driver.hpp"

namespace gpucheck::runner {

/// Four simulated devices that say different things of themselves, but for the third, which says nothing.
class FourDevices final : public device::Driver {
 public:
  [[nodiscard]] std::string_view kind() const noexcept override { return "sim"; }
  [[nodiscard]] device::Result<int> device_count() override { return 4; }
  [[nodiscard]] device::Result<int> device_count_without_initialising() override { return 4; }
  [[nodiscard]] std::string_view visible_devices_variable() const noexcept override { return "NONE"; }
  [[nodiscard]] device::Result<device::DeviceProperties> properties(int ordinal) override {
    if (ordinal == 2) return device::Status::devices_unavailable;
    const auto base = static_cast<std::uint64_t>(100 * ordinal);
    device::DeviceProperties properties;
    properties.name = "name " + std::to_string(ordinal);
    properties.uuid = "GPU-" + std::to_string(ordinal);
    properties.pci_bus_id = "0000:0" + std::to_string(ordinal) + ":00.0";
    properties.total_memory_bytes = base + 1;
    properties.multiprocessor_count = 100 * ordinal + 2;
    properties.compute_capability_major = 100 * ordinal + 3;
    properties.compute_capability_minor = 100 * ordinal + 4;
    properties.multiprocessor_clock_khz = base + 5;
    properties.memory_clock_khz = base + 6;
    properties.memory_bus_bits = 100 * ordinal + 7;
    properties.host_link = {.generation = 100 * ordinal + 8, .lanes = 100 * ordinal + 9};
    return properties;
  }
  [[nodiscard]] device::PeerLink peer_link(int ordinal) override {
    return {.links = 100 * ordinal + 10, .mbps = 100 * ordinal + 11};
  }
  [[nodiscard]] device::Result<std::unique_ptr<device::Device>> open(int ordinal) override {
    if (ordinal == 2) return device::Status::devices_unavailable;
    return simulated_->open(ordinal);
  }
  [[nodiscard]] Versions versions() override {
    return {.driver = "580.1", .cuda_driver = "13.0", .cuda_runtime = "12.9"};
  }

 private:
  std::unique_ptr<sim::Driver> simulated_ = sim::make_driver({.profile = sim::profile("small"), .device_count = 4});
};

}  // namespace gpucheck::runner
