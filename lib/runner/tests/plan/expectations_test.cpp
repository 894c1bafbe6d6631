#include "runner/plan/expectations.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/files/tests/temporary_folder.hpp"

namespace gpucheck::runner {
namespace {

/// The second of three GPUs has fewer links than the others of its model, and another one is known by its address.
const char* const three_classes = R"({"schema": "gpucheck.limits/1", "classes": [
  {"name": "second", "uuid": "GPU-1", "expect": {"expected_links": 12}},
  {"name": "at a place", "pci_address": "0000:0a:00.0", "expect": {"expected_links": 6, "expected_width": 8}},
  {"name": "all", "device": "NVIDIA H100", "expect": {"expected_links": 18, "expected_generation": 5}}]})";

harness::DeviceIdentity gpu_named(const std::string& uuid, const std::string& kind = "cuda",
                                  const std::string& name = "NVIDIA H100") {
  harness::DeviceIdentity identity;
  identity.kind = kind;
  identity.name = name;
  identity.uuid = uuid;
  return identity;
}

class ExpectationsTest : public ::testing::Test {
 protected:
  ExpectationsTest() {
    test_case_.name = "health.nvlink";
    declare({"expected_links", "expected_generation", "other"});
    planned_.test_case = &test_case_;
  }

  void declare(const std::vector<std::string>& names) {
    test_case_.parameters.clear();
    for (const std::string& name : names) {
      test_case_.parameters.push_back({.name = name, .summary = "", .default_value = std::int64_t{0}});
    }
  }

  /// "expected_generation=5 expected_links=18": what the case gets on each device; "nothing" where that is nothing.
  [[nodiscard]] std::vector<std::string> given(const std::vector<harness::DeviceIdentity>& devices,
                                               const std::string& recording = {}) const {
    harness::RunSettings settings;
    settings.telemetry = recording;
    const Expectations expectations(limits_, settings, devices);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const auto applied = expectations.applied_to(planned_, static_cast<int>(i));
      std::string& text = texts.emplace_back(applied ? "" : "nothing");
      if (!applied) continue;
      EXPECT_EQ(applied->test_case, &test_case_);
      EXPECT_EQ(applied->repetition, planned_.repetition);
      for (const auto& [name, value] : applied->settings.parameters) {
        text += (text.empty() ? "" : " ") + name + "=" + std::to_string(std::get<std::int64_t>(value));
      }
    }
    return texts;
  }

  /// A recorded machine with GPUs of these UUIDs.
  [[nodiscard]] std::string recording(const std::vector<std::string>& uuids) const {
    std::string gpus;
    for (const std::string& uuid : uuids) {
      gpus += std::string(gpus.empty() ? "" : ", ") + R"({"readings": {"name": "NVIDIA H100", "uuid": ")" + uuid +
              R"(", "pci_address": "0000:0)" + (uuid == "GPU-a" ? "a" : "b") + R"(:00.0"}})";
    }
    const std::string path = folder_.file("machine.json");
    std::ofstream(path) << R"({"schema": "gpucheck.telemetry/1", "gpus": [)" + gpus + "]}";
    return path;
  }

  using Texts = std::vector<std::string>;
  golden::Limits limits_ = golden::Limits::parse(three_classes, "limits.json");
  harness::Case test_case_;
  PlannedCase planned_;
  TemporaryFolder folder_;
};

TEST_F(ExpectationsTest, AreOfEachDeviceAlone) {
  harness::DeviceIdentity at_place = gpu_named("GPU-2");
  at_place.pci_bus_id = "0000:0A:00.0";
  planned_.repetition = 3;
  EXPECT_EQ(given({gpu_named("GPU-0"), gpu_named("GPU-1"), at_place, gpu_named("GPU-3", "cuda", "NVIDIA A100")}),
            (Texts{"expected_generation=5 expected_links=18", "expected_generation=5 expected_links=12",
                   "expected_generation=5 expected_links=6", "nothing"}));
}

TEST_F(ExpectationsTest, AreForParametersThatTheCaseDeclares) {
  declare({"expected_width", "other"});
  harness::DeviceIdentity at_place = gpu_named("GPU-2");
  at_place.pci_bus_id = "0000:0a:00.0";
  EXPECT_EQ(given({gpu_named("GPU-0"), at_place}), (Texts{"nothing", "expected_width=8"}));
  declare({"other"});
  EXPECT_EQ(given({gpu_named("GPU-0"), at_place}), (Texts{"nothing", "nothing"}));
}

TEST_F(ExpectationsTest, GoBehindWhatTheCommandLineSays) {
  planned_.settings.parameters = {{"expected_links", std::int64_t{2}}};
  EXPECT_EQ(given({gpu_named("GPU-0"), gpu_named("GPU-1")}),
            (Texts{"expected_generation=5 expected_links=2", "expected_generation=5 expected_links=2"}));
  planned_.settings.parameters.emplace("expected_generation", std::int64_t{4});
  EXPECT_EQ(given({gpu_named("GPU-0")}), Texts{"nothing"}) << "nothing is left to say";
}

TEST_F(ExpectationsTest, WithoutAnyNothingIsRead) {
  limits_ = {};
  EXPECT_EQ(given({gpu_named("GPU-0", "sim")}, folder_.file("gone.json")), Texts{"nothing"});
  EXPECT_EQ(given({}), Texts{});
}

TEST_F(ExpectationsTest, KnowSimulatedDevicesByTheRecordedOnesToo) {
  const std::vector<harness::DeviceIdentity> three{gpu_named("SIM-0", "sim", "sim"), gpu_named("SIM-1", "sim", "sim"),
                                                   gpu_named("SIM-2", "sim", "sim")};
  EXPECT_EQ(given(three, recording({"GPU-a", "GPU-1"})),
            (Texts{"expected_generation=5 expected_links=6", "expected_generation=5 expected_links=12", "nothing"}))
      << "of more than one, each stands for the device at its place";
  EXPECT_EQ(given(three, recording({"GPU-1"})), Texts(3, "expected_generation=5 expected_links=12"))
      << "a single one stands for all";
  EXPECT_EQ(given(three, recording({})), Texts(3, "nothing"));
  EXPECT_EQ(given({gpu_named("GPU-1", "sim")}, recording({"GPU-a"})),
            (Texts{"expected_generation=5 expected_links=12"}))
      << "its own identity goes before";
  EXPECT_THROW(static_cast<void>(given(three, folder_.file("gone.json"))), EnvironmentError);
}

TEST_F(ExpectationsTest, OfGpusAskNoRecording) {
  EXPECT_EQ(given({gpu_named("GPU-0")}, folder_.file("gone.json")), Texts{"expected_generation=5 expected_links=18"});
}

}  // namespace
}  // namespace gpucheck::runner
