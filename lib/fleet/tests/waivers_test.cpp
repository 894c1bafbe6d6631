#include "fleet/waivers.hpp"

#include <array>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "harness/run/exit_codes.hpp"

namespace gpucheck::fleet {
namespace {

using harness::CaseResult;
using harness::Outcome;
using harness::Waiver;
using namespace std::chrono;

const std::vector<std::string> cases = {"alloc.fuzz", "alloc.oom_retry", "graph.capture_simple"};
const std::string uuid = "GPU-00000000-0000-0000-0000-000000000001";
const std::string other_uuid = "GPU-00000000-0000-0000-0000-000000000002";

/// A file of one waiver, with this JSON as the value of one field.
std::string file_with(const std::string& field, const std::string& value) {
  std::string text =
      R"({"waivers": [{"case": "alloc.fuzz", "device": "any", "reason": "r", "owner": "o", "expires": "2026-12-31"}]})";
  const std::size_t start = text.find("\"" + field + "\": ") + field.size() + 4;
  const std::size_t end = text.find('"', start + 1) + 1;
  return text.replace(start, end - start, value);
}

std::string rejection(const std::string& text) {
  try {
    static_cast<void>(parse_waivers(text, "w.json", cases));
  } catch (const UsageError& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(ParseWaivers, ReadsEveryField) {
  const Waivers waivers = parse_waivers(R"({"waivers": [{"case": "alloc.*", "device": ")" + uuid +
                                            R"(", "reason": "known", "owner": "node team", "expires": "2028-02-29"}]})",
                                        "w.json", cases);
  ASSERT_EQ(waivers.size(), 1U);
  EXPECT_EQ(waivers[0], (Waiver{"alloc.*", uuid, "known", "node team", "2028-02-29"}));
}

TEST(ParseWaivers, NamesThePlaceOfAMistake) {
  for (const auto& [field, value, place] : std::vector<std::array<std::string, 3>>{
           {"case", R"("alloc.fuz")", "/waivers/0/case"},
           {"case", R"("tree.*")", "/waivers/0/case"},
           {"device", R"("")", "/waivers/0/device"},
           {"device", R"("cuda:0")", "/waivers/0/device"},
           {"device", R"("GPU-12")", "/waivers/0/device"},
           {"reason", R"("")", "/waivers/0/reason"},
           {"owner", "7", "/waivers/0/owner"},
           {"expires", R"("2026-02-29")", "/waivers/0/expires"},
           {"expires", R"("2026-13-01")", "/waivers/0/expires"},
           {"expires", R"("31.12.2026")", "/waivers/0/expires"},
           {"expires", R"("2026-12-31", "xid": 0)", "/waivers/0/xid"},
           {"expires", R"("2026-12-31", "xid": 1.5)", "/waivers/0/xid"},
           {"expires", R"("2026-12-31", "xid": "63")", "/waivers/0/xid"},
           {"expires", R"("2026-12-31", "until": "2027")", "until"},
           {"expires", R"("2026-12-31", "owner": "x")", "owner"},
       }) {
    const std::string message = rejection(file_with(field, value));
    EXPECT_NE(message.find("w.json"), std::string::npos) << message;
    EXPECT_NE(message.find(place), std::string::npos) << message;
  }
  EXPECT_EQ(rejection(file_with("case", R"("alloc.fuzz")")), "accepted");
}

TEST(ParseWaivers, RejectsWhatIsNoSuchFile) {
  EXPECT_NE(rejection("{\n\"waivers\": [,]}").find("w.json:2:"), std::string::npos) << "the line";
  for (const char* text : {"", "[]", "{}", R"({"waivers": {}})", R"({"waivers": []})", R"({"waivers": [1]})",
                           R"({"waivers": [{}]})", R"({"waivers": [], "more": 1})"}) {
    EXPECT_NE(rejection(text), "accepted") << text;
  }
  for (const std::string missing : {"case", "device", "reason", "owner", "expires"}) {
    const std::string field = R"("missing": "x", ")" + missing;
    std::string text = file_with("case", R"("alloc.fuzz")");
    text.replace(text.find(missing), missing.size(), missing + "_");
    EXPECT_NE(rejection(text), "accepted") << missing;
  }
  EXPECT_THROW(static_cast<void>(read_waivers("/nonexistent/w.json", cases)), EnvironmentError);
}

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

TEST(ParseWaivers, TakesNumbersOfXidsAndUuidsOfEveryKind) {
  for (const char* number : {"1", "63", "99999"}) {
    EXPECT_EQ(rejection(file_with("expires", R"("2026-12-31", "xid": )" + std::string(number))), "accepted") << number;
  }
  for (const char* number : {"0", "-1", "100000", "9223372036854775807"}) {
    EXPECT_NE(rejection(file_with("expires", R"("2026-12-31", "xid": )" + std::string(number))), "accepted") << number;
  }
  const std::string digits = "12345678-9abc-def0-1234-56789ABCDEF0";
  for (const std::string& device : {"GPU-" + digits, "MIG-" + digits}) {
    EXPECT_EQ(rejection(file_with("device", "\"" + device + "\"")), "accepted") << device;
  }
  for (const std::string& device :
       std::vector<std::string>{"CPU-" + digits, "GPU-" + digits + "0", "xGPU-" + digits, digits,
                                "GPU-12345678-9abc-def0-56789abcdef0", "anything"}) {
    EXPECT_NE(rejection(file_with("device", "\"" + device + "\"")), "accepted") << device;
  }
}

TEST(ParseWaivers, ReadsAsManyAsThereAre) {
  const auto one = [](const std::string& glob, const std::string& more = "") {
    return R"({"case": ")" + glob + R"(", "device": "any", "reason": "r", "owner": "o", "expires": "2026-12-31")" +
           more + "}";
  };
  const Waivers waivers = parse_waivers(
      R"({"waivers": [)" + one("alloc.fuzz") + "," + one("graph.*", R"(, "xid": 63)") + "]}", "w.json", cases);
  ASSERT_EQ(waivers.size(), 2U);
  EXPECT_EQ(waivers[0].case_glob, "alloc.fuzz");
  EXPECT_EQ(waivers[0].xid, std::nullopt);
  EXPECT_EQ(waivers[1].case_glob, "graph.*");
  EXPECT_EQ(waivers[1].xid, 63);
  EXPECT_NE(rejection(R"({"waivers": [)" + one("alloc.fuzz") + "," + one("tree.*") + "]}").find("/waivers/1/case"),
            std::string::npos)
      << "the second is wrong";
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
