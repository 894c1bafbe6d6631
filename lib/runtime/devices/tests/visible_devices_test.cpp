#include "runtime/devices/visible_devices.hpp"

#include <gtest/gtest.h>
#include <utility>

#include "runtime/streams/tests/pytorch_facts.hpp"

namespace gpucheck::runtime::test {
namespace {

std::vector<std::string> three() { return {"GPU-5d0f-1", "GPU-5d0f-2", "GPU-77aa-3"}; }

int count_of(std::string_view value) { return count_visible_devices(value, three()).value_or(-1); }

TEST(VisibleDevices, AreNamedByNumber) {
  EXPECT_EQ(count_of("0"), 1);
  EXPECT_EQ(count_of("2,0"), 2);
  EXPECT_EQ(count_of("0,1,2"), 3);
  EXPECT_EQ(count_of(" 1, 0 "), 2);
  EXPECT_EQ(count_of("+1,00"), 2);
  EXPECT_EQ(count_of("1gpu2,2ampere"), 2);
}

TEST(VisibleDevices, EndAtTheFirstThatThereIsNot) {
  EXPECT_EQ(count_of(""), 0);
  EXPECT_EQ(count_of("-1"), 0);
  EXPECT_EQ(count_of("0,-1,1"), 1);
  EXPECT_EQ(count_of("0,3,1"), 1);
  EXPECT_EQ(count_of("0,,1"), 1);
  EXPECT_EQ(count_of("0,abc,1"), 1);
  EXPECT_EQ(count_of("99999999999999999999,0"), 0);
  EXPECT_EQ(count_of("+-1"), 0);
}

TEST(VisibleDevices, AreNoneWhenOneIsNamedTwice) {
  EXPECT_EQ(count_of("0,0"), 0);
  EXPECT_EQ(count_of("0,7,7"), 0);
  EXPECT_EQ(count_of("0,-1,0"), 1) << "the list ended before";
  EXPECT_EQ(count_of("GPU-77aa,GPU-77aa"), 0);
  EXPECT_EQ(count_of("GPU-77aa,GPU-77aa-3"), 0);
  EXPECT_EQ(count_of("GPU-77aa,GPU-00,GPU-00"), 0);
}

TEST(VisibleDevices, AreNamedByHowTheirUuidsBegin) {
  EXPECT_EQ(count_of("GPU-77"), 1);
  EXPECT_EQ(count_of("GPU-5d0f-2,GPU-77aa-3"), 2);
  EXPECT_EQ(count_of("GPU-5d0f"), 0) << "two begin so";
  EXPECT_EQ(count_of("GPU-77,GPU-5d0f,GPU-5d0f-1"), 1);
  EXPECT_EQ(count_of("GPU-77,1"), 1);
  EXPECT_EQ(count_of("1,GPU-77"), 1);
}

// What PyTorch 2.11 counted on a machine with one device.
TEST(VisibleDevices, AreCountedAsPyTorchDoes) {
  const std::vector<std::string> one = {"GPU-5d0f7c11-1"};
  const json facts = pytorch_facts(GPUCHECK_RUNTIME_FOLDER, "counts of devices");
  for (const auto& [name, fact] : facts.items()) {
    if (name == "unset" || name.starts_with("counted")) continue;
    std::string value = name;
    for (const auto& [word, uuid] :
         {std::pair{"UUID-PREFIX", one.front().substr(0, 8)}, std::pair{"UUID", one.front()}}) {
      for (std::size_t at; (at = value.find(word)) != std::string::npos;) {
        value.replace(at, std::string_view(word).size(), uuid);
      }
    }
    const std::string counted = fact.get<std::string>();
    EXPECT_EQ(count_visible_devices(value, one).value_or(-1), std::stoi(counted.substr(0, counted.find('|')))) << name;
  }
}

TEST(VisibleDevices, PartsOfDevicesAreNotCounted) { EXPECT_EQ(count_visible_devices("MIG-1", three()), std::nullopt); }

}  // namespace
}  // namespace gpucheck::runtime::test
