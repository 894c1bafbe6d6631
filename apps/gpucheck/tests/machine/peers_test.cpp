// GPUs of one model compared with each other, from a simulated machine with a sick one to every report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "report/tests/schema.hpp"
#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct RunOnce {
  CommandResult command;
  json document;
};

/// With out.json, out.json.journal and out.xml in the folder.
RunOnce run_on(const TemporaryFolder& folder, const std::string& device, const std::vector<std::string>& what) {
  std::vector<std::string> arguments{"run"};
  arguments.insert(arguments.end(), what.begin(), what.end());
  for (const std::string& word : {std::string("--device"), device, std::string("--json"), folder / "out.json",
                                  std::string("--junit"), folder / "out.xml"}) {
    arguments.push_back(word);
  }
  RunOnce run{.command = gpucheck(arguments), .document = json::parse(read_file(folder / "out.json"), nullptr, false)};
  EXPECT_EQ(report::json_schema_complaints(read_file(folder / "out.json")), "");
  return run;
}

json comparison_in(const json& document, const std::string& key) {
  for (const json& one : document["comparisons"]) {
    if (one["key"] == key) return one;
  }
  return {};
}

std::vector<std::string> verdicts_in(const json& array) {
  std::vector<std::string> verdicts;
  for (const json& one : array) verdicts.push_back(one["verdict"]);
  return verdicts;
}

TEST(Peers, OfOneMindPass) {
  const TemporaryFolder folder;
  const RunOnce run = run_on(folder, "sim:devices=3", {"gemm.bf16", "bandwidth.device_copy"});
  EXPECT_EQ(run.command.exit_code, 0) << run.command.output;
  EXPECT_THAT(verdicts_in(run.document["comparisons"]), ElementsAre("pass", "pass", "pass", "pass"));
  EXPECT_THAT(read_file(folder / "out.xml"), HasSubstr("classname=\"gpucheck.comparison\" name=\"gemm.bf16.digest"));
}

TEST(Peers, TheOddOneOutIsNamedAndFails) {
  const TemporaryFolder folder;
  const RunOnce run = run_on(folder, "sim:devices=3,odd=1", {"gemm.fp32"});
  EXPECT_EQ(run.command.exit_code, 1);
  EXPECT_THAT(run.command.output,
              AllOf(HasSubstr("FAIL   gemm.fp32.digest of Simulated NVIDIA H100 80GB HBM3: device 1 has"),
                    HasSubstr("2 of 3 have"), HasSubstr("GC3005 odd_digest"), HasSubstr("device 1: FAILED"),
                    HasSubstr("differs from its peers: gemm.fp32.digest"), HasSubstr("device 0: PASSED"),
                    HasSubstr("device 2: PASSED"), HasSubstr("3 passed, 1 comparison failed")));
  const json digest = comparison_in(run.document, "digest");
  EXPECT_EQ(digest["failure"]["code"], "GC3005");
  EXPECT_THAT(verdicts_in(digest["values"]), ElementsAre("pass", "fail", "pass"));
  EXPECT_THAT(verdicts_in(run.document["device_verdicts"]), ElementsAre("passed", "failed", "passed"));
  EXPECT_EQ(run.document["exit_code"], 1);
  EXPECT_EQ(run.document["counts"]["fail"], 0);
  EXPECT_THAT(read_file(folder / "out.xml"), AllOf(HasSubstr("failures=\"1\""), HasSubstr("type=\"comparison\"")));
}

TEST(Peers, OfTwoThatDifferBothAreSuspects) {
  const TemporaryFolder folder;
  const RunOnce run = run_on(folder, "sim:devices=2,odd=1", {"gemm.fp32"});
  EXPECT_EQ(run.command.exit_code, 1);
  EXPECT_THAT(run.command.output, AllOf(HasSubstr("GC3006 disputed_digest"), HasSubstr("suspects")));
  EXPECT_THAT(verdicts_in(run.document["device_verdicts"]), ElementsAre("failed", "failed"));
}

TEST(Peers, ASlowOneFails) {
  const TemporaryFolder folder;
  const RunOnce run = run_on(folder, "sim:devices=3,slow=2",
                             {"gemm.bf16", "bandwidth.device_copy", "bandwidth.host_to_device", "stress.burn"});
  EXPECT_EQ(run.command.exit_code, 1);
  for (const char* key : {"mean_tflops", "copy_gbps", "pinned_gbps"}) {
    EXPECT_THAT(verdicts_in(comparison_in(run.document, key)["values"]), ElementsAre("pass", "pass", "fail")) << key;
  }
  // The time between its kernels is not longer.
  EXPECT_THAT(verdicts_in(comparison_in(run.document, "mean_tflops.bf16")["values"]),
              ElementsAre("pass", "pass", "warn"));
  EXPECT_THAT(run.command.output, AllOf(HasSubstr("device 2 with"), HasSubstr("% below the best"),
                                        HasSubstr("GC8003 slower_than_peers"), HasSubstr("device 1: PASSED")));
}

std::size_t earlier_in(const json& document, std::size_t device) {
  return comparison_in(document, "mean_tflops")["values"].at(device)["earlier"].size();
}

TEST(Peers, ASlowOneIsMeasuredAgainBeforeItFails) {
  const TemporaryFolder folder;
  for (const std::size_t times : {0U, 1U, 2U}) {
    const RunOnce run = run_on(folder, "sim:devices=3,slow=2", {"gemm.bf16", "--remeasure", std::to_string(times)});
    EXPECT_EQ(run.command.exit_code, 1);
    EXPECT_EQ(earlier_in(run.document, 2), times);
    EXPECT_EQ(earlier_in(run.document, 0), 0U);
    EXPECT_EQ(run.document["cases"].size(), 3U) << "no further results of the run";
    EXPECT_EQ(gpucheck({"report", folder / "out.json.journal", "--json", folder / "again.json"}).exit_code, 1);
    EXPECT_EQ(read_file(folder / "again.json"), read_file(folder / "out.json"));
  }
  const RunOnce repeated = run_on(folder, "sim:devices=3,slow=2", {"gemm.bf16", "--repeat", "2"});
  EXPECT_EQ(earlier_in(repeated.document, 2), 0U) << "repetitions are measurements enough";
}

TEST(Peers, ReportsFromTheJournalAreTheRunsOwn) {
  const TemporaryFolder folder;
  run_on(folder, "sim:devices=3,odd=1,slow=2", {"gemm.fp32"});
  const CommandResult report = gpucheck(
      {"report", folder / "out.json.journal", "--json", folder / "again.json", "--junit", folder / "again.xml"});
  EXPECT_EQ(report.exit_code, 1) << report.error_output;
  EXPECT_EQ(read_file(folder / "again.json"), read_file(folder / "out.json"));
  EXPECT_EQ(read_file(folder / "again.xml"), read_file(folder / "out.xml"));
}

std::string uuid_of(const json& document, std::size_t device) { return document["devices"].at(device)["uuid"]; }

TEST(Peers, ADifferenceCanBeWaived) {
  const TemporaryFolder folder;
  const auto waived_by = [&](const std::string& name) {
    const json waivers = {{"waivers",
                           {{{"case", name},
                             {"device", "any"},
                             {"reason", "on its way out"},
                             {"owner", "node team"},
                             {"expires", "2999-12-31"}}}}};
    write_file(folder / "waivers.json", waivers.dump());
    return run_on(folder, "sim:devices=3,odd=1", {"gemm.fp32", "--waivers", folder / "waivers.json"});
  };
  EXPECT_EQ(waived_by("gemm.fp16").command.exit_code, 1);
  const RunOnce own = waived_by("gemm.fp32");
  EXPECT_EQ(own.command.exit_code, 0) << own.command.output;
  EXPECT_THAT(own.command.output, HasSubstr("WAIVED gemm.fp32.digest"));
  EXPECT_EQ(comparison_in(own.document, "digest")["values"][1]["waiver"]["owner"], "node team");
  EXPECT_EQ(own.document["waivers"][0]["state"], "used");
  EXPECT_EQ(gpucheck({"report", folder / "out.json.journal"}).exit_code, 0);
}

/// One job a GPU: each sees one device, and a journal of its own.
std::vector<std::string> jobs_of(const TemporaryFolder& folder, const std::string& machine, int count) {
  std::vector<std::string> journals;
  for (int i = 0; i < count; ++i) {
    const std::string journal = folder / ("job" + std::to_string(i));
    const CommandResult run =
        gpucheck({"run", "gemm.fp32", "--device", machine + ",only=" + std::to_string(i), "--journal", journal});
    EXPECT_EQ(run.exit_code, 0) << "no one is odd by itself\n" << run.output;
    journals.push_back(journal);
  }
  return journals;
}

TEST(Peers, OfSeveralRunsAreComparedInTheirReport) {
  const TemporaryFolder folder;
  const std::vector<std::string> jobs = jobs_of(folder, "sim:devices=3,odd=1", 3);
  const CommandResult report =
      gpucheck({"report", jobs[0], jobs[1], jobs[2], "--json", folder / "all.json", "--junit", folder / "all.xml"});
  EXPECT_EQ(report.exit_code, 1) << report.error_output;
  EXPECT_THAT(report.output, AllOf(HasSubstr("FAIL   gemm.fp32.digest"), HasSubstr("2 of 3 runs passed"),
                                   HasSubstr("1 of 3 runs failed")));
  EXPECT_EQ(report::json_schema_complaints(read_file(folder / "all.json")), "");
  const json document = json::parse(read_file(folder / "all.json"));
  const json digest = comparison_in(document, "digest");
  EXPECT_THAT(verdicts_in(digest["values"]), ElementsAre("pass", "fail", "pass"));
  EXPECT_EQ(digest["values"][1]["run"], 1);
  EXPECT_EQ(digest["values"][1]["uuid"], uuid_of(document["runs"][1], 0));
  EXPECT_THAT(read_file(folder / "all.xml"), HasSubstr("classname=\"gpucheck.fleet.comparison\""));
}

/// What stands behind `before` up to the next quotation mark, each time.
std::vector<std::string> all_behind(const std::string& text, const std::string& before) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    const std::size_t first = at + before.size();
    found.push_back(text.substr(first, text.find('"', first) - first));
  }
  return found;
}

/// Two machines of one name whose devices have the same number, as jobs see them that get one GPU each.
TEST(Fleet, OfOneHostAndDevicesOfOneNumberHasNamesThatTellThemApart) {
  const TemporaryFolder folder;
  const std::vector<std::string> jobs = jobs_of(folder, "sim:devices=2", 2);
  std::string second = read_file(jobs[1]);
  for (std::size_t at; (at = second.find("\"ordinal\":1")) != std::string::npos;)
    second.replace(at, 11, "\"ordinal\":0");
  write_file(jobs[1], second);
  const CommandResult report =
      gpucheck({"report", jobs[0], jobs[1], "--json", folder / "all.json", "--junit", folder / "all.xml"});
  EXPECT_EQ(report.exit_code, 0) << report.output << report.error_output;
  const json document = json::parse(read_file(folder / "all.json"));
  for (const json& run : document["runs"]) {
    EXPECT_THAT(report.output, HasSubstr(".sim0." + uuid_of(run, 0))) << "the console";
  }
  const std::vector<std::string> names = all_behind(read_file(folder / "all.xml"), "<testcase classname=\"");
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 3U) << "two devices, and their comparison";
}

// -- what a journal says -------------------------------------------------------------------------

TEST(Contradiction, InAJournalIsRejectedWithItsLine) {
  const TemporaryFolder folder;
  gpucheck({"run", "gemm.bf16", "--device", "sim", "--journal", folder / "j"});
  const std::string whole = read_file(folder / "j");
  EXPECT_EQ(gpucheck({"report", folder / "j"}).exit_code, 0);
  const std::string end = "\"exit_code\":0}";
  // 3 is what a good run ends with whose output was lost.
  for (const char* code : {"256", "1", "2", "-1", "0,\"exit_code\":0"}) {
    std::string changed = whole;
    changed.replace(changed.rfind(end), end.size(), std::string("\"exit_code\":") + code + "}");
    write_file(folder / "changed", changed);
    const CommandResult report = gpucheck({"report", folder / "changed", "--json", folder / "r.json"});
    EXPECT_EQ(report.exit_code, 3) << code;
    EXPECT_THAT(report.error_output, HasSubstr(folder / "changed:4: ")) << code;
    EXPECT_THAT(report.output, Not(HasSubstr("passed"))) << code;
    EXPECT_THAT(read_file(folder / "r.json"), IsEmpty()) << code;
  }
}

TEST(Contradiction, InARecordingIsRejected) {
  const TemporaryFolder folder;
  write_file(folder / "state.json", R"({"schema": "gpucheck.telemetry/1", "gpus": [], "gpus": []})");
  const CommandResult run = gpucheck({"run", "health.ecc", "--device", "sim", "--telemetry", folder / "state.json"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.error_output, AllOf(HasSubstr("state.json"), HasSubstr("\"gpus\" appears twice")));
}

// -- limits and baselines ------------------------------------------------------------------------

TEST(Limits, ForNoValueAreWrongOnTheCommandLine) {
  const TemporaryFolder folder;
  const auto run_with = [&](const std::string& name) {
    const json limits = {
        {"schema", "gpucheck.limits/1"},
        {"classes", {{{"name", "ours"}, {"limits", {{name, {{"fail_below", 0.001}, {"source", "s"}}}}}}}}};
    write_file(folder / "limits.json", limits.dump());
    return gpucheck({"run", "gemm.bf16", "--device", "sim", "--limits", folder / "limits.json"});
  };
  for (const char* name : {"gemm.bf16.mean_tflop", "gemm.bf17.mean_tflops", "gemm.bf16.digest", "nothing.*.at_all",
                           "stress.burn.mean_clock_percent"}) {
    const CommandResult run = run_with(name);
    EXPECT_EQ(run.exit_code, 2) << name;
    EXPECT_THAT(run.error_output, AllOf(HasSubstr("limits.json"), HasSubstr(name)));
  }
  for (const char* name : {"gemm.bf16.mean_tflops", "gemm.*.mean_t*", "stress.burn.mean_tflops.fp16"}) {
    EXPECT_EQ(run_with(name).exit_code, 0) << name << run_with(name).error_output;
  }
}

TEST(Baseline, CountsEachResultOnce) {
  const TemporaryFolder folder;
  run_on(folder, "sim", {"gemm.bf16"});
  write_file(folder / "copy.json", read_file(folder / "out.json"));
  const std::string out = folder / "out.json";
  for (const std::string& other : {out, folder / "copy.json"}) {
    const CommandResult made =
        gpucheck({"baseline", "make", out, other, out, out, out, "--output", folder / "limits.json"});
    EXPECT_EQ(made.exit_code, 2);
    EXPECT_THAT(made.error_output, HasSubstr("hold the same measurement"));
    EXPECT_THAT(read_file(folder / "limits.json"), IsEmpty());
  }
}

/// What `gpucheck run --json` wrote of a case that measured so much, and in one run of something else as well.
std::string result_of(const std::string& start, double tflops, bool has_more = false) {
  json measurements = {{{"key", "mean_tflops"}, {"value", tflops}, {"fail_below", 1}}};
  if (has_more) measurements.push_back({{"key", "slowest_twentieth_tflops"}, {"value", 90}, {"fail_below", 1}});
  return json{
      {"schema", "gpucheck.result/1"},
      {"host_name", "good"},
      {"start_time", start},
      {"devices", {{{"name", "Simulated NVIDIA H100 80GB HBM3"}, {"uuid", "GPU-1"}}}},
      {"cases", {{{"name", "gemm.bf16"}, {"outcome", "pass"}, {"devices", {0}}, {"measurements", measurements}}}}}
      .dump();
}

/// Both are one from their median, of 1'000'001: so little that the limits are 3 and 6 % below it. The simulated device
/// does not reach that.
TEST(Baseline, WritesLimitsByWhichRunsAreJudged) {
  const TemporaryFolder folder;
  const std::string limits = folder / "limits.json";
  write_file(folder / "one.json", result_of("2026-01-01T00:00:00Z", 1'000'000, true));
  write_file(folder / "two.json", result_of("2026-01-02T00:00:00Z", 1'000'002));
  const CommandResult made = gpucheck(
      {"baseline", "make", folder / "one.json", folder / "two.json", "--output", limits, "--minimum-count", "2"});
  EXPECT_EQ(made.exit_code, 0) << made.error_output;
  EXPECT_THAT(made.error_output,
              AllOf(HasSubstr("no limit for gemm.bf16.slowest_twentieth_tflops"), HasSubstr("1 measured, 2 needed")));
  const json document = json::parse(read_file(limits));
  ASSERT_EQ(document["classes"].size(), 1U);
  const json& limit = document["classes"][0]["limits"].at("gemm.bf16.mean_tflops");
  EXPECT_NEAR(limit.at("warn_below").get<double>(), 970'000, 1);
  EXPECT_NEAR(limit.at("fail_below").get<double>(), 940'000, 1);
  EXPECT_EQ(run_on(folder, "sim", {"gemm.bf16", "--remeasure", "0", "--limits", limits}).command.exit_code, 1);
}

TEST(Burn, JudgesItsSpeedByTheTypeThatItMultiplies) {
  const TemporaryFolder folder;
  const RunOnce run = run_on(folder, "sim", {"stress.burn", "-p", "type=fp64"});
  EXPECT_EQ(run.command.exit_code, 0) << run.command.output;
  EXPECT_EQ(run.document["cases"][0]["measurements"][0]["key"], "mean_tflops.fp64");
  const json limits = {
      {"schema", "gpucheck.limits/1"},
      {"classes",
       {{{"name", "ours"},
         {"limits", {{"stress.burn.mean_tflops.bf16", {{"fail_below", 1e6}, {"source", "far too much"}}}}}}}}};
  write_file(folder / "limits.json", limits.dump());
  const std::vector<std::string> by_limits{"--limits", folder / "limits.json"};
  EXPECT_EQ(run_on(folder, "sim", {"stress.burn", "-p", "type=fp64", by_limits[0], by_limits[1]}).command.exit_code, 0);
  const RunOnce slow = run_on(folder, "sim", {"stress.burn", "--remeasure", "0", by_limits[0], by_limits[1]});
  EXPECT_EQ(slow.command.exit_code, 1);
  EXPECT_EQ(slow.document["cases"][0]["mismatches"][0]["key"], "mean_tflops");
}

}  // namespace
}  // namespace gpucheck::application
