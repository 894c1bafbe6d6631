#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "tests/support/subprocess.hpp"

/// What the command needs and touches when it starts.
namespace gpucheck::application {
namespace {

using Words = std::vector<std::string>;

/// With the fake driver library first in the search path: was it loaded?
bool loads_driver(const Words& arguments) {
  const TemporaryFolder folder;
  const std::string marker = folder / "loaded";
  gpucheck(arguments,
           {std::string("LD_LIBRARY_PATH=") + GPUCHECK_FAKE_DRIVER_FOLDER, "GPUCHECK_TEST_MARKER=" + marker});
  return std::filesystem::exists(marker);
}

TEST(Start, FakeDriverIsNoticed) { EXPECT_TRUE(loads_driver({"info"})) << "or the next test proves nothing"; }

TEST(Start, InspectionLoadsNoDriver) {
  for (const Words& arguments : {Words{"list"}, Words{"list", "--json"}, Words{"describe", "alloc.fuzz"},
                                 Words{"--help"}, Words{"--version"}, Words{"alloc", "fuzz", "--help"}}) {
    EXPECT_FALSE(loads_driver(arguments)) << arguments.front();
  }
}

#ifndef GPUCHECK_TEST_SANITIZED  // the sanitizers' own libraries are shared, and need more of the stack
TEST(Start, NeedsOnlyTheCLibrary) {
  const CommandResult result = run_program("/usr/bin/ldd", {GPUCHECK_PROGRAM});
  ASSERT_EQ(result.exit_code, 0) << result.error_output;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(line, ::testing::ContainsRegex("^[[:space:]]*(linux-vdso|libc\\.so|libm\\.so|/.*/ld-linux)"));
  }
}

TEST(Start, SaysThatTheStackIsTooSmall) {
  const CommandResult result = run_program("/bin/sh", {"-c", "ulimit -s 64; exec \"$0\" list", GPUCHECK_PROGRAM});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, ::testing::HasSubstr("the stack is limited to 64.00 KiB"));
}
#endif

TEST(Start, EveryCaseIsListedAndDescribed) {
  const CommandResult list = gpucheck({"list", "--plain"});
  ASSERT_EQ(list.exit_code, 0) << list.error_output;
  std::istringstream lines(list.output);
#ifdef GPUCHECK_TEST_SANITIZED
  constexpr int step = 20;  // a process takes a second or two: the other builds ask for each case
#else
  constexpr int step = 1;
#endif
  int count = 0;
  for (std::string name; std::getline(lines, name); ++count) {
    if (count % step != 0) continue;
    const CommandResult described = gpucheck({"describe", name});
    EXPECT_EQ(described.exit_code, 0) << described.error_output;
    EXPECT_THAT(described.output, ::testing::HasSubstr("expected (embedded golden/")) << name << " has no golden";
  }
  EXPECT_GE(count, 12);
}

}  // namespace
}  // namespace gpucheck::application
