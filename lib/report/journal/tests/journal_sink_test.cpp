#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "report/journal/journal.hpp"
#include "report/journal/journal_file.hpp"
#include "report/sinks.hpp"
#include "sample_run.hpp"
#include "support.hpp"

namespace gpucheck::report {
namespace {

void never(const std::string& complaint) { ADD_FAILURE() << complaint; }

/// Files of this process cannot grow beyond this many bytes meanwhile: a disk that is
/// full and then is not.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    previous_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &previous_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = previous_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &previous_);
    std::signal(SIGXFSZ, previous_handler_);
  }

 private:
  rlimit previous_{};
  void (*previous_handler_)(int) = nullptr;
};

/// The `number`-th of `total` cases, which passes.
void pass(harness::EventSink& sink, const std::string& name, std::size_t number, std::size_t total) {
  harness::CaseFinished event{.result = {}, .finished = number, .total = total};
  event.result.name = name;
  event.result.devices = {0};
  event.result.outcome = harness::Outcome::pass;
  event.result.observations = {{"seen", true}};
  sink.on(harness::CaseStarted{name, 0, 1, number - 1, total, {0}});
  sink.on(event);
}

TEST(JournalSink, HasEveryEventInTheFileWhenItReturns) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.journal");
  const pid_t child = ::fork();
  if (child == 0) {  // dies as a killed supervisor does: nothing is closed, nothing flushed
    const auto sink = make_journal(path, never);
    sink->on(sample_start());
    pass(*sink, "alloc.fuzz", 1, 10);
    sink->on(harness::CaseStarted{"graph.capture_simple", 0, 1, 1, 10, {0}});
    std::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const Journal journal = read_journal(path);
  ASSERT_EQ(journal.end().running.size(), 1U);
  EXPECT_EQ(journal.end().running[0].name, "graph.capture_simple");
  EXPECT_EQ(journal.end().counts.pass, 1);
  EXPECT_EQ(journal.end().counts.not_run, 9);
  EXPECT_EQ(journal.record().results.at(0).name, "alloc.fuzz");
}

TEST(JournalSink, ReplacesAnotherRunsJournalAtOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.journal");
  play_sample_run(*make_journal(path, never));
  const std::string whole = read_file(path);
  {
    const auto sink = make_journal(path, never);
    EXPECT_EQ(read_file(path), "") << "a run that never starts is not the earlier one";
  }
  EXPECT_THROW(read_journal(path), EnvironmentError);
  make_journal(path, never)->on(sample_start());
  EXPECT_LT(read_file(path).size(), whole.size());
  EXPECT_EQ(read_journal(path).record().results.size(), 0U);
}

TEST(JournalSink, LeavesNothingBehindWhenNoRunStarts) {
  const TemporaryFolder folder;
  make_journal(folder.file("run.journal"), never);
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(JournalSink, RejectsAJournalThatAnotherRunWrites) {
  const TemporaryFolder folder;
  const auto sink = make_journal(folder.file("run.journal"), never);
  EXPECT_THROW(make_journal(folder.file("run.journal"), never), EnvironmentError);
  EXPECT_THROW(make_journal("/nonexistent/run.journal", never), EnvironmentError);
  EXPECT_THROW(make_journal("/proc", never), EnvironmentError);
}

TEST(JournalSink, WritesWhatItCouldNotAsSoonAsThereIsRoom) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.journal");
  std::vector<std::string> complaints;
  {
    const auto sink = make_journal(path, [&](const std::string& what) { complaints.push_back(what); });
    harness::RunStarted start = sample_start();
    start.selected = {
        {.name = "a.first", .devices = {0}}, {.name = "a.second", .devices = {0}}, {.name = "a.third", .devices = {0}}};
    start.total = 3;
    sink->on(start);
    pass(*sink, "a.first", 1, 3);
    const std::string before = read_file(path);
    {
      const FullDisk disk(before.size() + 40);  // room for a part of a line
      pass(*sink, "a.second", 2, 3);
      EXPECT_EQ(read_file(path), before) << "no line is there in part";
    }
    pass(*sink, "a.third", 3, 3);
    harness::RunFinished end;
    end.counts.pass = 3;
    sink->on(end);
  }
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_NE(complaints[0].find("cannot write the journal " + path), std::string::npos) << complaints[0];
  const Journal journal = read_journal(path);
  EXPECT_EQ(journal.end().incomplete, "");
  EXPECT_EQ(journal.record().results.size(), 3U);
}

TEST(JournalSink, SaysAtTheEndWhatItCouldNotWrite) {
  const auto sink = make_journal("/dev/full", [](const std::string&) {});
  sink->on(sample_start());
  pass(*sink, "alloc.fuzz", 1, 10);
  EXPECT_THROW(sink->on(sample_end()), EnvironmentError);
}

TEST(JournalSink, WritesToStdout) {
  testing::internal::CaptureStdout();
  play_sample_run(*make_journal("-", never));
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(parse_journal(text, "stdout").record().results.size(), 9U);
}

TEST(ReadJournal, SaysWhatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_THROW(static_cast<void>(read_journal(folder.file("missing"))), EnvironmentError);
  EXPECT_THROW(static_cast<void>(read_journal(folder.file(""))), EnvironmentError);
}

TEST(ReadJournal, TellsARunThatGoesOnFromOneThatWasKilled) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.journal");
  auto sink = make_journal(path, [](const std::string&) {});
  sink->on(sample_start());
  EXPECT_NE(read_journal(path).end().incomplete.find("has not ended yet"), std::string::npos);
  sink.reset();
  EXPECT_NE(read_journal(path).end().incomplete.find("was killed"), std::string::npos);
}

}  // namespace
}  // namespace gpucheck::report
