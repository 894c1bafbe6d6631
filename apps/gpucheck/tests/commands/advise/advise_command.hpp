#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/tests/json_schema.hpp"
#include "tests/support/subprocess.hpp"
#include "tests/support/test_files.hpp"

namespace gpucheck::application {

inline CommandResult advise(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "advise");
  return fixture(arguments);
}

inline nlohmann::json advise_json(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const CommandResult result = advise(arguments);
  const testing_support::JsonSchema schema(test_file("../../advice.schema.json"));
  nlohmann::json document = nlohmann::json::parse(result.output);
  EXPECT_EQ(schema.complaints(document), "");
  EXPECT_EQ(document["exit_code"], result.exit_code);
  return document;
}

inline constexpr std::uint64_t mib = 1 << 20;

/// Two blocks of 60 MiB come and go; 30 MiB are kept of the place of one and 40 of the
/// other; then 50 MiB are asked for. 170 MiB are needed by default, 120 MiB with expandable
/// segments.
inline std::string fragmenting_snapshot() {
  std::string events;
  const auto add = [&events](const char* action, int number, std::uint64_t mebibytes) {
    events += fmt::format(
        R"({}{{"action": "{}", "addr": {}, "size": {}, "stream": 0,
           "frames": [{{"name": "layer_{}", "filename": "/home/me/model.py", "line": {}}}]}})",
        events.empty() ? "" : ",", action, (1ULL + static_cast<unsigned>(number)) << 30U, mebibytes * mib, number,
        10 + number);
  };
  add("alloc", 1, 60);
  add("alloc", 2, 60);
  add("free_completed", 1, 60);
  add("alloc", 3, 30);
  add("free_completed", 2, 60);
  add("alloc", 4, 40);
  add("alloc", 5, 50);
  return R"({"segments": [], "device_traces": [[)" + events + "]]}";
}

class Advise : public testing::Test {
 protected:
  void SetUp() override { write_file(file_, fragmenting_snapshot()); }

  TemporaryFolder folder_;
  std::string file_ = folder_ / "snapshot.json";
};

/// The snapshot that fragments, recorded under these settings.
inline std::string fragmenting_snapshot_under(const std::string& settings) {
  nlohmann::json snapshot = nlohmann::json::parse(fragmenting_snapshot());
  snapshot["allocator_settings"] = {{"PYTORCH_CUDA_ALLOC_CONF", settings}};
  return snapshot.dump();
}

}  // namespace gpucheck::application
