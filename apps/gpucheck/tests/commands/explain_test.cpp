#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/tests/schema.hpp"
#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Explain, TellsWhatACodeMeansAndWhatToDo) {
  for (const char* word : {"GC2003", "gc2003", "row_remap_pending"}) {
    const CommandResult result = gpucheck({"explain", word});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.output, AllOf(HasSubstr("GC2003  row_remap_pending"), HasSubstr("serious"), HasSubstr("memory"),
                                     HasSubstr("next step  reset")))
        << word;
  }
}

TEST(Explain, SaysWhatIsMeasuredAgain) {
  EXPECT_THAT(gpucheck({"explain", "slow_memory"}).output, HasSubstr("measured again"));
  EXPECT_THAT(gpucheck({"explain", "memory_mismatch"}).output, Not(HasSubstr("measured again")));
}

TEST(Explain, ListsAll) {
  const CommandResult result = gpucheck({"explain"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, AllOf(HasSubstr("GC1001"), HasSubstr("GC9001"), HasSubstr("next step")));
}

TEST(Explain, GivesJson) {
  const CommandResult all = gpucheck({"explain", "--json"});
  EXPECT_EQ(report::json_schema_complaints(all.output), "");
  EXPECT_GT(json::parse(all.output)["kinds"].size(), 30U);
  const CommandResult one = gpucheck({"explain", "hang", "--json"});
  EXPECT_EQ(report::json_schema_complaints(one.output), "");
  EXPECT_EQ(json::parse(one.output)["kinds"][0]["code"], "GC7003");
}

TEST(Explain, SaysWhatAnXidMeans) {
  for (const char* word : {"79", "XID79", "xid 79", "Xid-79"}) {
    const CommandResult result = gpucheck({"explain", word});
    EXPECT_EQ(result.exit_code, 0) << word;
    EXPECT_THAT(result.output, AllOf(HasSubstr("XID 79  GPU_HAS_FALLEN_OFF_THE_BUS"), HasSubstr("cause      hardware"),
                                     HasSubstr("critical (GC7005 gpu_lost)"), HasSubstr("next step  drain")))
        << word;
  }
  EXPECT_THAT(gpucheck({"explain", "31"}).output,
              AllOf(HasSubstr("cause      program"), HasSubstr("no alarm"), HasSubstr("compute-sanitizer")));
  EXPECT_THAT(gpucheck({"explain", "145"}).output, HasSubstr("the text in the kernel's log decides"));
  EXPECT_THAT(gpucheck({"explain", "xids"}).output, AllOf(HasSubstr("144"), HasSubstr("172"), HasSubstr("70-72")));
  const CommandResult unknown = gpucheck({"explain", "XID999"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.error_output, HasSubstr("no XID 999"));
}

TEST(Explain, GivesXidsAsJson) {
  const CommandResult one = gpucheck({"explain", "79", "--json"});
  EXPECT_EQ(report::json_schema_complaints(one.output), "");
  EXPECT_EQ(json::parse(one.output)["xids"][0]["failure"], "GC7005");
  const CommandResult all = gpucheck({"explain", "xids", "--json"});
  EXPECT_EQ(report::json_schema_complaints(all.output), "");
  EXPECT_GT(json::parse(all.output)["xids"].size(), 100U);
}

TEST(Explain, AnUnknownCodeIsWrongOnTheCommandLine) {
  const CommandResult result = gpucheck({"explain", "GC0000"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, HasSubstr("\"GC0000\""));
}

}  // namespace
}  // namespace gpucheck::application
