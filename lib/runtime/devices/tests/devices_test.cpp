#include "runtime/devices/devices.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/devices/current_device.hpp"
#include "runtime/streams/tests/pytorch_facts.hpp"

namespace gpucheck::runtime::test {
namespace {

constexpr IndexRule optional{.optional = true};

class DevicesTest : public testing::Test {
 protected:
  std::string error_of(const DeviceArgument& argument, IndexRule rule) {
    try {
      static_cast<void>(devices.index_of(argument, rule));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("h100"), .device_count = 3});
  Devices devices{*driver};
};

TEST_F(DevicesTest, AreMeantByNumberTextOrName) {
  EXPECT_EQ(devices.index_of(2), 2);
  EXPECT_EQ(devices.index_of("cuda:1"), 1);
  EXPECT_EQ(devices.index_of(DeviceName{.type = "cuda", .index = 2}), 2);
}

TEST_F(DevicesTest, TheCurrentOneIsMeantByNothingWhereThatMayBe) {
  const CurrentDeviceGuard guard(2);
  EXPECT_EQ(devices.index_of({}, optional), 2);
  EXPECT_EQ(devices.index_of("cuda", optional), 2);
  EXPECT_EQ(devices.index_of("cuda:1", optional), 1);
  EXPECT_EQ(error_of({}, {}), "Expected a torch.device with a specified index or an integer, but got:None");
  EXPECT_EQ(error_of("cuda", {}), "Expected a torch.device with a specified index or an integer, but got:cuda");
}

TEST_F(DevicesTest, TheHostIsMeantOnlyWhereThatMayBe) {
  EXPECT_EQ(error_of("cpu", optional), "Expected a cuda device, but got: cpu");
  EXPECT_EQ(error_of(DeviceName{.type = "cpu", .index = 0}, optional), "Expected a cuda device, but got: cpu:0");
  EXPECT_EQ(devices.index_of("cpu", {.optional = true, .allow_cpu = true}), -1);
  EXPECT_EQ(error_of("meta", {.optional = true, .allow_cpu = true}), "Expected a cuda or cpu device, but got: meta");
}

TEST_F(DevicesTest, EachThreadHasACurrentOne) {
  {
    const CurrentDeviceGuard guard(1);
    EXPECT_EQ(devices.current(), 1);
    std::thread([this] { EXPECT_EQ(devices.current(), 0); }).join();
  }
  EXPECT_EQ(devices.current(), 0);
  EXPECT_THROW(devices.set_current(3), Error);
  EXPECT_THROW(devices.set_current(-1), Error);
  EXPECT_EQ(devices.current(), 0);
  const CurrentDeviceGuard guard(7);
  EXPECT_THROW(static_cast<void>(devices.current()), Error);
}

TEST_F(DevicesTest, TellNameAndCapability) {
  EXPECT_EQ(devices.name(), "Simulated NVIDIA H100 80GB HBM3");
  EXPECT_EQ(devices.name("cuda:2"), devices.name());
  EXPECT_EQ(devices.capability(1), (ComputeCapability{9, 0}));
  EXPECT_NE(devices.properties(0).uuid, devices.properties(1).uuid);
  EXPECT_NE(devices.properties(0).uuid_bytes, devices.properties(1).uuid_bytes);
  EXPECT_THROW(static_cast<void>(devices.name(3)), Error);
  EXPECT_THROW(static_cast<void>(devices.name(-1)), Error);
}

TEST(UuidText, IsGroupsOfHexadecimalDigits) {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 0x11);
  EXPECT_EQ(uuid_text(bytes), "00112233-4455-6677-8899-aabbccddeeff");
}

/// The visible-devices variable for a scope.
class VisibleScope {
 public:
  explicit VisibleScope(const char* value) { set(value); }
  ~VisibleScope() { ::unsetenv(std::string(sim::visible_devices_variable).c_str()); }
  VisibleScope(const VisibleScope&) = delete;
  VisibleScope& operator=(const VisibleScope&) = delete;
  static void set(const char* value) { ::setenv(std::string(sim::visible_devices_variable).c_str(), value, 1); }
};

TEST_F(DevicesTest, AreCountedAnewUntilTheFirstUse) {
  EXPECT_EQ(devices.count(), 3);
  const VisibleScope visible("0,2");
  EXPECT_EQ(devices.count(), 2);
  VisibleScope::set("");
  EXPECT_EQ(devices.count(), 0);
  VisibleScope::set("1");
  EXPECT_FALSE(driver->device_count_without_initialising()) << "counting has initialised nothing";
  EXPECT_EQ(devices.current(), 0);
  EXPECT_EQ(devices.count(), 1);
  VisibleScope::set("");
  EXPECT_EQ(devices.count(), 1) << "the driver was initialised when it was counted last";
}

TEST_F(DevicesTest, OneIsCountedWhenPyTorchCountsIt) {
  const auto machine = sim::make_driver({.profile = sim::profile("h100")});
  Devices its(*machine);
  std::vector<int> counts = {its.count()};
  {
    const VisibleScope hidden("");
    counts.push_back(its.count());
  }
  EXPECT_EQ(its.current(), 0);  // the first use
  counts.push_back(its.count());
  const VisibleScope hidden("");
  counts.push_back(its.count());
  const json facts = pytorch_facts(GPUCHECK_RUNTIME_FOLDER, "counts of devices");
  EXPECT_EQ(fmt::format("{}\n", fmt::join(counts, " ")),
            facts["counted, hidden, used and counted, hidden"].get<std::string>());
}

// As PyTorch does, which keeps the first answer after the driver was initialised, and not what
// the driver found then.
TEST_F(DevicesTest, AreCountedOnceMoreAfterTheFirstUse) {
  EXPECT_EQ(devices.current(), 0);
  const VisibleScope visible("0");
  EXPECT_EQ(devices.count(), 1);
  VisibleScope::set("0,1");
  EXPECT_EQ(devices.count(), 1);
}

TEST_F(DevicesTest, AreNoneWhenTheDriverFindsNone) {
  const VisibleScope visible("-1");
  EXPECT_FALSE(driver->device_count());
  EXPECT_EQ(devices.count(), 0);
}

}  // namespace
}  // namespace gpucheck::runtime::test
