#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "device/fault/fault_driver.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "device/owned.hpp"
#include "device/sim/sim_driver.hpp"

namespace gpucheck::fault {

using device::Result;
using device::Status;

/// The size of the memory that most tests allocate.
inline constexpr std::size_t memory_bytes = 64;

/// What a call came back with, for calls that also give a value.
template <typename T>
Status status_of(const Result<T>& result) {
  return result ? Status::success : result.error();
}

/// Simulated devices under a plan, and the simulator's own view of what reached them.
class Faulty {
 public:
  explicit Faulty(const Plan& plan, int device_count = 1) {
    auto driver = sim::make_driver({.profile = sim::profile("small"), .device_count = device_count});
    simulator_ = driver.get();
    driver_ = inject(std::move(driver), plan);
    for (int i = 0; i < device_count; ++i) devices_.push_back(driver_->open(i).value());
  }

  [[nodiscard]] sim::Driver& simulator() const { return *simulator_; }
  [[nodiscard]] device::Driver& driver() const { return *driver_; }
  [[nodiscard]] device::Device& device(std::size_t index = 0) const { return *devices_.at(index); }

  [[nodiscard]] std::uint64_t calls() const { return simulator_->api_calls().total; }

  [[nodiscard]] device::UniqueStream make_stream() const {
    return device::own<device::UniqueStream>(device(), device().create_stream(device::StreamKind::non_blocking, 0));
  }
  [[nodiscard]] device::UniqueEvent make_event() const {
    return device::own<device::UniqueEvent>(device(), device().create_event(device::EventKind::timing));
  }
  [[nodiscard]] device::UniqueDeviceMemory make_memory(std::size_t bytes) const {
    return device::own<device::UniqueDeviceMemory>(device(), device().allocate(bytes));
  }

  void spin(device::Stream stream) const {
    constexpr std::uint64_t nanoseconds = 50'000'000;
    device::check(device::launch(device(), device::kernels::Spin{nanoseconds}, 1, stream), "spin");
  }

 private:
  sim::Driver* simulator_ = nullptr;
  std::unique_ptr<device::Driver> driver_;
  std::vector<std::unique_ptr<device::Device>> devices_;
};

/// One call of `operation` goes wrong.
inline Plan once(Operation operation, Effect effect) { return {{{.operation = operation, .effect = effect}}}; }

/// What lies in a device's memory after the work of `stream`.
inline std::vector<std::uint8_t> read(const Faulty& faulty, const void* memory, std::size_t bytes,
                                      device::Stream stream = {}) {
  std::vector<std::uint8_t> host(bytes);
  device::check(faulty.device().copy(host.data(), memory, bytes, device::CopyKind::device_to_host, stream), "copy");
  device::check(faulty.device().synchronize(stream), "synchronize");
  return host;
}

}  // namespace gpucheck::fault
