#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/subprocess.hpp"

// A snapshot has a list of events for each GPU of its machine; the program used one of them.
namespace gpucheck::application {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* events = R"([
  {"action": "segment_alloc", "addr": 140000000000000, "size": 2097152, "stream": 0},
  {"action": "alloc", "addr": 140000000000000, "size": 512, "stream": 0},
  {"action": "free_requested", "addr": 140000000000000, "size": 512, "stream": 0},
  {"action": "free_completed", "addr": 140000000000000, "size": 512, "stream": 0}])";

std::string snapshot_of(const std::string& traces) { return R"({"segments": [], "device_traces": [)" + traces + "]}"; }

TEST(IdleDevices, AreOneLineAndChangeNoExitCode) {
  const TemporaryFolder folder;
  write_file(folder / "alone.json", snapshot_of(events));
  // A mark that the program set is recorded of every device.
  const std::string mark = R"([{"action": "snapshot", "addr": 0, "size": 0, "stream": 0}])";
  write_file(folder / "idle.json", snapshot_of("[], " + std::string(events) + ", " + mark + ", []"));
  for (const char* command : {"replay", "advise"}) {
    const CommandResult alone = fixture({command, folder / "alone.json"});
    const CommandResult idle = fixture({command, folder / "idle.json"});
    EXPECT_EQ(alone.exit_code, 0) << command << alone.error_output;
    EXPECT_EQ(idle.exit_code, alone.exit_code) << command << idle.error_output;
    EXPECT_THAT(idle.error_output, HasSubstr("idle.json: device 2 recorded no allocation and no free: left out\n"));
    EXPECT_THAT(idle.output, Not(HasSubstr("device 2"))) << command;
    EXPECT_THAT(idle.output + idle.error_output, Not(HasSubstr("NOT JUDGED"))) << command;
  }
}

TEST(IdleDevices, AloneAreNothingToPlay) {
  const TemporaryFolder folder;
  write_file(folder / "idle.json", snapshot_of("[], []"));
  for (const char* command : {"replay", "advise"}) {
    EXPECT_EQ(fixture({command, folder / "idle.json"}).exit_code, 3) << command;
  }
}

}  // namespace
}  // namespace gpucheck::application
