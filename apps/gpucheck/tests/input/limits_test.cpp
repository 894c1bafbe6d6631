#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/tests/schema.hpp"
#include "tests/support/subprocess.hpp"

// Measured values on the command line, from the limit to the verdict. The simulated H100's memory could do 3,352 GB/s
// at its best (2 x 2619 MHz x 5120 bit); the fixture's limit fails below half of that and warns below three quarters.
namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Measured {
  CommandResult command;
  json result;  ///< the case's
};

Measured measure(const std::string& speed, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"run", "measured.speed", "--device", "sim",
                                     "-p",  "speed=" + speed, "--json",   folder / "out.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Measured measured{.command = fixture(arguments), .result = {}};
  const std::string text = read_file(folder / "out.json");
  EXPECT_EQ(report::json_schema_complaints(text), "");
  const json document = json::parse(text, nullptr, false);
  if (document.contains("cases") && !document["cases"].empty()) measured.result = document["cases"][0];
  return measured;
}

TEST(LimitOnTheCommandLine, IsShownWithEveryPass) {
  const Measured measured = measure("3000");
  EXPECT_EQ(measured.command.exit_code, 0) << measured.command.output;
  EXPECT_THAT(measured.command.output,
              HasSubstr("speed_gbps = 3000, 89 % of the best 3352; fails below 1676, warns below 2514"));
  const json& measurement = measured.result["measurements"][0];
  EXPECT_EQ(measurement["verdict"], "pass");
  EXPECT_NEAR(measurement["fail_below"].get<double>(), 1676, 1);
  EXPECT_NEAR(measurement["best"].get<double>(), 3352, 1);
  EXPECT_EQ(measurement["fail_above"], nullptr);
  EXPECT_THAT(measurement["source"], HasSubstr("made up"));
  EXPECT_TRUE(measured.result["failures"].empty());
}

TEST(LimitOnTheCommandLine, APassWithAMarkIsAPass) {
  const Measured measured = measure("2000");
  EXPECT_EQ(measured.command.exit_code, 0);
  EXPECT_THAT(measured.command.output, AllOf(HasSubstr("WARN"), HasSubstr("speed_gbps ! 2000")));
  EXPECT_EQ(measured.result["outcome"], "pass");
  EXPECT_EQ(measured.result["measurements"][0]["verdict"], "warn");
}

TEST(LimitOnTheCommandLine, AFailureSaysWhatToDo) {
  const Measured measured = measure("1000");
  EXPECT_EQ(measured.command.exit_code, 1);
  EXPECT_THAT(measured.command.output,
              AllOf(HasSubstr("at least 1676 (50 % of 3352)"), HasSubstr("GC2006 slow_memory"), HasSubstr("drain")));
  EXPECT_EQ(measured.result["mismatches"][0]["failure"], "GC2006");
  EXPECT_EQ(measured.result["failures"][0]["code"], "GC2006");
  EXPECT_EQ(measured.result["failures"][0]["action"], "drain");
}

std::string limits_file(const std::string& limit) {
  return R"({"schema": "gpucheck.limits/1", "classes": [{"name": "ours", "device": "Simulated.*", "limits": {
    "measured.speed.speed_gbps": )" +
         limit + "}}]}";
}

TEST(LimitOnTheCommandLine, OfAFileGoesBeforeThatBuiltIn) {
  const TemporaryFolder folder;
  write_file(folder / "limits.json", limits_file(R"({"fail_below": 3100, "source": "12 nodes"})"));
  const Measured measured = measure("3000", {"--limits", folder / "limits.json"});
  EXPECT_EQ(measured.command.exit_code, 1);
  EXPECT_EQ(measured.result["measurements"][0]["source"], "12 nodes");
  EXPECT_THAT(measured.result["rerun_command"], HasSubstr("--limits " + folder.path()));
}

TEST(LimitOnTheCommandLine, InAnotherUnitJudgesNothing) {
  const TemporaryFolder folder;
  write_file(folder / "limits.json", limits_file(R"({"fail_below": 2.5, "source": "TB/s, by mistake"})"));
  const Measured measured = measure("3000", {"--limits", folder / "limits.json"});
  EXPECT_EQ(measured.command.exit_code, 3);
  EXPECT_EQ(measured.result["outcome"], "error");
  EXPECT_THAT(measured.result["reason"], HasSubstr("not in the unit"));
  EXPECT_EQ(measured.result["failures"][0]["code"], "GC9001");
}

TEST(LimitOnTheCommandLine, WithoutOneNothingIsJudged) {
  const TemporaryFolder folder;
  write_file(folder / "measured/speed.json",
             R"({"case": "measured.speed", "expect": {"speed_gbps": {"limit": true, "basis": "vendor"}}})");
  const Measured measured = measure("3000", {"--golden", folder.path()});
  EXPECT_EQ(measured.command.exit_code, 3);
  EXPECT_THAT(measured.result["reason"], HasSubstr("no limit for measured.speed.speed_gbps is known"));
}

TEST(LimitOnTheCommandLine, AFileThatCannotBeUsedIsNamed) {
  const TemporaryFolder folder;
  write_file(folder / "limits.json", limits_file(R"({"fail_below": "much", "source": "s"})"));
  const CommandResult result =
      fixture({"run", "measured.speed", "--device", "sim", "--limits", folder / "limits.json"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, AllOf(HasSubstr("limits.json"), HasSubstr("fail_below"), HasSubstr("a number")));
  EXPECT_THAT(result.output, Not(HasSubstr("PASSED")));
}

TEST(LimitOnTheCommandLine, APassIsToldByAJournalToo) {
  const TemporaryFolder folder;
  ASSERT_EQ(fixture({"run", "measured.speed", "--device", "sim", "-p", "speed=2000", "--json", folder / "a.json",
                     "--journal", folder / "j"})
                .exit_code,
            0);
  ASSERT_EQ(fixture({"report", folder / "j", "--json", folder / "b.json"}).exit_code, 0);
  EXPECT_EQ(read_file(folder / "a.json"), read_file(folder / "b.json"));
}

}  // namespace
}  // namespace gpucheck::application
