#include "device/relaxed_capture.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <vector>

#include "device/forwarding/forwarding_device.hpp"
#include "device/tests/units/recording_device.hpp"

namespace gpucheck::device {
namespace {

/// Keeps the mode of its one thread, and a record of every mode it was given.
class ModeKeeper final : public ForwardingDevice {
 public:
  ModeKeeper() : ForwardingDevice(std::make_unique<RecordingDevice>()) {}
  Result<CaptureMode> exchange_capture_mode(CaptureMode mode) override {
    if (failure) return *failure;
    given.push_back(mode);
    return std::exchange(now, mode);
  }

  std::optional<Status> failure;
  CaptureMode now = CaptureMode::thread_local_;
  std::vector<CaptureMode> given;
};

TEST(RelaxedCapture, IsForAScope) {
  ModeKeeper device;
  {
    const RelaxedCapture relaxed(device);
    EXPECT_EQ(device.now, CaptureMode::relaxed);
  }
  EXPECT_EQ(device.given, (std::vector{CaptureMode::relaxed, CaptureMode::thread_local_}));
}

TEST(RelaxedCapture, ThrowsWhereTheModeCannotBeSet) {
  ModeKeeper device;
  device.failure = Status::launch_failure;
  EXPECT_THROW(RelaxedCapture{device}, DeviceError);
}

TEST(RelaxedCapture, GoesOnWithoutWhenTold) {
  ModeKeeper device;
  device.failure = Status::launch_failure;
  {
    const RelaxedCapture relaxed(device, std::nothrow);
    device.failure.reset();
  }
  EXPECT_TRUE(device.given.empty());  // what was never changed is not changed back
}

}  // namespace
}  // namespace gpucheck::device
