#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "device/fault/fault_driver.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "device/owned.hpp"
#include "device/sim/sim_driver.hpp"
#include "harness/case/execute.hpp"

namespace gpucheck::harness {

/// A simulated device and a case made for one test.
class Fixture {
 public:
  explicit Fixture(
      void (*run)(Context&) = [](Context&) {}, int device_count = 1)
      : driver(sim::make_driver({.profile = sim::profile("small"), .device_count = device_count})),
        ordinals(static_cast<std::size_t>(device_count)) {
    std::iota(ordinals.begin(), ordinals.end(), 0);
    test_case.name = "test.made_up";
    test_case.run = run;
  }

  [[nodiscard]] Context::Setup setup() {
    Context::Setup setup;
    setup.test_case = &test_case;
    setup.driver = driver.get();
    setup.ordinals = ordinals;
    setup.settings.parameters = parameters;
    setup.settings.seed = 7;
    setup.settings.allocator = allocator;
    setup.on_observation = [this](const Observation& observation) { observed.push_back(observation); };
    setup.children = children;
    return setup;
  }
  [[nodiscard]] Execution execute() { return harness::execute(setup()); }
  /// The status the driver would give had nothing used it yet.
  [[nodiscard]] bool is_untouched() const { return !driver->device_count_without_initialising(); }

  std::unique_ptr<sim::Driver> driver;
  std::vector<int> ordinals;
  Case test_case;
  ParameterValues parameters;
  runtime::AllocatorChoice allocator;
  Observations observed;
  ChildLauncher* children = nullptr;
};

inline std::vector<std::string> keys(const std::vector<Mismatch>& mismatches) {
  std::vector<std::string> keys;
  keys.reserve(mismatches.size());
  for (const Mismatch& mismatch : mismatches) keys.push_back(mismatch.key);
  return keys;
}

/// The rules that a case with this function breaks.
inline std::vector<std::string> broken_by(void (*run)(Context&)) {
  Fixture fixture(run);
  const Execution execution = fixture.execute();
  EXPECT_EQ(execution.status, Execution::Status::completed) << execution.reason;
  EXPECT_EQ(execution.contaminated, !execution.broken_rules.empty());
  for (const Mismatch& mismatch : execution.broken_rules) {
    EXPECT_EQ(mismatch.basis, "rule");
    EXPECT_NE(mismatch.expected, "");
    EXPECT_NE(mismatch.seen, "");
  }
  return keys(execution.broken_rules);
}

/// Leaves a sticky error: a device-side assert that does not hold.
inline void poison(Context& context) {
  device::Device& device = context.device();
  const auto memory = device::own<device::UniqueDeviceMemory>(device, device.allocate(sizeof(std::int32_t)));
  device::check(device.fill(memory.get(), 1, sizeof(std::int32_t), {}), "fill");
  const device::kernels::RequireBelow require{static_cast<const std::int32_t*>(memory.get()), 0};
  device::check(device::launch(device, require, 1, {}), "launch");
}

}  // namespace gpucheck::harness
