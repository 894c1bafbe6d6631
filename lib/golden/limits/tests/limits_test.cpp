#include "golden/limits/limits.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <optional>

#include "base/files/input_file.hpp"
#include "golden/golden.hpp"
#include "golden/limits/tests/built_in_limits.hpp"
#include "golden/limits/tests/h200.hpp"

namespace gpucheck::golden {
namespace {

using harness::DeviceIdentity;
using harness::Measurement;

Measurement judged(const Limits& limits, double value, const DeviceIdentity& device = h200()) {
  return limits.judge("bandwidth.read.read_gbps", "read_gbps", value, &device);
}

std::string verdict(const Limits& limits, double value, const DeviceIdentity& device = h200()) {
  return judged(limits, value, device).verdict;
}

TEST(Limits, FailWarnAndPass) {
  const Limits limits = limits_with(built_in);
  EXPECT_EQ(verdict(limits, 3900), "fail");
  EXPECT_EQ(verdict(limits, 4000), "warn");
  EXPECT_EQ(verdict(limits, 4500), "pass");
  const Measurement measurement = judged(limits, 4000);
  EXPECT_EQ(measurement.key, "read_gbps");
  EXPECT_NEAR(measurement.fail_below.value_or(0), 3933.4, 0.1);
  EXPECT_NEAR(measurement.warn_below.value_or(0), 4425.1, 0.1);
  EXPECT_NEAR(measurement.best.value_or(0), 4916.7, 0.1);
  EXPECT_EQ(measurement.fail_above, std::nullopt);
  EXPECT_EQ(measurement.source, "sheet (memory_bandwidth_gbps = 4917: 2 x 3201 MHz x 6144 bit)");
  EXPECT_EQ(describe_limit(measurement), "at least 3933 (80 % of 4917)");
}

/// H200's memory at 70 % of what is normal (4,664 GB/s) is not a pass, on no list of models.
TEST(Limits, FindAnH200WhoseMemoryIsSlow) { EXPECT_EQ(verdict(limits_with(built_in), 0.7 * 4664), "fail"); }

TEST(Limits, HaveAGreatestValueToo) {
  const Limits limits = limits_with(
      R"({"name": "any", "limits": {"bandwidth.read.read_gbps": {"warn_above": 10, "fail_above": 20, "source": "s"}}})");
  EXPECT_EQ(verdict(limits, 10), "pass");
  EXPECT_EQ(verdict(limits, 10.5), "warn");
  EXPECT_EQ(verdict(limits, 20.5), "fail");
  EXPECT_EQ(describe_limit(judged(limits, 30)), "at most 20");
}

struct Bounds {
  std::optional<double> fail_below = {};
  std::optional<double> warn_below = {};
  std::optional<double> warn_above = {};
  std::optional<double> fail_above = {};
};

std::string verdict_within(const Bounds& bounds, double value) {
  return verdict_by_bounds({.key = "k",
                            .value = value,
                            .verdict = {},
                            .fail_below = bounds.fail_below,
                            .warn_below = bounds.warn_below,
                            .warn_above = bounds.warn_above,
                            .fail_above = bounds.fail_above,
                            .source = {}});
}

TEST(Limits, AreReachedByWhatIsExactlyAsMuch) {
  const Bounds all{10, 20, 30, 40};
  for (const auto& [value, verdict] : {std::pair(9.99, "fail"),
                                       {10.0, "warn"},
                                       {19.99, "warn"},
                                       {20.0, "pass"},
                                       {30.0, "pass"},
                                       {30.01, "warn"},
                                       {40.0, "warn"},
                                       {40.01, "fail"}}) {
    EXPECT_EQ(verdict_within(all, value), verdict) << value;
  }
  EXPECT_EQ(verdict_within({.warn_below = 20}, 5), "warn");
  EXPECT_EQ(verdict_within({.warn_above = 20}, 25), "warn");
  EXPECT_EQ(verdict_within({.fail_below = 10}, 10), "pass");
  EXPECT_EQ(verdict_within({.fail_above = 10}, 10), "pass");
  EXPECT_EQ(verdict_within({}, -5), "pass");
  EXPECT_EQ(verdict_within({}, std::numeric_limits<double>::infinity()), "fail");
  EXPECT_EQ(verdict_within({.warn_below = 1}, std::numeric_limits<double>::quiet_NaN()), "fail");
}

TEST(Limits, AreDescribedByWhatFails) {
  Measurement measurement{.key = "k", .value = 1, .verdict = "fail", .source = "s"};
  EXPECT_EQ(describe_limit(measurement), "a value with a limit");
  measurement.warn_below = 3;
  EXPECT_EQ(describe_limit(measurement), "a value with a limit");
  measurement.fail_below = 50;
  measurement.fail_above = 400;
  EXPECT_EQ(describe_limit(measurement), "at least 50 and at most 400");
  measurement.best = 200;
  EXPECT_EQ(describe_limit(measurement), "at least 50 (25 % of 200) and at most 400 (200 % of 200)");
}

/// The memory could do 1000 GB/s: 2 x 1000 MHz x 500 bytes.
TEST(Limits, InTheValuesUnitAreCredibleFromAFiftiethToThreeHalvesOfTheBest) {
  DeviceIdentity device = h200();
  device.memory_clock_khz = 1'000'000;
  device.memory_bus_bits = 4000;
  const auto verdict_with = [&](const std::string& bounds) {
    Limits limits = limits_with(built_in);
    limits.override_with(
        limits_with(R"({"name": "own", "limits": {"bandwidth.read.read_gbps": {)" + bounds + R"(, "source": "s"}}})"));
    return verdict(limits, 900, device);
  };
  EXPECT_EQ(verdict_with(R"("fail_below": 20)"), "pass");
  EXPECT_EQ(verdict_with(R"("fail_below": 19.9)"), "unknown");
  EXPECT_EQ(verdict_with(R"("fail_below": 1500)"), "fail");
  EXPECT_EQ(verdict_with(R"("fail_below": 1500.1)"), "unknown");
  EXPECT_EQ(verdict_with(R"("fail_below": 500, "warn_below": 1501)"), "unknown") << "each number is looked at";
  EXPECT_EQ(verdict_with(R"("fail_below": 500, "fail_above": 1501)"), "unknown");
}

TEST(Limits, MayBeEqualAndNought) {
  for (const char* bounds :
       {R"("fail_below": 0)", R"("fail_below": 1, "warn_below": 1, "warn_above": 1, "fail_above": 1)",
        R"("fail_above": 0)"}) {
    EXPECT_NO_THROW(
        limits_with(R"({"name": "c", "limits": {"a.b.c": {)" + std::string(bounds) + R"(, "source": "s"}}})"))
        << bounds;
  }
  for (const char* bounds :
       {R"("fail_below": 2, "fail_above": 1)", R"("fail_below": 1, "warn_above": 3, "fail_above": 2)"}) {
    EXPECT_THROW(limits_with(R"({"name": "c", "limits": {"a.b.c": {)" + std::string(bounds) + R"(, "source": "s"}}})"),
                 MalformedGolden)
        << bounds;
  }
}

TEST(Limits, HaveNamesOfThreeParts) {
  for (const auto& [name, is_name] :
       {std::pair("a.b.c", true), {"a.b.c.d", true}, {"*.*.c", true}, {"a.b", false}, {"a", false}, {"a.b.", false}}) {
    const std::string text =
        R"({"name": "c", "limits": {")" + std::string(name) + R"(": {"fail_below": 1, "source": "s"}}})";
    if (is_name) {
      EXPECT_NO_THROW(limits_with(text)) << name;
    } else {
      EXPECT_THROW(limits_with(text), MalformedGolden) << name;
    }
  }
}

TEST(Limits, OfOneDeviceAreForTheOneWithThatUuidOrPlace) {
  const Limits limits = limits_with(R"(
    {"name": "one", "uuid": "GPU-7", "limits": {"bandwidth.read.read_gbps": {"fail_below": 1000, "source": "one"}}},
    {"name": "place", "pci_address": "0000:3d:00.0", "kind": "cuda",
     "limits": {"bandwidth.read.read_gbps": {"fail_below": 2000, "source": "place"}}})");
  DeviceIdentity device = h200();
  EXPECT_EQ(verdict(limits, 5000, device), "unknown");
  device.pci_bus_id = "00000000:3D:00.0";
  EXPECT_EQ(judged(limits, 5000, device).source, "place");
  device.uuid = "GPU-7";
  EXPECT_EQ(judged(limits, 5000, device).source, "one") << "the first that it belongs to";
  device.uuid = "GPU-8";
  device.kind = "sim";
  EXPECT_EQ(verdict(limits, 5000, device), "unknown") << "it has to meet all that the class asks";
}

TEST(Limits, WhatIsNoNumberFails) {
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(verdict(limits_with(built_in), value), "fail") << value;
  }
}

TEST(Limits, OfAClassGoBeforeThoseBuiltIn) {
  Limits limits = limits_with(built_in);
  limits.override_with(limits_with(R"({"name": "our racks", "device": "NVIDIA H200", "limits": {
    "bandwidth.read.read_gbps": {"fail_below": 4600, "source": "64 nodes"}}})"));
  EXPECT_EQ(verdict(limits, 4500), "fail");
  EXPECT_EQ(verdict(limits, 4650), "pass");
  EXPECT_EQ(judged(limits, 4650).source, "64 nodes");
  EXPECT_NEAR(judged(limits, 4650).best.value_or(0), 4916.7, 0.1) << "reported beside it all the same";
  DeviceIdentity other = h200();
  other.name = "NVIDIA H200 NVL";
  EXPECT_EQ(verdict(limits, 4500, other), "pass") << "the class is for names that match whole";
}

TEST(Limits, MayBeNamedByAGlob) {
  const Limits limits = limits_with(R"({"name": "any", "limits": {
    "bandwidth.read.*": {"fail_below": 10, "source": "first"}, "*.*.read_gbps": {"fail_below": 30, "source": "second"}}})");
  EXPECT_EQ(verdict(limits, 20), "pass") << "the first that matches counts";
  const DeviceIdentity device = h200();
  EXPECT_EQ(limits.judge("memtest.stress.read_gbps", "read_gbps", 20, &device).verdict, "fail");
  EXPECT_EQ(limits.judge("memtest.stress.write_gbps", "write_gbps", 20, &device).verdict, "unknown");
}

TEST(Limits, OfAKindOfDeviceAreForItAlone) {
  const Limits limits = limits_with(
      R"({"name": "sim", "kind": "sim", "limits": {"bandwidth.read.read_gbps": {"fail_below": 1, "source": "s"}}})");
  EXPECT_EQ(verdict(limits, 2), "unknown");
  DeviceIdentity simulated = h200();
  simulated.kind = "sim";
  EXPECT_EQ(verdict(limits, 2, simulated), "pass");
}

TEST(Limits, OfWhatADeviceTellsAreForThoseThatTellIt) {
  const Limits limits = limits_with(
      R"({"name": "connected", "tells": "peer_link_gbps", "limits": {
          "bandwidth.read.read_gbps": {"of": "peer_link_gbps", "fail_below": 0.5, "source": "s"}}},
         {"name": "any", "limits": {"bandwidth.read.read_gbps": {"fail_below": 4, "source": "s"}}})");
  EXPECT_EQ(verdict(limits, 200), "fail");
  EXPECT_EQ(verdict(limits, 250), "pass");
  DeviceIdentity alone = h200();
  alone.peer_links = 0;
  EXPECT_EQ(verdict(limits, 200, alone), "pass");
  EXPECT_EQ(verdict(limits, 3, alone), "fail");
}

/// 2333 stood for an H200's memory in a public tool's table, in a unit that makes it 2.3 GB/s.
TEST(Limits, InAnotherUnitAreNoticed) {
  for (const char* number : {"2.333", "4664000"}) {
    Limits limits = limits_with(built_in);
    limits.override_with(limits_with(R"({"name": "slip", "limits": {"bandwidth.read.read_gbps": {"fail_below": )" +
                                     std::string(number) + R"(, "source": "s"}}})"));
    EXPECT_EQ(verdict(limits, 4650), "unknown") << number;
    EXPECT_NE(judged(limits, 4650).source.find("not in the unit"), std::string::npos);
  }
}

TEST(Limits, AreUnknownWhereThereIsNothingToWorkThemOutFrom) {
  EXPECT_EQ(verdict(Limits(), 4650), "unknown");
  DeviceIdentity silent = h200();
  silent.memory_bus_bits = 0;
  EXPECT_EQ(verdict(limits_with(built_in), 4650, silent), "unknown");
  EXPECT_EQ(limits_with(built_in).judge("bandwidth.read.read_gbps", "read_gbps", 4650, nullptr).verdict, "unknown");
}

std::string complaint(const std::string& limit) {
  try {
    static_cast<void>(limits_with(R"({"name": "c", "limits": {"bandwidth.read.read_gbps": )" + limit + "}}"));
  } catch (const MalformedGolden& problem) {
    return problem.what();
  }
  return {};
}

TEST(Limits, RejectWhatMeansNothing) {
  EXPECT_NE(complaint(R"({"fail_below": 1})").find("\"source\""), std::string::npos);
  EXPECT_NE(complaint(R"({"source": "s"})").find("fail_below"), std::string::npos);
  EXPECT_NE(complaint(R"({"warn_below": 1, "source": "s"})").find("fail_below"), std::string::npos);
  EXPECT_NE(complaint(R"({"of": "luck", "fail_below": 1, "source": "s"})").find("memory_bandwidth_gbps"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"fail_below": 2, "warn_below": 1, "source": "s"})").find("rise"), std::string::npos);
  EXPECT_NE(complaint(R"({"fail_below": -1, "source": "s"})").find("negative"), std::string::npos);
  EXPECT_NE(complaint(R"({"fail_under": 1, "source": "s"})").find("unknown field"), std::string::npos);
  EXPECT_EQ(complaint(R"({"fail_below": 1, "source": "s"})"), "");
  EXPECT_THROW(Limits::parse(R"({"schema": "gpucheck.limits/2", "classes": []})", "l"), MalformedGolden);
  EXPECT_THROW(limits_with(R"({"name": "c", "limits": {"read_gbps": {"fail_below": 1, "source": "s"}}})"),
               MalformedGolden);
  EXPECT_THROW(limits_with(R"({"name": "c", "device": "(", "limits": {"a.b.c": {"fail_below": 1, "source": "s"}}})"),
               MalformedGolden);
}

/// The schema's test rejects the same files.
TEST(Limits, RejectWhatTheSchemaRejects) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GPUCHECK_GOLDEN_LIMITS_TEST_DATA "/rejected")) {
    EXPECT_THROW(Limits::parse(read_input_file(entry.path().string(), "limits"), "l"), MalformedGolden) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 5);
}

TEST(Expectations, AClassOfOneDeviceMayHaveLimitsToo) {
  const Limits limits =
      limits_with(std::string(R"({"name": "one", "uuid": "GPU-7", "limits": {"bandwidth.read.read_gbps":
      {"fail_below": 1000, "source": "s"}}},)") +
                  built_in);
  DeviceIdentity device = h200();
  EXPECT_EQ(verdict(limits, 2000, device), "fail");
  device.uuid = "GPU-7";
  EXPECT_EQ(verdict(limits, 2000, device), "pass");
}

/// A limit for a value that nobody measures would be ignored.
TEST(Limits, SayWhichOfThemAreForNoValue) {
  const Limits limits = Limits::parse(
      R"({"schema": "gpucheck.limits/1", "classes": [{"name": "c", "limits": {
        "a.b.c_gbps": {"fail_below": 1, "source": "s"},
        "a.b.d_gbps": {"fail_below": 1, "source": "s"},
        "a.*.e_gbps": {"fail_below": 1, "source": "s"},
        "x.*.e_gbps": {"fail_below": 1, "source": "s"},
        "s.burn.speed.bf16": {"fail_below": 1, "source": "s"}}}]})",
      "limits.json");
  const std::vector<std::string> values{"a.b.c_gbps", "a.b.e_gbps", "s.burn.speed.*"};
  EXPECT_EQ(limits.names_beside(values), (std::vector<std::string>{"a.b.d_gbps", "x.*.e_gbps"}));
  EXPECT_EQ(limits.names_beside({}).size(), 5U);
}

/// A value's limit may depend on a parameter.
TEST(Limits, GoByTheParameterThatTheGoldenFileNames) {
  const Golden golden =
      Golden::parse(R"({"case": "s.burn", "expect": {"speed": {"limit": "type", "basis": "vendor"}}})", "golden");
  const Limits limits = Limits::parse(
      R"({"schema": "gpucheck.limits/1", "classes": [{"name": "c", "limits": {
        "s.burn.speed.bf16": {"fail_below": 100, "source": "s"},
        "s.burn.speed.fp64": {"fail_below": 10, "source": "s"}}}]})",
      "limits.json");
  const harness::DeviceIdentity device;
  const auto verdict_for = [&](const std::string& type) {
    const harness::ParameterValues parameters{{"type", type}};
    const Conditions conditions{.device_kind = "cuda", .limits = &limits, .device = &device, .parameters = &parameters};
    return golden.measure({{"speed", 50.0}}, conditions).at(0);
  };
  EXPECT_EQ(verdict_for("bf16").verdict, "fail");
  EXPECT_EQ(verdict_for("bf16").key, "speed.bf16");
  EXPECT_EQ(verdict_for("fp64").verdict, "pass");
  EXPECT_EQ(verdict_for("int8").verdict, "unknown");
  EXPECT_EQ(golden.limited_values(), std::vector<std::string>{"s.burn.speed.*"});
}

}  // namespace
}  // namespace gpucheck::golden
