#include <cstdlib>

#include "device/tests/suites.hpp"

// What initialises the driver and what does not. Each test needs a process that has
// not used the device, so each runs in a child.
namespace gpucheck::device::contract {
namespace {

void set_visible(Driver& driver, const char* devices) {
  ::setenv(std::string(driver.visible_devices_variable()).c_str(), devices, 1);
}

// cuDeviceGetCount before cuInit: CUDA_ERROR_NOT_INITIALIZED.
TEST_P(Initialisation, MakingADriverInitialisesNothing) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    found.expect(status_of(driver().device_count_without_initialising()), Status::initialization_error,
                 "device_count_without_initialising");
    found.expect(status_of(driver().device_count_without_initialising()), Status::initialization_error,
                 "device_count_without_initialising again");
  });
}

TEST_P(Initialisation, NeitherNameNorVariableInitialise) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    found.expect(!driver().kind().empty(), "the driver has a kind");
    found.expect(!driver().visible_devices_variable().empty(), "the driver has a variable");
    found.expect(status_of(driver().device_count_without_initialising()), Status::initialization_error,
                 "device_count_without_initialising");
  });
}

TEST_P(Initialisation, CountingDevicesInitialises) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const int count = driver().device_count().value();
    found.expect(count >= 1, "there is a device");
    found.expect(driver().device_count_without_initialising() == count, "both counts agree");
  });
}

TEST_P(Initialisation, OpeningADeviceInitialises) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto opened = driver().open(0);
    found.expect(status_of(opened), Status::success, "open");
    found.expect(status_of(driver().device_count_without_initialising()), Status::success,
                 "device_count_without_initialising");
  });
}

TEST_P(Initialisation, TheFirstCallMayBeAnyCall) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto opened = driver().open(0).value();
    const auto pointer = opened->allocate(1024);
    found.expect(status_of(pointer), Status::success, "allocate as the first call");
    found.expect(opened->free(*pointer), Status::success, "free");
  });
}

// Programming guide, "CUDA environment variables": only devices whose index is listed
// before an invalid one are visible.
TEST_P(Initialisation, NoDeviceVisibleIsAnError) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    set_visible(driver(), "-1");
    found.expect(status_of(driver().device_count()), Status::no_device, "device_count");
    found.expect(status_of(driver().open(0)), Status::no_device, "open");
  });
}

TEST_P(Initialisation, DevicesBehindAnInvalidOneAreNotVisible) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    set_visible(driver(), "0,-1,1");
    found.expect(driver().device_count() == 1, "one device is visible");
    found.expect(status_of(driver().open(1)), Status::invalid_device, "open(1)");
  });
}

TEST_P(Initialisation, TellingWhatIsInstalledInitialisesNothing) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto all = driver().installed_devices();
    set_visible(driver(), "-1");
    found.expect(driver().installed_devices() == all, "hidden devices are installed all the same");
    found.expect(status_of(driver().device_count_without_initialising()), Status::initialization_error,
                 "device_count_without_initialising");
    set_visible(driver(), "0");
    found.expect(!all || (!all->empty() && driver().device_count() == 1), "one is visible of those installed");
  });
}

TEST_P(Initialisation, TheVariableIsReadOnce) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const int count = driver().device_count().value();
    set_visible(driver(), "-1");
    found.expect(driver().device_count() == count, "the count did not change");
    found.expect(status_of(driver().open(0)), Status::success, "open");
  });
}

}  // namespace
}  // namespace gpucheck::device::contract
