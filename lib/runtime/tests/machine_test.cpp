#include "runtime/machine.hpp"

#include <gtest/gtest.h>

#include "device/sim/sim_driver.hpp"
#include "runtime/devices/current_device.hpp"
#include "runtime/tests/error_of.hpp"

namespace gpucheck::runtime::test {
namespace {

class MachineTest : public testing::Test {
 protected:
  std::string error_of_location(const runtime::Machine& machine, const std::string& location) {
    return error_of([&] { static_cast<void>(machine.runtime_at(location)); });
  }

  std::unique_ptr<device::Driver> driver = sim::make_driver({.profile = sim::profile("h100"), .device_count = 3});
  std::unique_ptr<device::Device> device_0 = driver->open(0).value();
  std::unique_ptr<device::Device> device_2 = driver->open(2).value();
  Runtime runtime_0{*device_0};
  Runtime runtime_2{*device_2};
};

TEST_F(MachineTest, FindsItsDevicesByTheirNumbers) {
  const runtime::Machine machine({&runtime_2, &runtime_0});
  EXPECT_EQ(machine.device_count(), 2U);
  EXPECT_EQ(machine.runtime_at("cpu"), nullptr);
  EXPECT_EQ(machine.runtime_at("cuda:0"), &runtime_0);
  EXPECT_EQ(machine.runtime_at("cuda:2"), &runtime_2);
}

TEST_F(MachineTest, MeansTheCurrentDeviceWithoutANumber) {
  const CurrentDeviceGuard guard(2);
  EXPECT_EQ(runtime::Machine({&runtime_0, &runtime_2}).runtime_at("cuda"), &runtime_2);
  EXPECT_EQ(runtime::Machine({&runtime_0}).runtime_at("cuda"), &runtime_0);
}

TEST_F(MachineTest, RefusesWhatIsNotThere) {
  const runtime::Machine machine({&runtime_0, &runtime_2});
  EXPECT_EQ(error_of_location(machine, "cuda:1"),
            "Attempting to deserialize object on CUDA device 1 but torch.cuda.device_count() is 2. Please use "
            "torch.load with map_location to map your storages to an existing device.");
  EXPECT_EQ(error_of_location({}, "cuda:0"),
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
            "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
            "storages to the CPU.");
  EXPECT_EQ(runtime::Machine().runtime_at("cpu"), nullptr);
}

TEST_F(MachineTest, RefusesWhatIsNoDevice) {
  const runtime::Machine machine({&runtime_0});
  EXPECT_EQ(error_of_location(machine, "cuda0"), "Invalid device string: 'cuda0'");
  EXPECT_EQ(error_of_location(machine, "cuda:"), "Invalid device string: 'cuda:'");
  EXPECT_EQ(error_of_location(machine, ""),
            "don't know how to restore data location of torch.storage.UntypedStorage (tagged with )");
  EXPECT_EQ(error_of_location(machine, "mps"),
            "don't know how to restore data location of torch.storage.UntypedStorage (tagged with mps)");
}

}  // namespace
}  // namespace gpucheck::runtime::test
