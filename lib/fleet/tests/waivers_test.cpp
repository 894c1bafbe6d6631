#include "fleet/waivers.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "harness/run/exit_codes.hpp"

namespace gpucheck::fleet {
namespace {

using harness::CaseResult;
using harness::Outcome;
using harness::Waiver;
using namespace std::chrono;

const std::string uuid = "GPU-00000000-0000-0000-0000-000000000001";
const std::string other_uuid = "GPU-00000000-0000-0000-0000-000000000002";

CaseResult result(Outcome outcome, const std::string& name = "alloc.fuzz") {
  CaseResult result;
  result.name = name;
  result.outcome = outcome;
  return result;
}

WaiverBook book(const std::string& expires, const std::string& device = "any") {
  return {{Waiver{"alloc.*", device, "reason", "owner", expires}}, sys_days{2026y / December / 31} + 23h + 59min};
}

std::string state_of(const WaiverBook& book) { return book.uses().empty() ? "none" : book.uses().at(0).state; }

TEST(WaiverBook, WaivesWhatWasJudgedAndNothingElse) {
  for (const auto& [outcome, state] : {std::pair(Outcome::fail, "used"),
                                       {Outcome::crash, "used"},
                                       {Outcome::hang, "used"},
                                       {Outcome::error, "none"},
                                       {Outcome::skip, "none"},
                                       {Outcome::pass, "unused"}}) {
    WaiverBook waivers = book("2026-12-31");
    CaseResult judged = result(outcome);
    judged.waiver = Waiver{};  // from elsewhere
    waivers.apply(judged, uuid);
    EXPECT_EQ(judged.waiver.has_value(), std::string(state) == "used") << to_text(outcome);
    EXPECT_EQ(judged.outcome, outcome);
    EXPECT_EQ(state_of(waivers), state);
  }
}

TEST(WaiverBook, HoldsUpToItsLastDay) {
  for (const auto& [expires, state] :
       {std::pair("2026-12-31", "used"), {"2026-12-30", "expired"}, {"2027-01-01", "used"}}) {
    WaiverBook waivers = book(expires);
    CaseResult failed = result(Outcome::fail);
    waivers.apply(failed, uuid);
    EXPECT_EQ(failed.waiver.has_value(), std::string(state) == "used") << expires;
    EXPECT_EQ(state_of(waivers), state);
  }
}

TEST(WaiverBook, IsForItsDeviceAndCaseAlone) {
  WaiverBook waivers = book("2026-12-31", uuid);
  CaseResult failed = result(Outcome::fail);
  waivers.apply(failed, other_uuid);
  EXPECT_FALSE(failed.waiver);
  CaseResult of_another_case = result(Outcome::fail, "graph.capture_simple");
  waivers.apply(of_another_case, uuid);
  EXPECT_FALSE(of_another_case.waiver);
  EXPECT_EQ(state_of(waivers), "none") << "it has nothing to do with this run";
  waivers.apply(failed, uuid);
  EXPECT_TRUE(failed.waiver);
}

Waiver waiver(const std::string& device, const std::string& reason, const std::string& expires = "2026-12-31") {
  return {"alloc.*", device, reason, "owner", expires};
}

WaiverBook book_of(Waivers waivers) { return {std::move(waivers), sys_days{2026y / December / 31}}; }

std::vector<std::string> states(const WaiverBook& book) {
  std::vector<std::string> states;
  for (const harness::WaiverUse& use : book.uses()) states.push_back(use.waiver.reason + " " + use.state);
  return states;
}

using States = std::vector<std::string>;

TEST(WaiverBook, TakesTheFirstOfThoseThatHold) {
  WaiverBook waivers = book_of({waiver("any", "expired", "2026-12-30"), waiver(other_uuid, "elsewhere"),
                                waiver(uuid, "first"), waiver("any", "second")});
  CaseResult failed = result(Outcome::fail);
  waivers.apply(failed, uuid);
  ASSERT_TRUE(failed.waiver);
  EXPECT_EQ(failed.waiver->reason, "first");
  EXPECT_EQ(states(waivers), (States{"expired expired", "first used"})) << "the second was not needed, nor unused";
}

TEST(WaiverBook, SaysNothingOfWhatHasNothingToDoWithTheRun) {
  WaiverBook waivers = book_of({waiver(other_uuid, "elsewhere"), waiver(other_uuid, "old", "2020-01-01")});
  CaseResult failed = result(Outcome::fail);
  waivers.apply(failed, uuid);
  EXPECT_EQ(states(waivers), States{});
  CaseResult passed = result(Outcome::pass);
  waivers.apply(passed, other_uuid);
  EXPECT_EQ(states(waivers), (States{"elsewhere unused", "old expired"}));
}

TEST(WaiverBook, WaivesAPairByEitherOfItsDevices) {
  std::vector<harness::DeviceIdentity> devices(3);
  devices[0].uuid = uuid;
  devices[1].uuid = other_uuid;
  devices[2].uuid = "GPU-00000000-0000-0000-0000-000000000003";
  for (const std::string& waived : {uuid, other_uuid}) {
    for (const auto& [pair, holds] :
         {std::pair(std::vector{0, 1}, true), {std::vector{1, 0}, true}, {std::vector{2}, false}, {{}, false}}) {
      WaiverBook waivers = book_of({waiver(waived, "reason")});
      CaseResult failed = result(Outcome::fail);
      failed.devices = pair;
      waivers.apply(failed, devices);
      EXPECT_EQ(failed.waiver.has_value(), holds) << waived << " on " << pair.size();
    }
  }
  WaiverBook anywhere = book_of({waiver("any", "reason")});
  CaseResult nowhere = result(Outcome::fail);
  anywhere.apply(nowhere, devices);
  EXPECT_TRUE(nowhere.waiver) << "of no device";
}

Waiver waiver_of_xid(std::int64_t xid) {
  Waiver one = waiver("any", "XID " + std::to_string(xid));
  one.xid = xid;
  return one;
}

CaseResult failed_by(const std::vector<std::string>& lost, const std::vector<std::string>& reset = {}) {
  CaseResult failed = result(Outcome::fail);
  failed.observations = {{"lost", lost}, {"needs_reset", reset}};
  if (!lost.empty()) failed.mismatches.push_back({"lost", "[]", "", "vendor", "GC7005"});
  if (!reset.empty()) failed.mismatches.push_back({"needs_reset", "[]", "", "vendor", "GC7004"});
  return failed;
}

TEST(WaiverBook, WaivesTheXidThatItNamesAndNoOther) {
  const auto is_waived = [](const std::vector<std::int64_t>& xids, CaseResult failed) {
    std::vector<Waiver> waivers;
    for (const std::int64_t xid : xids) waivers.push_back(waiver_of_xid(xid));
    WaiverBook book = book_of(waivers);
    book.apply(failed, uuid);
    return failed.waiver.has_value();
  };
  EXPECT_TRUE(is_waived({79}, failed_by({"XID 79 GPU_HAS_FALLEN_OFF_THE_BUS, at"})));
  EXPECT_FALSE(is_waived({48}, failed_by({"XID 79 GPU_HAS_FALLEN_OFF_THE_BUS, at"})));
  EXPECT_FALSE(is_waived({79}, failed_by({"XID 79 A"}, {"XID 48 B"}))) << "48 is not waived";
  EXPECT_TRUE(is_waived({79, 48}, failed_by({"XID 79 A"}, {"XID 48 B"})));
  EXPECT_FALSE(is_waived({79}, failed_by({"XID 79 A", "off the bus, at"}))) << "not all are XIDs";
  CaseResult rule = failed_by({"XID 79 A"});
  rule.mismatches.push_back({"rule.no_new_hardware_errors", "", "XID 79", "rule", "GC7005"});
  EXPECT_TRUE(is_waived({79}, rule));
  rule.mismatches.push_back({"rule.device_memory_freed", "", "1 bytes", "rule", "GC6002"});
  EXPECT_FALSE(is_waived({79}, rule));
  CaseResult crashed = failed_by({"XID 79 A"});
  crashed.outcome = Outcome::crash;
  EXPECT_FALSE(is_waived({79}, crashed));
}

TEST(WaiverBook, OneOfAnXidIsUsedOnlyWhereItWaives) {
  WaiverBook book = book_of({waiver_of_xid(79), waiver_of_xid(48)});
  CaseResult failed = failed_by({"XID 79 A"});
  book.apply(failed, uuid);
  EXPECT_EQ(states(book), (States{"XID 79 used"}));
  WaiverBook in_vain = book_of({waiver_of_xid(79)});
  CaseResult both = failed_by({"XID 79 A"}, {"XID 48 B"});
  in_vain.apply(both, uuid);
  EXPECT_EQ(states(in_vain), States{});
}

TEST(WaiverBook, WaivesEachValueInWhichADeviceDiffersFromItsPeers) {
  std::vector<harness::DeviceIdentity> devices(3);
  devices[0].uuid = uuid;
  devices[1].uuid = other_uuid;
  harness::Comparison comparison;
  comparison.case_name = "alloc.fuzz";
  for (const auto& [device, verdict] : {std::pair(0, "pass"), {1, "fail"}, {2, "fail"}, {0, "warn"}}) {
    comparison.values.push_back({.device = device, .verdict = verdict, .waiver = Waiver{}});
  }
  WaiverBook waivers = book_of({waiver(other_uuid, "second"), waiver(uuid, "first")});
  waivers.apply(comparison, devices);
  EXPECT_FALSE(comparison.values[0].waiver) << "what passes needs none";
  ASSERT_TRUE(comparison.values[1].waiver);
  EXPECT_EQ(comparison.values[1].waiver->reason, "second");
  EXPECT_FALSE(comparison.values[2].waiver);
  EXPECT_FALSE(comparison.values[3].waiver);
  EXPECT_EQ(states(waivers), States{"second used"});
  comparison.case_name = "graph.capture_simple";
  waivers.apply(comparison, devices);
  EXPECT_FALSE(comparison.values[1].waiver) << "another case";
}

TEST(WaiverBook, OneWithoutAnXidGoesBeforeThoseOfXids) {
  WaiverBook book = book_of({waiver_of_xid(79), waiver("any", "all")});
  CaseResult failed = failed_by({"XID 79 A"});
  book.apply(failed, uuid);
  ASSERT_TRUE(failed.waiver);
  EXPECT_EQ(failed.waiver->reason, "all");
  EXPECT_EQ(states(book), States{"all used"}) << "the other was not needed";
}

TEST(WaiverBook, OfTwoXidsTheFirstWaiverIsNamedAndBothAreUsed) {
  WaiverBook book = book_of({waiver_of_xid(48), waiver_of_xid(13), waiver_of_xid(79)});
  CaseResult both = failed_by({"XID 79 A", "XID 79 A"}, {"XID 48 B"});
  book.apply(both, uuid);
  ASSERT_TRUE(both.waiver);
  EXPECT_EQ(both.waiver->xid, 48);
  EXPECT_EQ(states(book), (States{"XID 48 used", "XID 79 used"}));
}

TEST(WaiverBook, AnExpiredOneOfAnXidWaivesNothing) {
  Waiver old = waiver_of_xid(79);
  old.expires = "2026-12-30";
  WaiverBook book = book_of({old});
  CaseResult failed = failed_by({"XID 79 A"});
  book.apply(failed, uuid);
  EXPECT_FALSE(failed.waiver);
  EXPECT_EQ(states(book), States{"XID 79 expired"});
}

TEST(WaiverBook, OneThatWasUsedStaysSo) {
  WaiverBook waivers = book_of({waiver("any", "r")});
  for (const Outcome outcome : {Outcome::pass, Outcome::fail, Outcome::pass}) {
    CaseResult judged = result(outcome);
    waivers.apply(judged, uuid);
  }
  EXPECT_EQ(states(waivers), States{"r used"});
}

TEST(Verdict, OfWaivedFailures) {
  using harness::exit_code;
  using harness::ExitCode;
  EXPECT_EQ(exit_code({.pass = 1, .fail = 1, .crash = 1, .hang = 1, .waived = 3}, -1), ExitCode::passed);
  EXPECT_EQ(exit_code({.pass = 1, .fail = 1, .crash = 1, .hang = 1, .waived = 2}, -1), ExitCode::failed);
  EXPECT_EQ(exit_code({.fail = 1, .waived = 1}, -1), ExitCode::not_judged) << "nothing passed: no evidence";
  EXPECT_EQ(exit_code({.pass = 1, .fail = 1, .error = 1, .waived = 1}, -1), ExitCode::not_judged);
  EXPECT_EQ(exit_code({.pass = 1, .fail = 1, .waived = 1, .not_run = 1}, -1), ExitCode::not_judged);
  EXPECT_EQ(exit_code({.pass = 1, .fail = 1, .skip = 1, .waived = 1}, 0), ExitCode::not_judged);
}

}  // namespace
}  // namespace gpucheck::fleet
