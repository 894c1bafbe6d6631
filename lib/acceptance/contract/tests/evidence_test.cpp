#include "acceptance/contract/evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "acceptance/contract/rejudge.hpp"
#include "acceptance/tests/small_fleet.hpp"
#include "base/error.hpp"

namespace gpucheck::acceptance {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

RunEvidence examined(const std::string& journal) {
  static fleet::SharedTexts texts;
  return examine(journal, "n1.journal", small_contract(), small_goldens(), texts);
}

std::optional<std::string> difference_of(const harness::CaseResult& result) {
  return difference(result, start_on("n1"), small_goldens());
}

TEST(Rejudge, AgreesWithWhatFollowsFromTheObservations) {
  for (const harness::CaseResult& result : good_results()) {
    EXPECT_EQ(result.outcome, harness::Outcome::pass) << result.name;
    EXPECT_EQ(difference_of(result), std::nullopt) << result.name;
  }
  EXPECT_EQ(difference_of(observed("memory.speed", {0}, {{"speed_gbps", 100.0}})), std::nullopt);
  EXPECT_EQ(difference_of(observed("link.all", {0, 1}, {{"wrong", std::int64_t{3}}})), std::nullopt);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(difference_of(observed("memory.speed", {0}, {{"speed_gbps", nan}})), std::nullopt);
  EXPECT_EQ(difference_of(observed("un.known", {0}, {{"ok", true}})), std::nullopt);  // fails: it has no golden file
  EXPECT_EQ(difference_of(without_evidence("link.all", {0}, harness::Outcome::skip, "needs 2 devices, 1 is there")),
            std::nullopt);
}

TEST(Rejudge, SeesAPassThatIsNone) {
  harness::CaseResult result =
      observed("memory.pattern", {0}, {{"errors", std::int64_t{1}}, {"bytes", std::int64_t{1}}});
  ASSERT_EQ(result.outcome, harness::Outcome::fail);
  result.outcome = harness::Outcome::pass;
  result.mismatches = {};
  result.reason = {};
  EXPECT_THAT(difference_of(result), Optional(HasSubstr("it says pass; from what was observed follows fail (errors")));
}

TEST(Rejudge, SeesAFailureThatIsNone) {
  harness::CaseResult result = observed("alloc.one", {0}, {{"ok", false}});
  result.observations = {{"ok", true}};
  EXPECT_THAT(difference_of(result), Optional(HasSubstr("follows pass")));
}

TEST(Rejudge, SeesOtherBoundsVerdictsReasonsAndMismatches) {
  harness::CaseResult slow = observed("memory.speed", {0}, {{"speed_gbps", 2100.0}});
  ASSERT_EQ(slow.measurements.at(0).verdict, "warn");
  slow.measurements[0].warn_below = 2000;
  slow.measurements[0].verdict = "pass";
  EXPECT_THAT(difference_of(slow), Optional(HasSubstr("other limits")));
  harness::CaseResult excused = observed("alloc.one", {0}, {{"ok", true}});
  excused.reason = "no reason";
  EXPECT_THAT(difference_of(excused), Optional(HasSubstr("a pass with a reason")));
  harness::CaseResult renamed = observed("alloc.one", {0}, {{"ok", false}});
  renamed.reason = "another";
  EXPECT_THAT(difference_of(renamed), Optional(HasSubstr("reason is another")));
  harness::CaseResult coded = observed("alloc.one", {0}, {{"ok", false}});
  coded.mismatches[0].failure = "GC1003";
  EXPECT_THAT(difference_of(coded), Optional(HasSubstr("it says fail")));
  harness::CaseResult warned = observed("alloc.one", {0}, {{"ok", true}});
  warned.warnings = coded.mismatches;
  EXPECT_THAT(difference_of(warned), Optional(HasSubstr("warnings are others")));
}

/// No observation shows it: a result with one is believed as far as it goes.
TEST(Rejudge, TakesABrokenRuleAsItIs) {
  harness::CaseResult result = observed("alloc.one", {0}, {{"ok", true}});
  result.outcome = harness::Outcome::fail;
  result.mismatches = {{"rule.device_memory_freed", "every allocation freed", "8 bytes", "rule", "GC6002"}};
  result.reason = "rule.device_memory_freed: expected every allocation freed, seen 8 bytes";
  EXPECT_EQ(difference_of(result), std::nullopt);
}

TEST(Evidence, OfAGoodRun) {
  const RunEvidence evidence = examined(journal_of(start_on("n1"), good_results()));
  EXPECT_THAT(evidence.voids, IsEmpty());
  EXPECT_THAT(evidence.contradictions, IsEmpty());
  EXPECT_EQ(evidence.host_name, "n1");
  EXPECT_EQ(evidence.shown.size(), 8U);
  EXPECT_EQ(evidence.digest.size(), 64U);
}

TEST(Evidence, CountsNoMoreContradictionsThanAnybodyReads) {
  std::vector<harness::CaseResult> results;
  for (int i = 0; i < 25; ++i) {
    results.push_back(observed("alloc.one", {0}, {{"ok", true}}));
    results.back().repetition = i;
    results.back().observations = {{"ok", false}};
  }
  const RunEvidence evidence = examined(journal_of(start_on("n1"), results));
  EXPECT_EQ(evidence.contradictions.size(), 20U);
  EXPECT_EQ(evidence.contradictions_left_out, 5U);
  EXPECT_THAT(evidence.contradictions.front(), HasSubstr("alloc.one on device 0: it says pass"));
}

TEST(Evidence, IsOnlyOfAJournalThatIsWrittenExactly) {
  const std::string journal = journal_of(start_on("n1"), good_results());
  EXPECT_NO_THROW(static_cast<void>(examined(journal)));
  std::string spaced = journal;
  spaced.insert(spaced.find(':') + 1, " ");
  EXPECT_THROW(static_cast<void>(examined(spaced)), EnvironmentError);
  std::string longer = journal;
  longer.replace(longer.find("12.5"), 4, "12.50");
  EXPECT_THROW(static_cast<void>(examined(longer)), EnvironmentError);
  EXPECT_THROW(static_cast<void>(examined(journal + "{")), EnvironmentError);
  EXPECT_THROW(static_cast<void>(examined(journal.substr(0, journal.size() - 1))), EnvironmentError);
  EXPECT_THROW(static_cast<void>(examined("")), EnvironmentError);
}

}  // namespace
}  // namespace gpucheck::acceptance
