#include "input/devices/devices.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "device/sim/sim_driver.hpp"

namespace gpucheck::application {
namespace {

using namespace literals;

std::string rejection(std::string_view name) {
  try {
    check_device_name(name);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(DeviceName, SimulatorHasADefaultProfile) {
  const runner::OpenedDriver opened = open_driver("sim", 1);
  EXPECT_EQ(opened.driver->kind(), "sim");
  EXPECT_EQ(opened.name_of(opened.ordinals), "sim:h100");
  EXPECT_EQ(opened.note, "");
}

TEST(DeviceName, SimulatorTakesOptions) {
  const runner::OpenedDriver opened = open_driver("sim:h100,memory=16GiB,devices=2", 1);
  EXPECT_EQ(opened.driver->device_count().value(), 2);
  EXPECT_EQ(opened.driver->open(1).value()->properties().total_memory_bytes, 16_GiB);
  EXPECT_EQ(opened.name_of(opened.ordinals), "sim:h100,memory=16GiB,devices=2,only=0+1");
}

TEST(DeviceName, OptionsNeedNoProfile) { EXPECT_EQ(open_driver("sim:devices=3", 1).driver->device_count().value(), 3); }

TEST(DeviceName, ResolvedNameOpensTheSame) {
  const runner::OpenedDriver opened = open_driver("sim:memory=4GiB", 1);
  const runner::OpenedDriver again = open_driver(opened.name_of(opened.ordinals), 1);
  EXPECT_EQ(again.driver->open(0).value()->properties().total_memory_bytes, 4_GiB);
  EXPECT_EQ(again.name_of(again.ordinals), opened.name_of(opened.ordinals));
}

TEST(DeviceName, AllSimulatedDevicesAreMeantOrSomeOfThem) {
  EXPECT_EQ(open_driver("sim:devices=3", 1).ordinals, (std::vector{0, 1, 2}));
  const runner::OpenedDriver some = open_driver("sim:small,devices=4,only=3+1", 1);
  EXPECT_EQ(some.ordinals, (std::vector{3, 1}));
  EXPECT_EQ(some.driver->device_count().value(), 4);
  EXPECT_EQ(some.name_of({1}), "sim:small,devices=4,only=1");
}

TEST(DeviceName, ASimulatedDeviceMayBeSickAmongOthers) {
  const runner::OpenedDriver opened = open_driver("sim:devices=3,slow=1,odd=2", 1);
  EXPECT_EQ(opened.ordinals, (std::vector{0, 1, 2}));
  EXPECT_EQ(opened.name_of({1}), "sim:h100,devices=3,slow=1,odd=2,only=1");
  EXPECT_EQ(rejection("sim:odd=0"), "");
  EXPECT_NE(rejection("sim:devices=3,slow=3").find("there is no device 3"), std::string::npos);
  EXPECT_NE(rejection("sim:odd=1").find("there is no device 1"), std::string::npos);
  EXPECT_NE(rejection("sim:odd=x").find("not a device number"), std::string::npos);
}

TEST(DeviceName, GpusHaveNamesThatNeedNoCount) {
  if (make_cuda_driver() != nullptr) GTEST_SKIP() << "built with CUDA: what is named is looked for";
  for (const char* name : {"cuda", "cuda:0,2", "GPU-8d3f0a11", "0000:3b:00.0", "3B:00.0,AF:00.0"}) {
    EXPECT_THROW(check_device_name(name), EnvironmentError) << name << " is well-formed, and cannot be had";
  }
}

TEST(DeviceName, EveryProfileOpens) {
  ASSERT_FALSE(simulator_profiles().empty());
  for (const std::string_view profile : simulator_profiles()) {
    EXPECT_TRUE(open_driver("sim:" + std::string(profile), 1).driver->open(0).has_value()) << profile;
  }
}

TEST(DeviceName, RejectsWhatIsNone) {
  for (const char* name : {"",
                           "gpu",
                           "sim:",
                           "cuda:",
                           "cuda:x",
                           "cuda:-1",
                           "cuda:1x",
                           "auto:1",
                           "sim:nosuch",
                           "sim:devices=0",
                           "sim:devices=x",
                           "sim:devices",
                           "sim:h100,,devices=2",
                           "sim:h100,memory=1",
                           "sim:memory=lots",
                           "cuda:0,0",
                           "cuda:0,",
                           "cuda:,1",
                           "sim:devices=2,only=2",
                           "sim:devices=2,only=0+0",
                           "sim:devices=2,only=",
                           "GPU-",
                           "GPU-xyz",
                           "3b",
                           "sim:memory=4096GiB",
                           "sim:sms=4",
                           "Sim"}) {
    EXPECT_NE(rejection(name), "") << name;
  }
}

TEST(DeviceName, HoldsToItsLimits) {
  for (const char* name :
       {"sim:devices=1", "sim:devices=64", "sim:memory=1024GiB", "sim:devices=64,only=63+0,slow=63"}) {
    EXPECT_EQ(rejection(name), "") << name;
  }
  for (const char* name : {"sim:devices=65", "sim:memory=1025GiB", "sim:devices=64,only=64", "sim:devices=-1",
                           "sim:devices=64,slow=64", "cuda:1024", "sim:devices=2,only=0,slow=2"}) {
    EXPECT_NE(rejection(name), "") << name;
  }
  const auto reserved = sim::profile("small").reserved_memory_bytes;
  EXPECT_NE(rejection("sim:small,memory=" + std::to_string(reserved)), "") << "nothing is left";
  EXPECT_EQ(rejection("sim:small,memory=" + std::to_string(reserved + 1)), "");
}

TEST(DeviceName, OfSimulatedDevicesHasNoProblem) {
  for (const char* name : {"sim", "sim:small,devices=2"}) {
    const runner::OpenedDriver opened = open_driver(name, 5);
    EXPECT_TRUE(opened.problem.empty());
    EXPECT_TRUE(opened.known.empty());
    EXPECT_FALSE(opened.look_for_problem);
  }
  EXPECT_EQ(open_driver("sim:small", 1).name_of({0}), "sim:small") << "a single one needs no number";
  EXPECT_EQ(open_driver("sim:small,devices=2", 1).name_of({1, 0}), "sim:small,devices=2,only=1+0");
}

TEST(DeviceName, RejectionSaysWhatIsAllowed) {
  const std::string text = rejection("gpu:0");
  EXPECT_NE(text.find("\"gpu:0\""), std::string::npos);
  EXPECT_NE(text.find("cuda:0,2"), std::string::npos);
  EXPECT_NE(text.find("sim:PROFILE"), std::string::npos);
}

TEST(DeviceName, AutomaticFallsBackWithAReason) {
  const runner::OpenedDriver opened = open_driver("auto", 1);
  if (opened.driver->kind() == "cuda") GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(opened.name_of(opened.ordinals), "sim:h100");
  EXPECT_NE(opened.note.find("no CUDA device ("), std::string::npos) << opened.note;
  EXPECT_NE(opened.note.find("simulated"), std::string::npos) << opened.note;
}

TEST(DeviceName, CudaWithoutAToolkitIsRejectedWithTheReason) {
  if (make_cuda_driver() != nullptr) GTEST_SKIP() << "built with CUDA";
  try {
    check_device_name("cuda");
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("built without a CUDA toolkit"), std::string::npos);
  }
}

}  // namespace
}  // namespace gpucheck::application
