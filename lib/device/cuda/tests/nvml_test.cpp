#include "device/cuda/loading/nvml.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace gpucheck::cuda::nvml {
namespace {

using device::PeerLink;

/// The stand-in is loaded first; whoever then asks for its name gets it. It has six links, of which the third is down.
class DeviceNvml : public ::testing::Test {
 protected:
  void SetUp() override {
    library_ = ::dlopen(GPUCHECK_FAKE_NVML, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << ::dlerror();
    reinterpret_cast<void (*)()>(::dlsym(library_, "fake_nvml_recovers"))();
    answer("devices", 3);
  }
  void answer(const char* what, int code) {
    reinterpret_cast<void (*)(const char*, int)>(::dlsym(library_, "fake_nvml_answers"))(what, code);
  }
  [[nodiscard]] static PeerLink link() { return peer_link("0000:00:06.0"); }

  void* library_ = nullptr;
};

TEST_F(DeviceNvml, TellsWhatEachLinkToASwitchCarries) {
  EXPECT_EQ(link(), (PeerLink{.links = 6, .mbps = 1164})) << "of the field 164";
}

TEST_F(DeviceNvml, AsksOlderLinksForWhatAllOfThemCarry) {
  answer("field 164", 3);
  EXPECT_EQ(link(), (PeerLink{.links = 6, .mbps = 1090})) << "of the field 90";
  answer("field 90", 3);
  EXPECT_EQ(link(), PeerLink{});
}

TEST_F(DeviceNvml, CountsTheLinksToTheDeviceThatHasFewest) {
  answer("direct links", 1);
  EXPECT_EQ(link(), (PeerLink{.links = 2, .mbps = 1164}));
}

TEST_F(DeviceNvml, KnowsNoLinkOfADeviceThatTheLibraryDoesNotKnow) {
  EXPECT_EQ(peer_link("0000:00:07.0"), PeerLink{});
  answer("nvmlDeviceGetCount_v2", 999);
  EXPECT_EQ(link(), PeerLink{});
}

TEST_F(DeviceNvml, TellsVersionAndDevices) {
  answer("devices", 2);
  EXPECT_EQ(driver_version(), "580.159.04");
  EXPECT_EQ(device_uuids(), (std::vector<std::string>{"GPU-1", "GPU-1"})) << "it has one handle for all";
}

TEST_F(DeviceNvml, HasNothingToSayWhereItCannotBeAsked) {
  answer("nvmlInit_v2", 999);
  EXPECT_EQ(driver_version(), "");
  EXPECT_EQ(device_uuids(), std::nullopt);
  EXPECT_EQ(link(), PeerLink{});
}

}  // namespace
}  // namespace gpucheck::cuda::nvml
