#include "input/devices/device_match.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace gpucheck::application {
namespace {

using Places = std::vector<int>;

std::vector<device::DeviceProperties> three() {
  std::vector<device::DeviceProperties> devices(3);
  devices[0] = {.name = "A", .uuid = "GPU-8d3f0a11-0000-0000-0000-000000000000", .pci_bus_id = "0000:3b:00.0"};
  devices[1] = {.name = "B", .uuid = "GPU-8d3f0b22-0000-0000-0000-000000000000", .pci_bus_id = "0000:af:00.0"};
  devices[2] = {.name = "C", .uuid = "GPU-c4000000-0000-0000-0000-000000000000", .pci_bus_id = "0001:3b:00.0"};
  return devices;
}

Places match(const std::vector<std::string>& identifiers) {
  const auto devices = three();
  return match_devices(identifiers, devices);
}

std::string match_rejection(const std::vector<std::string>& identifiers) {
  try {
    match(identifiers);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(DeviceMatch, FindsUuidsWholeOrShortened) {
  EXPECT_EQ(match({"GPU-8d3f0b22-0000-0000-0000-000000000000"}), Places{1});
  EXPECT_EQ(match({"GPU-c4", "gpu-8D3F0A"}), (Places{2, 0}));
}

TEST(DeviceMatch, FindsPciAddressesAsPeopleWriteThem) {
  EXPECT_EQ(match({"0000:3b:00.0"}), Places{0});
  EXPECT_EQ(match({"00000000:AF:00.0"}), Places{1});
  EXPECT_EQ(match({"af:00"}), Places{1});
  EXPECT_EQ(match({"AF:00.0"}), Places{1});
  EXPECT_EQ(match({"0001:3b:00.0"}), Places{2});
}

TEST(DeviceMatch, RejectsWhatIsNotOne) {
  EXPECT_NE(match_rejection({"GPU-ffff"}).find("there is no device \"GPU-ffff\"; there are: cuda:0, GPU-8d3f0a11"),
            std::string::npos);
  EXPECT_NE(match_rejection({"GPU-8d3f"}).find("more than one device can be meant by \"GPU-8d3f\""), std::string::npos);
  EXPECT_NE(match_rejection({"3b:00.0"}).find("more than one"), std::string::npos) << "it is in two domains";
  EXPECT_NE(match_rejection({"GPU-c4", "0001:3b:00.0"}).find("named before"), std::string::npos);
}

TEST(DeviceMatch, KnowsWhatCanBeOne) {
  for (const char* text : {"GPU-1", "MIG-1a2b", "0000:3b:00.0", "3b:00", "3B:00.0"}) {
    EXPECT_TRUE(is_device_identifier(text)) << text;
  }
  for (const char* text : {"", "GPU-", "GPU-xyz", "3b", "cuda:0", "3b:", ":3b", "3b:00.", "1:2:3:4", "3b:00.g"}) {
    EXPECT_FALSE(is_device_identifier(text)) << text;
  }
}

}  // namespace
}  // namespace gpucheck::application
