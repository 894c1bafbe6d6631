#include "report/sinks.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

TEST(Sinks, RejectAPathThatCannotBeWrittenBeforeTheRun) {
  EXPECT_THROW(make_json("/nonexistent/result.json"), EnvironmentError);
  EXPECT_THROW(make_junit("/nonexistent/junit.xml"), EnvironmentError);
}

TEST(Sinks, LeaveNothingBehindWhenTheRunDies) {
  const TemporaryFolder folder;
  {
    const auto json_sink = make_json(folder.file("result.json"));
    const auto junit_sink = make_junit(folder.file("junit.xml"));
    EXPECT_EQ(folder.file_count(), 2U);
    json_sink->on(harness::RunStarted{});
  }
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(Sinks, LeaveNoOldDocumentThatCouldBeTakenForThisRuns) {
  const TemporaryFolder folder;
  for (const auto make : {make_json, make_junit}) {
    const std::string path = folder.file("report");
    std::ofstream(path) << "of an earlier run";
    {
      const auto sink = make(path);
      EXPECT_FALSE(std::filesystem::exists(path));
    }
    EXPECT_EQ(folder.file_count(), 0U);
  }
}

}  // namespace
}  // namespace gpucheck::report
