#include <gtest/gtest.h>

#include "golden/golden.hpp"
#include "golden/limits/tests/built_in_limits.hpp"
#include "golden/limits/tests/h200.hpp"

/// What limits expect of a device, and golden files that leave a key to its limit.
namespace gpucheck::golden {
namespace {

using harness::DeviceIdentity;

/// A GPU of that name, at that place.
DeviceIdentity gpu(const std::string& name, const std::string& uuid, const std::string& address) {
  DeviceIdentity device;
  device.kind = "cuda";
  device.name = name;
  device.uuid = uuid;
  device.pci_bus_id = address;
  return device;
}

TEST(Expectations, AreOfTheFirstClassThatSaysThem) {
  Limits limits = limits_with(R"(
    {"name": "third card", "pci_address": "0000:3D:00.0", "expect": {"expected_links": 0}},
    {"name": "odd one", "uuid": "GPU-7", "expect": {"expected_width": 8}},
    {"name": "cards", "device": "NVIDIA A100 80GB PCIe", "expect": {"expected_links": 12, "expected_width": 16}})");
  const auto links = [&](const DeviceIdentity& device) { return limits.expectation("expected_links", device); };
  const auto width = [&](const DeviceIdentity& device) { return limits.expectation("expected_width", device); };
  const std::string card = "NVIDIA A100 80GB PCIe";
  EXPECT_EQ(links(gpu(card, "GPU-1", "0000:3b:00.0")), 12);
  EXPECT_EQ(links(gpu(card, "GPU-3", "0000:3d:00.0")), 0);
  EXPECT_EQ(width(gpu(card, "GPU-3", "00000000:3d:00.0")), 16) << "the class of the address does not say it";
  EXPECT_EQ(width(gpu(card, "GPU-7", "0000:3b:00.0")), 8);
  EXPECT_EQ(links(gpu("NVIDIA H200", "GPU-1", "0000:3b:00.0")), std::nullopt);
  EXPECT_EQ(limits.expectation("expected_generation", gpu(card, "GPU-1", "0000:3b:00.0")), std::nullopt);
  EXPECT_TRUE(limits.has_expectations());
  EXPECT_FALSE(limits_with(built_in).has_expectations());
  limits.override_with(limits_with(R"({"name": "now", "kind": "cuda", "expect": {"expected_links": 8}})"));
  EXPECT_EQ(links(gpu(card, "GPU-3", "0000:3d:00.0")), 8);
}

TEST(Expectations, AreUpTo64) {
  const auto with = [](const char* number) {
    return limits_with(R"({"name": "c", "expect": {"expected_links": )" + std::string(number) + "}}");
  };
  for (const char* number : {"0", "64"}) {
    EXPECT_EQ(with(number).expectation("expected_links", h200()), std::stoi(number));
  }
  for (const char* number : {"65", "-1", "1.5"}) EXPECT_THROW(with(number), MalformedGolden) << number;
}

/// A golden file that leaves a key to its limit.
Golden limited() {
  return Golden::parse(
      R"({"case": "bandwidth.read", "expect": {"read_gbps": {"limit": true, "basis": "vendor", "failure": "slow_memory"}}})",
      "bandwidth/read.json");
}

TEST(LimitedKey, FailsWithItsLimitAndItsCode) {
  const Limits limits = limits_with(built_in);
  const DeviceIdentity device = h200();
  const Conditions conditions{.device_kind = "cuda", .limits = &limits, .device = &device};
  const auto mismatches = limited().compare({{"read_gbps", 1000.0}}, conditions);
  ASSERT_EQ(mismatches.size(), 1U);
  EXPECT_EQ(mismatches[0].expected, "at least 3933 (80 % of 4917)");
  EXPECT_EQ(mismatches[0].seen, "1000.0");
  EXPECT_EQ(mismatches[0].failure, "GC2006");
  EXPECT_TRUE(limited().compare({{"read_gbps", 4650.0}}, conditions).empty());
  EXPECT_TRUE(limited().compare({{"read_gbps", std::int64_t{4650}}}, conditions).empty());
  EXPECT_EQ(limited().measure({{"read_gbps", 4650.0}}, conditions).at(0).verdict, "pass");
}

/// Two values with limits, of which the second fails, and one without.
TEST(LimitedKey, OfSeveralEachIsJudgedByItsOwn) {
  const Golden golden = Golden::parse(
      R"({"case": "a.b", "expect": {"first": {"limit": true, "basis": "vendor"}, "plain": {"equals": 1, "basis": "math"},
          "second": {"limit": true, "basis": "vendor", "failure": "slow_memory"},
          "elsewhere": {"limit": true, "basis": "vendor", "when": {"device": "sim"}}}})",
      "a/b.json");
  const Limits limits = limits_with(R"({"name": "c", "limits": {"a.b.first": {"fail_below": 10, "source": "s"},
                                                              "a.b.second": {"fail_below": 100, "source": "t"}}})");
  const DeviceIdentity device = h200();
  const Conditions conditions{.device_kind = "cuda", .limits = &limits, .device = &device};
  const harness::Observations seen{{"second", 50.0}, {"plain", std::int64_t{1}}, {"first", std::int64_t{50}}};
  const auto measurements = golden.measure(seen, conditions);
  ASSERT_EQ(measurements.size(), 2U) << "in the file's order";
  EXPECT_EQ(measurements[0].key, "first");
  EXPECT_EQ(measurements[0].verdict, "pass");
  EXPECT_EQ(measurements[0].value, 50);
  EXPECT_EQ(measurements[1].key, "second");
  EXPECT_EQ(measurements[1].verdict, "fail");
  EXPECT_EQ(measurements[1].source, "t");
  const auto mismatches = golden.compare(seen, conditions);
  ASSERT_EQ(mismatches.size(), 1U);
  EXPECT_EQ(mismatches[0].key, "second");
  EXPECT_EQ(golden.limited_values(), (std::vector<std::string>{"a.b.first", "a.b.second", "a.b.elsewhere"}));
  const Conditions unlimited{.device_kind = "cuda", .device = &device};
  EXPECT_TRUE(golden.measure(seen, unlimited).empty());
  EXPECT_TRUE(golden.compare(seen, unlimited).empty());
}

TEST(LimitedKey, HasToBeSeenAndToBeANumber) {
  const Limits limits = limits_with(built_in);
  const DeviceIdentity device = h200();
  const Conditions conditions{.device_kind = "cuda", .limits = &limits, .device = &device};
  EXPECT_EQ(limited().compare({}, conditions).size(), 1U);
  EXPECT_EQ(limited().compare({{"read_gbps", std::string("fast")}}, conditions).size(), 1U);
  EXPECT_TRUE(limited().measure({}, conditions).empty());
}

TEST(LimitedKey, IsJudged) {
  EXPECT_EQ(limited().judged_keys({.device_kind = "cuda"}), std::vector<std::string>{"read_gbps"});
}

TEST(LimitedKey, IsSlowWhereTheFileNamesNoKind) {
  const Golden golden = Golden::parse(
      R"({"case": "bandwidth.read", "expect": {"a": {"limit": true, "basis": "vendor"}, "b": {"equals": 1, "basis": "math"}}})",
      "bandwidth/read.json");
  EXPECT_EQ(golden.rows().at(0).failure, "GC8001");
  EXPECT_EQ(golden.rows().at(1).failure, "GC6001");
}

}  // namespace
}  // namespace gpucheck::golden
