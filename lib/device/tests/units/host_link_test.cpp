#include "device/links/host_link.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace gpucheck::device {
namespace {

namespace fs = std::filesystem;

/// A kernel's folder of PCI devices: one device, plugged into one port.
class HostLinkOf : public testing::Test {
 protected:
  HostLinkOf() {
    fs::create_directories(port_ / "0000:3b:00.0");
    fs::create_directories(root_ / "devices");
    fs::create_directory_symlink(port_ / "0000:3b:00.0", root_ / "devices" / "0000:3b:00.0");
  }
  ~HostLinkOf() override { fs::remove_all(root_); }
  HostLinkOf(const HostLinkOf&) = delete;
  HostLinkOf& operator=(const HostLinkOf&) = delete;

  static void tell(const fs::path& folder, const char* speed, const char* width) {
    std::ofstream(folder / "max_link_speed") << speed << '\n';
    std::ofstream(folder / "max_link_width") << width << '\n';
  }
  void tell_device(const char* speed, const char* width) const { tell(port_ / "0000:3b:00.0", speed, width); }
  void tell_port(const char* speed, const char* width) const { tell(port_, speed, width); }
  [[nodiscard]] HostLink link(const char* address = "0000:3b:00.0") const {
    return host_link_of(address, (root_ / "devices").string());
  }

 private:
  fs::path root_ =
      fs::path(testing::TempDir()) / ("host_link_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                                      "_" + testing::UnitTest::GetInstance()->current_test_info()->name());
  fs::path port_ = root_ / "tree" / "0000:3a:01.0";
};

TEST_F(HostLinkOf, IsTheLesserOfDeviceAndPort) {
  tell_device("32.0 GT/s PCIe", "16");
  tell_port("16.0 GT/s PCIe", "16");
  EXPECT_EQ(link(), (HostLink{.generation = 4, .lanes = 16}));
  tell_port("64.0 GT/s PCIe", "8");
  EXPECT_EQ(link(), (HostLink{.generation = 5, .lanes = 8}));
}

TEST_F(HostLinkOf, IsWhatOneOfThemTellsWhereTheOtherDoesNot) {
  tell_device("32.0 GT/s PCIe", "16");
  EXPECT_EQ(link(), (HostLink{.generation = 5, .lanes = 16}));
  tell_port("Unknown", "255");
  EXPECT_EQ(link(), (HostLink{.generation = 5, .lanes = 16}));
}

TEST_F(HostLinkOf, KnowsEveryGenerationAsKernelsWriteThem) {
  const std::pair<const char*, int> written[] = {{"2.5 GT/s PCIe", 1},  {"5.0 GT/s PCIe", 2}, {"5 GT/s", 2},
                                                 {"8.0 GT/s PCIe", 3},  {"8 GT/s", 3},        {"16.0 GT/s PCIe", 4},
                                                 {"32.0 GT/s PCIe", 5}, {"64.0 GT/s PCIe", 6}};
  for (const auto& [speed, generation] : written) {
    tell_device(speed, "4");
    EXPECT_EQ(link(), (HostLink{.generation = generation, .lanes = 4})) << speed;
  }
  tell_device("2 GT/s", "4");
  EXPECT_EQ(link().generation, 0);
}

TEST_F(HostLinkOf, HasNoMoreLanesThanThereCanBe) {
  const std::pair<const char*, int> written[] = {{"1", 1},   {"16", 16}, {"31", 31}, {"32", 32}, {"33", 0},
                                                 {"255", 0}, {"0", 0},   {"-1", 0},  {"x", 0},   {"", 0}};
  for (const auto& [width, lanes] : written) {
    tell_device("8.0 GT/s PCIe", width);
    EXPECT_EQ(link(), (HostLink{.generation = 3, .lanes = lanes})) << width;
  }
}

TEST_F(HostLinkOf, TellsNoGenerationByThePartOfAnother) {
  for (const char* const speed : {"3", "2", "16.5", "32.", "1", "128.0", "Unknown", ""}) {
    tell_device(speed, "16");
    EXPECT_EQ(link(), (HostLink{.generation = 0, .lanes = 16})) << speed;
  }
}

TEST_F(HostLinkOf, IsFoundByAnAddressInCapitals) {
  tell_device("8.0 GT/s PCIe", "16");
  EXPECT_EQ(link("0000:3B:00.0"), (HostLink{.generation = 3, .lanes = 16}));
}

TEST_F(HostLinkOf, IsUnknownWhereNothingIsTold) {
  EXPECT_EQ(link(), HostLink{});
  EXPECT_EQ(link("0000:99:00.0"), HostLink{});
}

}  // namespace
}  // namespace gpucheck::device
