// A setting that changed during a recording, as inspect, replay and advise report it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.hpp"
#include "tests/support/test_files.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t mebibyte = 1 << 20;

json event(const char* action, std::uint64_t address, std::uint64_t size) {
  return {{"action", action}, {"addr", address}, {"size", size}, {"stream", 0}};
}

/// On device 1: 30 of 80 MiB that were mapped are free when 25 MiB are asked for without expandable segments, and serve
/// again afterwards.
std::string changing_snapshot() {
  const std::uint64_t mapped = 1024 * mebibyte;
  const std::uint64_t plain = 8192 * mebibyte;
  const json changing = {event("segment_map", mapped, 40 * mebibyte),
                         event("alloc", mapped, 30 * mebibyte),
                         event("segment_map", mapped + 40 * mebibyte, 40 * mebibyte),
                         event("alloc", mapped + 30 * mebibyte, 50 * mebibyte),
                         event("free_requested", mapped, 30 * mebibyte),
                         event("free_completed", mapped, 30 * mebibyte),
                         event("segment_alloc", plain, 26 * mebibyte),
                         event("alloc", plain, 25 * mebibyte),
                         event("alloc", mapped, 28 * mebibyte)};
  const json constant = {event("segment_map", mapped, 20 * mebibyte), event("alloc", mapped, 12 * mebibyte)};
  return json{{"segments", json::array()},
              {"device_traces", {constant, changing}},
              {"allocator_settings", {{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"}}}}
      .dump();
}

class SettingChanges : public testing::Test {
 protected:
  SettingChanges() { write_file(file_, changing_snapshot()); }
  CommandResult call(std::vector<std::string> arguments) const {
    arguments.push_back(file_);
    return fixture(arguments);
  }

  TemporaryFolder folder_;
  std::string file_ = folder_ / "snapshot";
};

constexpr const char* change = "expandable_segments changed 2 times during the recording, first at event 6 (to False)";

TEST_F(SettingChanges, AreReportedOfTheDeviceThatShowsThem) {
  const CommandResult result = call({"inspect"});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_THAT(result.output, AllOf(HasSubstr(std::string("device 1: ") + change), Not(HasSubstr("device 0: expand"))));
}

TEST_F(SettingChanges, ArePlayedByReplay) {
  const CommandResult result = call({"replay", "--device-index", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_THAT(result.output, AllOf(HasSubstr(std::string(change) + ": what was in force at each point is played"),
                                   HasSubstr("expandable_segments:True at first"), HasSubstr("106.00 MiB")));
  const json document = json::parse(call({"replay", "--device-index", "1", "--json"}).output);
  EXPECT_EQ(document["traces"][0]["setting_change_count"], 2);
  EXPECT_EQ(document["traces"][0]["replays"][0]["what_if"]["peak_reserved"]["reserved_bytes"], 106 * mebibyte);
}

TEST_F(SettingChanges, AreNotPlayedUnderSettingsThatWereAskedFor) {
  const CommandResult result =
      call({"replay", "--device-index", "1", "--settings", "expandable_segments:True", "--json"});
  const json document = json::parse(result.output);
  EXPECT_EQ(document["traces"][0]["setting_change_count"], 0);
  EXPECT_EQ(document["traces"][0]["replays"][0]["what_if"]["peak_reserved"]["reserved_bytes"], 120 * mebibyte);
  EXPECT_EQ(call({"replay", "--device-index", "1", "--allocator", "async"}).exit_code, 0);
}

TEST_F(SettingChanges, AreLeftOutOfAdviceInOneLine) {
  const CommandResult result = call({"advise", "--device-index", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_THAT(result.output,
              HasSubstr(std::string(change) + ": not played, since settings hold from beginning to end"));
}

}  // namespace
}  // namespace gpucheck::application
