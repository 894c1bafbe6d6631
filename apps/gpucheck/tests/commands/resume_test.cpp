// gpucheck run --resume: a run that was cut off goes on.
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

/// The journal of a run that was killed while one of its cases hung: the other has a result.
void run_and_kill(const std::string& journal) {
  const std::string script = fmt::format(
      "{} run proof.watchful bad.hangs --device sim --jobs 2 --timeout 60s --journal {} > /dev/null & until grep -q "
      "case_finished {} 2> /dev/null; do sleep 0.02; done; kill -KILL $!; wait $!",
      GPUCHECK_FIXTURE_PROGRAM, journal, journal);
  run_program("/bin/sh", {"-c", script});
}

Words resuming(const std::string& journal, const Words& more = {}) {
  Words words{"run", "proof.watchful", "bad.hangs", "--device", "sim",       "--jobs",
              "1",   "--timeout",      "300ms",     "--resume", "--journal", journal};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The results in a journal, by name.
std::map<std::string, json> results_in(const std::string& journal) {
  std::map<std::string, json> results;
  std::istringstream lines(read_file(journal));
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line, nullptr, false);
    if (event.is_object() && event["event"] == "case_finished") results[event["result"]["name"]] = event["result"];
  }
  return results;
}

TEST(Resume, RunsOnlyWhatHasNoResultYet) {
  const TemporaryFolder folder;
  const std::string journal = folder / "j";
  run_and_kill(journal);
  const json before = results_in(journal).at("proof.watchful");
  const CommandResult resumed = fixture(resuming(journal, {"--output", "json=" + (folder / "r.json")}));
  EXPECT_EQ(resumed.exit_code, 1) << resumed.error_output;
  EXPECT_THAT(resumed.output, AllOf(HasSubstr("PASS   proof.watchful"), HasSubstr("HANG   bad.hangs")));
  const auto after = results_in(journal);
  EXPECT_EQ(after.size(), 2U);
  EXPECT_EQ(after.at("proof.watchful"), before) << "it was not run again";
  EXPECT_EQ(after.at("bad.hangs")["outcome"], "hang");
  EXPECT_EQ(json::parse(read_file(folder / "r.json"))["counts"]["total"], 2);
  EXPECT_EQ(fixture({"report", journal}).exit_code, 1) << "the journal is whole";
  EXPECT_FALSE(std::filesystem::exists(journal + ".before"));
}

TEST(Resume, OfARunThatEndedRunsNothing) {
  const TemporaryFolder folder;
  const std::string journal = folder / "j";
  const Words words{"run", "proof.watchful", "--device", "sim", "--resume", "--journal", journal};
  EXPECT_EQ(fixture(words).exit_code, 0) << "there is no journal: the run begins";
  const auto before = results_in(journal);
  EXPECT_EQ(fixture(words).exit_code, 0);
  EXPECT_EQ(results_in(journal), before);
}

TEST(Resume, BeginsWhereTheJournalHasNoWholeLine) {
  const TemporaryFolder folder;
  write_file(folder / "j", "{\"schema\":\"gpu");
  EXPECT_EQ(fixture({"run", "proof.watchful", "--device", "sim", "--resume", "--journal", folder / "j"}).exit_code, 0);
}

TEST(Resume, RefusesTheJournalOfAnotherRun) {
  const TemporaryFolder folder;
  const std::string journal = folder / "j";
  run_and_kill(journal);
  const std::string before = read_file(journal);
  const auto refused = [&](const Words& words, const char* why) {
    const CommandResult result = fixture(words);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_THAT(result.error_output, AllOf(HasSubstr("is the journal of another run"), HasSubstr(why)));
    EXPECT_EQ(read_file(journal), before) << "nothing is lost";
  };
  refused(resuming(journal, {"--seed", "7"}), "other settings");
  refused({"run", "proof.watchful", "--device", "sim", "--resume", "--journal", journal}, "other cases");
  std::string other = before;
  const std::size_t version = other.find("\"version\":\"") + 11;
  other.insert(version, "9");
  write_file(folder / "k", other);
  EXPECT_THAT(fixture(resuming(folder / "k")).error_output, HasSubstr("by gpucheck 9"));
  other = before;
  const std::size_t digest = other.find("\"golden_digest\":\"") + 17;
  other.insert(digest, "9");
  write_file(folder / "l", other);
  EXPECT_THAT(fixture(resuming(folder / "l")).error_output, HasSubstr("with other golden files or limits"));
}

TEST(Resume, RefusesOtherDevicesAndKeepsWhatIsKnown) {
  const TemporaryFolder folder;
  const std::string journal = folder / "j";
  run_and_kill(journal);
  std::string text = read_file(journal);
  const std::string uuid = "\"uuid\":\"SIM-";
  text.insert(text.find(uuid) + uuid.size(), "other-");
  write_file(journal, text);
  const CommandResult refused = fixture(resuming(journal));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.error_output, HasSubstr("its devices or their driver are not those"));
  EXPECT_EQ(read_file(journal + ".before"), text);
}

TEST(Resume, GoesOnFromWhatAnAttemptThatWasCutOffHasPutAside) {
  const TemporaryFolder folder;
  const std::string journal = folder / "j";
  run_and_kill(journal);
  const json before = results_in(journal).at("proof.watchful");
  const std::string text = read_file(journal);
  std::filesystem::rename(journal, journal + ".before");
  write_file(journal, text.substr(0, text.find('\n') + 1));  // it had just begun again
  EXPECT_EQ(fixture(resuming(journal)).exit_code, 1);
  EXPECT_EQ(results_in(journal).at("proof.watchful"), before);
  EXPECT_FALSE(std::filesystem::exists(journal + ".before"));
}

TEST(Resume, KeepsTheJournalThatKnowsMoreWhenItIsCutOffAgain) {
  const TemporaryFolder folder;
  const std::string journal = folder / "j";
  run_and_kill(journal);
  const std::string more = read_file(journal);
  write_file(journal + ".before", more.substr(0, more.find('\n') + 1));
  // Devices that have changed end the run before it knows anything again.
  std::string other = more;
  const std::string uuid = "\"uuid\":\"SIM-";
  other.insert(other.find(uuid) + uuid.size(), "other-");
  write_file(journal, other);
  EXPECT_EQ(fixture(resuming(journal)).exit_code, 3);
  EXPECT_EQ(read_file(journal + ".before"), other) << "it has a result, and the older one none";
}

TEST(Resume, NeedsAJournalOfOneRun) {
  const auto usage = [](const Words& words, const char* why) {
    const CommandResult result = fixture(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error_output, HasSubstr(why));
  };
  const TemporaryFolder folder;
  usage({"run", "proof.watchful", "--device", "sim", "--resume"}, "writes no journal");
  usage({"run", "proof.watchful", "--device", "sim", "--resume", "--journal", "-"}, "writes no journal");
  usage({"run", "proof.watchful", "--device", "sim", "--resume", "--repeat", "2", "--journal", folder / "j"},
        "repeated");
  usage({"run", "--resume", "--rerun-failed", "x", "--journal", folder / "j"}, "--rerun-failed");
}

}  // namespace
}  // namespace gpucheck::application
