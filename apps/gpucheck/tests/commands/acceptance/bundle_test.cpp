#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "schema.hpp"
#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

/// A run of all that the fixture's contract asks for, its journal in the folder.
std::string accepted_run(const TemporaryFolder& folder, const std::string& node,
                         const std::vector<std::string>& more = {}) {
  const std::string journal = folder / (node + ".journal");
  std::vector<std::string> words{"run", "proof.watchful", "measured.speed", "--device", "sim", "--journal", journal};
  words.insert(words.end(), more.begin(), more.end());
  static_cast<void>(fixture(words, {"GPUCHECK_NODE=" + node}));
  return journal;
}

TEST(AcceptanceCommand, ShowsTheContract) {
  const CommandResult text = gpucheck({"acceptance"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.output,
              AllOf(HasSubstr("gpucheck acceptance 1.0: "), HasSubstr("\n  memtest.moving_inversions_8bit ")));
  const CommandResult document = gpucheck({"acceptance", "--json"});
  EXPECT_EQ(document.exit_code, 0);
  EXPECT_EQ(report::json_schema_complaints(document.output), "");
}

TEST(AcceptanceCommand, SaysWhetherARunMeetsTheContract) {
  const TemporaryFolder folder;
  const std::string good = accepted_run(folder, "n1");
  const CommandResult met = fixture({"acceptance", good});
  EXPECT_EQ(met.exit_code, 0) << met.output;
  EXPECT_THAT(met.output, HasSubstr("MET         fixture acceptance 1.0 by 1 of 1 node\n"));
  const CommandResult document = fixture({"acceptance", good, "--json"});
  EXPECT_EQ(json::parse(document.output)["verdict"], "met");
  EXPECT_EQ(report::json_schema_complaints(document.output), "");

  const CommandResult missing = fixture({"acceptance", good, "--expect-nodes", "2"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.output, AllOf(HasSubstr("1 node did not report"), HasSubstr("NOT JUDGED  fixture acceptance")));
  const CommandResult simulated = gpucheck({"acceptance", good});
  EXPECT_EQ(simulated.exit_code, 3);
}

TEST(AcceptanceCommand, SaysWhatVoidsOrFailsIt) {
  const TemporaryFolder folder;
  const CommandResult retries = fixture({"acceptance", accepted_run(folder, "n1", {"--retries", "2"})});
  EXPECT_EQ(retries.exit_code, 3);
  EXPECT_THAT(retries.output, HasSubstr("void: runs/000001.journal: the run had the option --retries\n"));
  const CommandResult slow = fixture({"acceptance", accepted_run(folder, "n2", {"-p", "speed=100"})});
  EXPECT_EQ(slow.exit_code, 1);
  EXPECT_THAT(slow.output, AllOf(HasSubstr("failed measured.speed on "), HasSubstr("NOT MET     fixture acceptance")));
  EXPECT_EQ(fixture({"acceptance", folder / "nothing"}).exit_code, 3);
}

TEST(BundleCommand, PacksWhatVerifyConfirms) {
  const TemporaryFolder folder;
  static_cast<void>(accepted_run(folder, "n1"));
  static_cast<void>(accepted_run(folder, "n2"));
  const std::string file = folder / "site.bundle";
  const CommandResult packed = fixture({"bundle", folder.path(), "--expect-nodes", "n[1-2]", "--output", file});
  EXPECT_EQ(packed.exit_code, 0) << packed.output << packed.error_output;
  EXPECT_THAT(packed.output, AllOf(HasSubstr("2 of 2 nodes passed"), HasSubstr("MET         fixture acceptance")));
  // Nothing of the device or the folder is needed.
  const CommandResult verified = fixture({"verify", file});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
  EXPECT_THAT(verified.output, AllOf(HasSubstr("intact: 4 results of 2 runs judged again, the verdict is the same\n"),
                                     HasSubstr("no signature was checked"), HasSubstr("MET         fixture")));
  const CommandResult document = fixture({"verify", file, "--json"});
  EXPECT_EQ(report::json_schema_complaints(document.output), "");
  EXPECT_EQ(json::parse(document.output)["acceptance"]["nodes"].size(), 2U);
  // The same files by other paths, in another order.
  const CommandResult again = fixture({"bundle", folder / "n2.journal", folder / "n1.journal", "--expect-nodes",
                                       "n[1-2]", "--output", folder / "again.bundle"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(read_file(folder / "again.bundle"), read_file(file));
}

TEST(BundleCommand, WritesNothingThatWouldNotBeVerified) {
  const TemporaryFolder folder;
  write_file(folder / "mine/measured/speed.json", R"({"case": "measured.speed", "expect": {
      "speed_gbps": {"range": [0, 200], "basis": "vendor"}}})");
  write_file(folder / "mine/proof/watchful.json", R"({"case": "proof.watchful", "expect": {
      "allocated": {"equals": true, "basis": "seed"}}})");
  const std::string journal = accepted_run(folder, "n1", {"-p", "speed=100", "--golden", folder / "mine"});
  const std::string file = folder / "x.bundle";
  const CommandResult others = fixture({"bundle", journal, "--output", file});
  EXPECT_EQ(others.exit_code, 3);
  EXPECT_THAT(others.output, AllOf(HasSubstr("measured.speed on device 0: it says pass"), HasSubstr("--golden")));
  EXPECT_FALSE(std::filesystem::exists(file));
  // With the golden files that judged it is a bundle, and no acceptance.
  const CommandResult own = fixture({"bundle", journal, "--golden", folder / "mine", "--output", file});
  EXPECT_EQ(own.exit_code, 3) << own.output;
  EXPECT_THAT(own.output, HasSubstr("void: golden files that are not those of fixture acceptance 1.0"));
  EXPECT_THAT(fixture({"verify", file}).output, AllOf(HasSubstr("intact: "), HasSubstr("NOT JUDGED  fixture")));
}

TEST(BundleCommand, NeedsAFileThatItCanWriteAndJournals) {
  const TemporaryFolder folder;
  const std::string journal = accepted_run(folder, "n1");
  EXPECT_EQ(fixture({"bundle", journal}).exit_code, 2);
  EXPECT_EQ(fixture({"bundle", "--output", folder / "x"}).exit_code, 2);
  EXPECT_EQ(fixture({"bundle", journal, "--output", journal}).exit_code, 2);
  EXPECT_EQ(fixture({"bundle", journal, "--output", "/nowhere/x"}).exit_code, 3);
  EXPECT_EQ(fixture({"bundle", journal, "--output", "/dev/full"}).exit_code, 3);
  EXPECT_EQ(fixture({"bundle", folder / "nothing", "--output", folder / "x"}).exit_code, 3);
  EXPECT_EQ(fixture({"bundle", journal, "--output", "-"}).output.substr(0, 10), "SHA256SUMS");
}

TEST(VerifyCommand, SaysWhatIsWrongWhere) {
  const TemporaryFolder folder;
  const std::string file = folder / "x.bundle";
  ASSERT_EQ(fixture({"bundle", accepted_run(folder, "n1"), "--output", file}).exit_code, 0);
  std::string bytes = read_file(file);
  bytes.replace(bytes.find("measured.speed", bytes.find("run_started")), 4, "\x1b[2J");
  write_file(file, bytes);
  const CommandResult changed = fixture({"verify", file});
  EXPECT_EQ(changed.exit_code, 3);
  EXPECT_THAT(changed.output, AllOf(HasSubstr("problem: runs/000001.journal: it has been changed"),
                                    HasSubstr("NOT JUDGED  this bundle proves nothing\n"), Not(HasSubstr("\x1b"))));
  const CommandResult document = fixture({"verify", file, "--json"});
  EXPECT_EQ(report::json_schema_complaints(document.output), "");
  EXPECT_THAT(json::parse(document.output)["problems"], SizeIs(1));
  EXPECT_EQ(fixture({"verify", folder / "nothing"}).exit_code, 3);
  EXPECT_EQ(fixture({"verify", folder.path()}).exit_code, 3);
  EXPECT_EQ(fixture({"verify"}).exit_code, 2);
}

}  // namespace
}  // namespace gpucheck::application
