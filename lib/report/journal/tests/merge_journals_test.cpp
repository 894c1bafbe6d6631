#include "report/journal/merge_journals.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/journal/journal.hpp"
#include "report/sinks.hpp"
#include "sample_run.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// The journal of a good run on a node, with one GPU and as many passes.
std::string journal_of(const std::string& node, int passes = 3) {
  const TemporaryFolder folder;
  const std::string path = folder.file("j");
  {
    const auto sink = make_journal(path, [](const std::string& what) { ADD_FAILURE() << what; });
    harness::RunStarted start;
    start.host_name = node;
    start.version = "1";
    start.jobs = 1;
    start.devices.emplace_back().uuid = "GPU-" + node;
    for (int i = 0; i < passes; ++i) start.selected.push_back({.name = "a.b" + std::to_string(i), .devices = {0}});
    start.total = start.selected.size();
    sink->on(start);
    harness::RunFinished end;
    for (std::size_t i = 0; i < start.total; ++i) {
      const std::string& name = start.selected[i].name;
      sink->on(harness::CaseStarted{.name = name, .running = 1, .finished = i, .total = start.total, .devices = {0}});
      harness::CaseFinished event;
      event.finished = i + 1;
      event.total = start.total;
      event.result.name = name;
      event.result.devices = {0};
      event.result.outcome = harness::Outcome::pass;
      event.result.observations = {{"ok", true}};
      end.counts.add(event.result);
      sink->on(event);
    }
    sink->on(end);
  }
  return read_file(path);
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::vector<std::string> files_of(const fleet::Fleet& fleet) {
  std::vector<std::string> files;
  for (const fleet::KeptRun& run : fleet.runs) files.push_back(std::filesystem::path(run.file).filename());
  return files;
}

fleet::Fleet merged(const std::vector<std::string>& paths, const std::string& expected) {
  return merge_journals(paths, {}, {.expected = fleet::parse_expected_nodes(expected)});
}

TEST(MergeJournals, ReadsFoldersInTheOrderOfTheirFilesAndWhatLiesBelow) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("below/deep"));
  write(folder.file("b.journal"), journal_of("n2"));
  write(folder.file("a.journal"), journal_of("n1"));
  write(folder.file("below/deep/c.journal"), journal_of("n3"));
  write(folder.file("a.json"), "a result that lies beside its journal");
  const fleet::Fleet fleet = merged({folder.file("")}, "n[1-3]");
  EXPECT_THAT(files_of(fleet), ElementsAre("a.journal", "b.journal", "c.journal"));
  EXPECT_EQ(fleet.verdict, harness::Verdict::passed);
}

TEST(MergeJournals, ReadsAFileWhateverItsName) {
  const TemporaryFolder folder;
  write(folder.file("x"), journal_of("n1"));
  EXPECT_EQ(merged({folder.file("x")}, "n1").verdict, harness::Verdict::passed);
}

TEST(MergeJournals, SaysWhichFilesAreNoJournalsAndJudgesTheOthers) {
  const TemporaryFolder folder;
  write(folder.file("a.journal"), journal_of("n1"));
  write(folder.file("b.journal"), "");
  write(folder.file("c.journal"), "{\"schema\": \"of somebody else\"}\n");
  const std::string good = journal_of("n4");
  write(folder.file("d.journal"), good.substr(0, good.size() / 2));
  std::string changed = journal_of("n5");
  changed.replace(changed.find("\"outcome\":\"pass\""), 16, "\"outcome\":\"fail\"");
  write(folder.file("e.journal"), changed);
  const fleet::Fleet fleet = merged({folder.file(""), folder.file("absent.journal")}, "any");
  EXPECT_EQ(fleet.verdict, harness::Verdict::not_judged);
  ASSERT_THAT(fleet.problems, SizeIs(4));
  EXPECT_THAT(fleet.problems[0].reason, HasSubstr("no whole line"));
  EXPECT_THAT(fleet.problems[1].reason, HasSubstr("c.journal:1: this is not a line of a journal"));
  EXPECT_THAT(fleet.problems[2].reason, HasSubstr("e.journal:"));
  EXPECT_THAT(fleet.problems[3].reason, HasSubstr("absent.journal"));
  EXPECT_THAT(files_of(fleet), ElementsAre("a.journal", "d.journal"));
  EXPECT_TRUE(fleet.runs[1].torn);
  EXPECT_THAT(fleet.nodes.at(1).reasons.at(0), HasSubstr("ends before its run did"));
}

/// Whatever a node that was killed or a full disk leaves of a good run.
TEST(MergeJournals, PassesNoFileThatIsCutOffAnywhere) {
  const TemporaryFolder folder;
  const std::string whole = journal_of("n1", 1);
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    write(folder.file("j"), whole.substr(0, length));
    EXPECT_EQ(merged({folder.file("j")}, "1").verdict, harness::Verdict::not_judged) << length;
  }
  write(folder.file("j"), whole.substr(0, whole.size() - 1));
  EXPECT_EQ(merged({folder.file("j")}, "1").verdict, harness::Verdict::not_judged) << "its last line has no end";
  write(folder.file("j"), whole);
  EXPECT_EQ(merged({folder.file("j")}, "1").verdict, harness::Verdict::passed);
}

TEST(MergeJournals, SaysWhichFolderCannotBeRead) {
  EXPECT_EQ(merged({"/proc/self/fd/nowhere"}, "any").problems.size(), 1U);
}

TEST(MergeJournals, OfManyFilesIsTheSameEveryTime) {
  const TemporaryFolder folder;
  for (int i = 0; i < 90; ++i) {
    // Long and short ones by turns, so that those behind are read first.
    write(folder.file(std::to_string(1000 + i) + ".journal"), journal_of("n" + std::to_string(i), i % 7 == 0 ? 60 : 1));
  }
  const fleet::Fleet first = merged({folder.file("")}, "any");
  ASSERT_THAT(first.runs, SizeIs(90));
  EXPECT_TRUE(std::ranges::is_sorted(files_of(first)));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(files_of(merged({folder.file("")}, "any")), files_of(first));
}

TEST(ReadEvents, VisitsWhatAJournalHolds) {
  const TemporaryFolder folder;
  write(folder.file("j"), sample_journal());
  const Journal whole = read_journal(folder.file("j"));
  std::vector<std::size_t> kinds;
  EXPECT_EQ(read_events(folder.file("j"), [&](const Event& event) { kinds.push_back(event.index()); }), whole.torn);
  ASSERT_EQ(kinds.size(), whole.events.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(kinds[i], whole.events[i].index());
}

}  // namespace
}  // namespace gpucheck::report
