#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

/// A journal of cases that pass, fail, crash and are skipped.
class RerunFailed : public testing::Test {
 protected:
  void SetUp() override {
    const Words cases{"run", "proof.watchful", "demo.wrong", "bad.crashes", "skipped.moon", "--device",
                      "sim", "--json",         "/dev/null",  "--journal",   journal_};
    ASSERT_EQ(fixture(cases).exit_code, 1);
  }

  /// The cases that a run with these words has.
  static Words cases_of(Words words) {
    words.insert(words.end(), {"--device", "sim", "--json", "-"});
    const json document = json::parse(fixture(words).output, nullptr, false);
    Words names;
    for (const json& result : document.value("cases", json::array())) names.push_back(result["name"]);
    return names;
  }

  TemporaryFolder folder_;
  std::string journal_ = folder_ / "run.journal";
};

TEST_F(RerunFailed, IsOfWhatNeitherPassedNorWasSkipped) {
  EXPECT_THAT(cases_of({"run", "--rerun-failed", journal_}), ElementsAre("bad.crashes", "demo.wrong"));
}

TEST_F(RerunFailed, KeepsToTheSelection) {
  EXPECT_THAT(cases_of({"run", "demo", "proof", "--rerun-failed", journal_}), ElementsAre("demo.wrong"));
  EXPECT_THAT(cases_of({"run", "--exclude", "demo.wrong", "--rerun-failed", journal_}), ElementsAre("bad.crashes"));
}

TEST_F(RerunFailed, OfNothingIsAnEmptyRun) {
  const Words words{"run", "proof", "skipped.moon", "--device", "sim", "--rerun-failed", journal_};
  const CommandResult result = fixture(words);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, HasSubstr("run.journal: every selected case passed or was skipped in that run"));
  Words allowed = words;
  allowed.insert(allowed.end(), {"--no-cases", "pass"});
  EXPECT_EQ(fixture(allowed).exit_code, 0);
}

/// What a run had not finished when it was ended is run too.
TEST_F(RerunFailed, HasWhatAnInterruptedRunDidNotReach) {
  const std::string whole = read_file(journal_);
  const std::string first = whole.substr(0, whole.find('\n'));
  const std::string cut = folder_ / "cut.journal";
  write_file(cut, first + "\n");
  EXPECT_THAT(cases_of({"run", "--rerun-failed", cut}),
              ElementsAre("bad.crashes", "demo.wrong", "proof.watchful", "skipped.moon"));
}

TEST_F(RerunFailed, NeedsAJournalThatIsNotWritten) {
  const CommandResult absent = fixture({"run", "--device", "sim", "--rerun-failed", folder_ / "none.journal"});
  EXPECT_EQ(absent.exit_code, 3);
  EXPECT_THAT(absent.error_output, HasSubstr("none.journal"));
  const CommandResult same = fixture({"run", "--device", "sim", "--journal", journal_, "--rerun-failed", journal_});
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_THAT(same.error_output, HasSubstr("run.journal"));
  EXPECT_THAT(cases_of({"run", "--rerun-failed", journal_}), ElementsAre("bad.crashes", "demo.wrong")) << "it is kept";
}

/// A rank's reports have names of their own, and say which rank they are of.
TEST(RunInAJob, WritesFilesOfItsOwn) {
  const TemporaryFolder folder;
  const Words slurm{"SLURM_JOB_ID=99", "SLURMD_NODENAME=n7", "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2"};
  const CommandResult result =
      fixture({"run", "proof.watchful", "--device", "sim", "--json", folder / "{job}.{node}.{rank}.json"}, slurm);
  ASSERT_EQ(result.exit_code, 0) << result.error_output;
  const json report = json::parse(read_file(folder / "99.n7.1.json"));
  EXPECT_EQ(report["host_name"], "n7");
  EXPECT_EQ(report["job"]["engine"], "slurm");
  EXPECT_EQ(report["job"]["rank"], 1);
  EXPECT_EQ(report["job"]["size"], 2);
  EXPECT_TRUE(report["job"]["local_rank"].is_null());
  const std::string junit = folder / "junit.xml";
  ASSERT_EQ(fixture({"report", folder / "99.n7.1.json.journal", "--junit", junit}).exit_code, 0);
  EXPECT_THAT(read_file(junit), HasSubstr("<property name=\"job.rank\" value=\"1\" />"));
  EXPECT_THAT(read_file(junit), testing::Not(HasSubstr("local_rank")));
}

}  // namespace
}  // namespace gpucheck::application
