#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "harness/case/context.hpp"
#include "runner/worker/worker.hpp"

/// The commands of gpucheck that only its runner gives.
namespace gpucheck::runner {
namespace {

using ::testing::HasSubstr;

OpenedDriver open_nothing(std::string_view, std::uint64_t) { throw UsageError("no such device"); }

std::string hidden(const std::vector<const char*>& arguments) {
  harness::Case childless{.name = "a.childless", .summary = "", .source = ""};
  childless.run = [](harness::Context&) {};
  const harness::Registry registry({childless});
  try {
    const auto code = hidden_command(arguments, registry, open_nothing);
    return code ? "exit code " + std::to_string(*code) : "another command";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(HiddenCommand, IsOnlyWhatTheRunnerStarts) {
  EXPECT_EQ(hidden({}), "another command");
  EXPECT_EQ(hidden({"run"}), "another command");
  EXPECT_EQ(hidden({"workers", "--descriptor", "3"}), "another command");
}

TEST(HiddenCommand, RefusesArgumentsThatAreNone) {
  EXPECT_EQ(hidden({"worker"}), "--descriptor is missing: this command is for gpucheck's own use");
  EXPECT_EQ(hidden({"worker", "--descriptor"}), "--descriptor is missing: this command is for gpucheck's own use");
  for (const char* wrong : {"three", "3x", "", "99999999999"}) {
    EXPECT_EQ(hidden({"worker", "--descriptor", wrong}), "--descriptor takes a number, not \"" + std::string(wrong) +
                                                             "\": this command is for gpucheck's own use");
  }
  EXPECT_EQ(hidden({"child", "--descriptor", "3"}), "--request is missing: this command is for gpucheck's own use");
  EXPECT_THAT(hidden({"child", "--request", "{}"}), HasSubstr(": this command is for gpucheck's own use"));
}

TEST(HiddenCommand, AWorkerWithoutAChannelEndsWithoutAVerdict) {
  EXPECT_EQ(hidden({"worker", "--descriptor", "-1"}), "exit code 3");
}

TEST(HiddenCommand, AChildThatDoesNotExistEndsWithoutAVerdict) {
  const std::string request = encode(ChildRequest{.case_name = "a.childless", .child_name = "none", .settings = {}});
  EXPECT_EQ(hidden({"child", "--request", request.c_str()}), "exit code 3");
}

}  // namespace
}  // namespace gpucheck::runner
