#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "journal_text.hpp"
#include "report/journal/journal.hpp"
#include "sample_run.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;

/// A journal of one pass, one failure and one more result.
Journal journal_of(Outcome third, const std::string& fate) {
  harness::RunStarted start = sample_start();
  start.selected = {{.name = "a.pass"}, {.name = "a.fail"}, {.name = "a.third"}};
  start.total = 3;
  JournalText journal(start);
  for (const auto& [name, outcome] :
       {std::pair("a.pass", Outcome::pass), {"a.fail", Outcome::fail}, {"a.third", third}}) {
    if (fate == "killed" && name == std::string("a.third")) continue;
    journal.play(result_of(name, outcome));
  }
  return parse_journal(journal.text(), "j");
}

TEST(ApplyWaivers, JudgesARunAnewByTheDayItStarted) {
  const auto verdict = [](Journal journal, const std::string& expires) {
    // Written by the run itself.
    std::get<harness::RunFinished>(journal.events.back()).incomplete.clear();
    apply_waivers(journal, {{"a.fail", "any", "reason", "owner", expires}});
    EXPECT_EQ(journal.record().results.at(1).outcome, Outcome::fail);
    return journal.end().exit_code;
  };
  EXPECT_EQ(verdict(journal_of(Outcome::pass, ""), "2026-08-22"), 0) << "the day of the run";
  EXPECT_EQ(verdict(journal_of(Outcome::pass, ""), "2026-08-21"), 1) << "expired by then";
  EXPECT_EQ(verdict(journal_of(Outcome::error, ""), "2026-08-22"), 3) << "an error is never waived";
  EXPECT_EQ(verdict(journal_of(Outcome::crash, ""), "2026-08-22"), 1) << "of another case";
  EXPECT_EQ(verdict(journal_of(Outcome::pass, "killed"), "2026-08-22"), 3) << "a case has no result";
}

TEST(ApplyWaivers, MakesNoPassOfAKilledRun) {
  Journal journal = journal_of(Outcome::pass, "");
  EXPECT_EQ(journal.end().exit_code, 1);
  apply_waivers(journal, {{"a.fail", "any", "reason", "owner", "2026-12-31"}});
  EXPECT_EQ(journal.end().exit_code, 3);
  EXPECT_EQ(journal.end().counts.waived, 1);
  EXPECT_EQ(journal.end().waivers.at(0).state, "used");
  apply_waivers(journal, {});
  EXPECT_EQ(journal.end().exit_code, 1) << "and back";
}

/// A journal of these outcomes, all of one case, that the run itself ended.
Journal ended_journal(const std::vector<Outcome>& outcomes, const harness::RunFinished& how) {
  harness::RunStarted start = sample_start();
  start.selected.clear();
  harness::RunFinished end = how;
  std::vector<harness::CaseResult> results;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    results.push_back(result_of("a.fail", outcomes[i], {}, static_cast<int>(i)));
    start.selected.push_back(selected_case(results.back()));
    end.counts.add(results.back());
  }
  start.total = outcomes.size();
  JournalText journal(start);
  for (const harness::CaseResult& result : results) journal.play(result);
  journal.add(end);
  return parse_journal(journal.text(), "j");
}

const fleet::Waivers holds{{"a.fail", "any", "reason", "owner", "2026-12-31"}};

TEST(ApplyWaivers, MakesNoPassOfAnInterruptedRun) {
  harness::RunFinished interrupted;
  interrupted.exit_code = 130;
  interrupted.interrupted_by_signal = 2;
  Journal journal = ended_journal({Outcome::pass, Outcome::fail}, interrupted);
  apply_waivers(journal, holds);
  EXPECT_EQ(journal.end().exit_code, 130);
  EXPECT_EQ(journal.end().counts.waived, 1);
}

TEST(ApplyWaivers, KeepsWhatARunMadeOfItsSkips) {
  harness::RunFinished chosen;
  chosen.exit_code = 77;
  Journal skips = ended_journal({Outcome::skip, Outcome::skip}, chosen);
  apply_waivers(skips, holds);
  EXPECT_EQ(skips.end().exit_code, 77);
  chosen.exit_code = 1;
  Journal failed = ended_journal({Outcome::skip, Outcome::fail}, chosen);
  apply_waivers(failed, holds);
  EXPECT_EQ(failed.end().exit_code, 3) << "a waived failure among skips is not evidence";
  apply_waivers(failed, {});
  EXPECT_EQ(failed.end().exit_code, 1);
}

}  // namespace
}  // namespace gpucheck::report
