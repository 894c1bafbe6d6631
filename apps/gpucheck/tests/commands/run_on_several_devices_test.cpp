#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Run, CoversEveryDevice) {
  const TemporaryFolder folder;
  const CommandResult result = fixture({"run", "proof", "skipped.crowd", "--device", "sim:small,devices=3", "--json",
                                        folder / "r.json", "--junit", folder / "r.xml"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.error_output;
  const json document = json::parse(read_file(folder / "r.json"));
  ASSERT_EQ(document["devices"].size(), 3U);
  EXPECT_EQ(document["devices"][2]["index"], 2);
  EXPECT_EQ(document["devices"][2]["uuid"], "SIM-small-2");
  ASSERT_EQ(document["cases"].size(), 7U);
  EXPECT_EQ(document["cases"][2]["name"], "proof.exclusive");
  EXPECT_EQ(document["cases"][2]["devices"], json({2}));
  EXPECT_EQ(document["cases"][2]["rerun_command"],
            "gpucheck run proof.exclusive --device sim:small,devices=3,only=2 --seed 0");
  EXPECT_EQ(document["cases"][6]["reason"], "needs 1000 devices, 3 are there");
  EXPECT_EQ(document["wall_time"]["devices"].size(), 3U);
  EXPECT_THAT(read_file(folder / "r.xml"),
              AllOf(HasSubstr("name=\"gpucheck.device0.proof\""), HasSubstr("name=\"gpucheck.device2.proof\"")));
  EXPECT_THAT(result.output, AllOf(HasSubstr("7 results on 3 devices"), HasSubstr("device 2: "),
                                   HasSubstr("  device 2 "), Not(HasSubstr("time bound by "))));
}

TEST(Run, ADeviceThatIsNotThereIsUsage) {
  const CommandResult result = fixture({"run", "proof", "--device", "sim:devices=2,only=2"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, HasSubstr("there is no device 2: there are 2"));
}

/// Seven of eight devices show nothing: no pass.
TEST(Run, APassOfOneDeviceIsNoneOfThoseThatSkippedEverything) {
  const CommandResult result = fixture({"run", "picky.device", "--device", "sim:devices=8"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.output, HasSubstr("\ndevice 0: PASSED      1 passed\n"));
  for (int device = 1; device < 8; ++device) {
    EXPECT_THAT(result.output,
                HasSubstr(fmt::format("\ndevice {}: NOT JUDGED  1 skipped: nothing is known of it; SIM-", device)));
  }
  EXPECT_THAT(result.output, HasSubstr("NOT JUDGED  1 passed, 7 skipped"));
  const TemporaryFolder folder;
  ASSERT_EQ(fixture({"run", "picky.device", "--device", "sim:devices=2", "--journal", folder / "j"}).exit_code, 3);
  EXPECT_EQ(fixture({"report", folder / "j"}).exit_code, 3);
  EXPECT_EQ(fixture({"run", "picky.device", "proof.watchful", "--device", "sim:devices=2"}).exit_code, 0);
}

/// Two of four devices share the only bad pair: the other two are cleared of it, but passed nothing either.
TEST(Run, SaysWhichOfSeveralDevicesAnswersForWhatFailedOnAll) {
  const CommandResult result =
      gpucheck({"run", "nccl.pairs", "--fault", "wrong_data_in_one_pair", "--device", "sim:devices=4", "--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  const json verdicts = json::parse(result.output)["device_verdicts"];
  ASSERT_EQ(verdicts.size(), 4U);
  for (const std::size_t device : {0U, 1U}) {
    EXPECT_EQ(verdicts[device]["verdict"], "failed");
    EXPECT_EQ(verdicts[device]["failed"], json({"nccl.pairs"}));
    EXPECT_EQ(verdicts[device]["failures"][0]["name"], "wrong_collective");
  }
  for (const std::size_t device : {2U, 3U}) {
    EXPECT_EQ(verdicts[device]["verdict"], "not_judged");
    EXPECT_EQ(verdicts[device]["failed"], json::array());
    EXPECT_EQ(verdicts[device]["failed_by_others"], json({"nccl.pairs"}));
  }
}

}  // namespace
}  // namespace gpucheck::application
