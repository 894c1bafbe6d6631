// What leaves the process is what its reports are about: no secret of the environment, and nothing outside of the files
// that were asked for, whatever names other machines gave.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Words = std::vector<std::string>;

constexpr const char* secret = "hunter2-5f1c0ffee";

/// Under names that secrets have where gpucheck runs.
Words with_secrets(Words more) {
  for (const char* name : {"AWS_SECRET_ACCESS_KEY", "CI_JOB_TOKEN", "GITHUB_TOKEN", "HF_TOKEN", "SLURM_JWT",
                           "GPUCHECK_PASSWORD", "OMPI_MCA_secret", "CUDA_SECRET", "NCCL_SECRET", "PYTORCH_SECRET"}) {
    more.push_back(fmt::format("{}={}", name, secret));
  }
  return more;
}

void expect_no_secret(const std::string& text, const std::string& where) {
  EXPECT_THAT(text, Not(HasSubstr(secret))) << where;
}

void expect_no_secret(const CommandResult& result, const std::string& where) {
  expect_no_secret(result.output, where + " to stdout");
  expect_no_secret(result.error_output, where + " to stderr");
}

/// All files below a folder, with what they hold.
std::map<std::string, std::string> files_below(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().string()] = read_file(entry.path().string());
  }
  return files;
}

Words with_outputs(Words words, const TemporaryFolder& folder, const Words& formats) {
  for (const std::string& format : formats) {
    words.push_back("--output");
    words.push_back(fmt::format("{}={}", format, folder / format));
  }
  return words;
}

const Words run_formats{"json", "junit", "ctrf", "github", "html", "markdown", "prometheus", "journal"};
const Words merged_formats{"json", "junit", "html", "markdown", "prometheus"};

TEST(Secrets, OfTheEnvironmentAreInNoReportOfARun) {
  const TemporaryFolder folder;
  const CommandResult run =
      fixture(with_outputs({"run", "demo.wrong", "bad.crashes", "proof.watchful", "skipped.moon", "--device", "sim",
                            "--verbose", "--trace", folder / "traces"},
                           folder, run_formats),
              with_secrets({"SLURM_JOB_ID=17", "SLURM_PROCID=0", "SLURM_NTASKS=1", "GPUCHECK_NODE=n1"}));
  EXPECT_EQ(run.exit_code, 1) << run.error_output;
  expect_no_secret(run, "run");
  const auto files = files_below(folder.path());
  EXPECT_GE(files.size(), run_formats.size() + 3) << "traces, too";
  for (const auto& [name, text] : files) {
    EXPECT_FALSE(text.empty()) << name;
    expect_no_secret(text, name);
  }
  const Words reports = with_outputs({"report", folder / "journal"}, folder, {"json", "html"});
  expect_no_secret(fixture(reports, with_secrets({})), "report");
  for (const auto& [name, text] : files_below(folder.path())) expect_no_secret(text, name);
}

TEST(Secrets, OfTheEnvironmentAreInNoReportOfAFleet) {
  const TemporaryFolder folder;
  const TemporaryFolder reports;
  for (const char* node : {"n1", "n2"}) {
    const CommandResult run =
        fixture({"run", "measured.speed", "--device", "sim:devices=4", "--journal", folder / "{node}.journal"},
                with_secrets({std::string("GPUCHECK_NODE=") + node}));
    EXPECT_EQ(run.exit_code, 0) << run.error_output;
  }
  write_file(folder / "torn.journal", "{");
  const Words merge{"merge", folder.path(), "--expect-nodes", "n[1-3]", "--verbose", "--history", reports / "history"};
  expect_no_secret(fixture(with_outputs(merge, reports, merged_formats), with_secrets({})), "merge");
  const auto files = files_below(reports.path());
  EXPECT_EQ(files.size(), merged_formats.size() + 1);
  for (const auto& [name, text] : files) {
    EXPECT_FALSE(text.empty()) << name;
    expect_no_secret(text, name);
  }
  const CommandResult compared =
      fixture({"compare", folder / "n1.journal", folder / "n2.journal", "--json", "-"}, with_secrets({}));
  EXPECT_THAT(compared.output, HasSubstr("gpucheck.changes/1"));
  expect_no_secret(compared, "compare");
}

TEST(Secrets, OfTheEnvironmentAreNotShownByWhatSpeaksOfTheMachineOrOfMemory) {
  const TemporaryFolder folder;
  const auto shown = [&](const Words& words) {
    const CommandResult result = gpucheck(words, with_secrets({}));
    EXPECT_THAT(result.output + result.error_output, Not(IsEmpty())) << words.front();
    expect_no_secret(result, words.front());
  };
  shown({"info", "--json"});
  shown({"config", "show"});
  shown({"run", "snapshot.*", "--device", "sim", "--verbose", "--json", folder / "snapshots.json"});
  for (const auto& [name, text] : files_below(folder.path())) expect_no_secret(text, name);
}

/// Everything below a folder, without what is below `except`.
Words names_below(const std::string& folder, const std::string& except) {
  Words names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.path().string().starts_with(except)) names.push_back(entry.path().string());
  }
  std::ranges::sort(names);
  return names;
}

/// The process's own folders are ones that can be looked at.
CommandResult in_own_folders(const TemporaryFolder& place, const std::string& command) {
  for (const char* folder : {"home", "tmp", "work/below"}) fs::create_directories(place / folder);
  return shell(fmt::format("cd {0}/work/below && HOME={0}/home TMPDIR={0}/tmp XDG_CACHE_HOME={0}/home {1}",
                           place.path(), command));
}

TEST(Files, AreWrittenNowhereElseThanARunIsTold) {
  const TemporaryFolder place;
  EXPECT_EQ(in_own_folders(place, "true").exit_code, 0);
  fs::create_directories(place / "out");
  const Words before = names_below(place.path(), place / "out");
  const CommandResult run = in_own_folders(
      place,
      fmt::format("GPUCHECK_NODE='n 1;$(touch pwned)`touch pwned`' $0 run proof.watchful bad.crashes --device sim "
                  "--output 'json={0}/{{node}}.json' --output 'html={0}/{{node}}.html' --trace {0}/traces",
                  place / "out"));
  EXPECT_EQ(run.exit_code, 1) << run.error_output;
  EXPECT_EQ(names_below(place.path(), place / "out"), before);
  EXPECT_EQ(names_below(place / "out", place / "out/traces").size(), 3U) << "with the journal";
}

TEST(Files, HaveNoNameThatLeadsElsewhere) {
  const TemporaryFolder place;
  for (const char* node : {"../up", "..", ".", "a/b", "/etc", "a\nb", "\x1b[31m"}) {
    const CommandResult run = fixture({"run", "proof.watchful", "--device", "sim", "--json", place / "out/{node}.json"},
                                      {std::string("GPUCHECK_NODE=") + node});
    EXPECT_EQ(run.exit_code, 2) << node;
    EXPECT_THAT(run.error_output, HasSubstr("cannot be part of a file name")) << node;
  }
  EXPECT_THAT(names_below(place.path(), "-"), IsEmpty());
}

/// Names of nodes and GPUs come from other machines, and lead nowhere.
TEST(Files, AreWrittenNowhereElseThanAMergeIsToldWhateverNodesAreCalled) {
  const TemporaryFolder place;
  const TemporaryFolder journals;
  int number = 0;
  for (const char* node : {"../../../pwned", "/pwned", "a b", "\x1b]0;pwned\x07", "..", "<script>"}) {
    const std::string journal = journals / (std::to_string(number++) + ".journal");
    const CommandResult run = fixture({"run", "measured.speed", "--device", "sim:devices=4", "--journal", journal},
                                      {std::string("GPUCHECK_NODE=") + node});
    EXPECT_EQ(run.exit_code, 0) << run.error_output;
    std::string text = read_file(journal);
    for (std::size_t at = text.find("\"SIM-"); at != std::string::npos; at = text.find("\"SIM-", at + 1)) {
      text.insert(at + 1, "../../");
    }
    write_file(journal, text);
  }
  EXPECT_EQ(in_own_folders(place, "true").exit_code, 0);
  fs::create_directories(place / "out");
  const Words before = names_below(place.path(), place / "out");
  std::string outputs;
  for (const std::string& format : merged_formats)
    outputs += fmt::format(" --output {0}={1}/{0}", format, place / "out");
  const CommandResult merged =
      in_own_folders(place, fmt::format("$0 merge {} --expect-nodes {} -v --history {}{}", journals.path(), number,
                                        place / "out/history", outputs));
  EXPECT_EQ(merged.exit_code, 0) << merged.output << merged.error_output;
  EXPECT_THAT(merged.output, Not(HasSubstr("\x1b")));
  EXPECT_EQ(names_below(place.path(), place / "out"), before);
  EXPECT_EQ(names_below(place / "out", "-").size(), merged_formats.size() + 2) << "the history and its record";
}

}  // namespace
}  // namespace gpucheck::application
