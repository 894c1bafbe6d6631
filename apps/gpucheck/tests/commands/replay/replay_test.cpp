#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tests/commands/replay/replay_command.hpp"
#include "tests/support/subprocess.hpp"
#include "tests/support/test_files.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* ask_for_3_GiB =
    R"({"name": "mine", "ops": [{"op": "alloc", "id": 0, "size": 1073741824}, {"op": "free", "id": 0},
        {"op": "alloc", "id": 1, "size": 3221225472}]})";

TEST(Replay, EqualTracesAreCodeZero) {
  const CommandResult result = replay({test_file("pytorch_traces.json")});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.error_output;
  EXPECT_THAT(result.output, HasSubstr("3 of 3 traces equal, 430 of 430 steps"));
}

TEST(Replay, PlaysPoolsGraphsAndPinnedMemory) {
  for (const auto& [file, trace, steps] : {std::tuple("pytorch_pools.json", "pools_3", "602 of 602 steps"),
                                           std::tuple("pytorch_graphs.json", "graphs_0", " steps"),
                                           std::tuple("pytorch_pinned.json", "pinned_0", "500 of 500 steps")}) {
    const CommandResult result = replay({recorded(file), "--trace", trace});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.error_output;
    EXPECT_THAT(result.output, AllOf(HasSubstr("1 of 1 traces equal"), HasSubstr(steps)));
  }
}

TEST(Replay, SaysWhichCallOfAPoolDiffers) {
  const std::string text = R"({"stat_keys": ["num_ooms"], "ops": [["create_pool", 0], ["begin_pool", 0]],
                               "stats_after_op": [[0], [1]]})";
  const CommandResult result = replay_text(text);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("step 1 of 2"), HasSubstr("begin_pool 0"), HasSubstr("expected 1, seen 0")));
}

TEST(Replay, TellsWhatPinnedMemoryComesTo) {
  const json document = replay_json({recorded("pytorch_pinned.json"), "--trace", "pinned_0", "--settings", ""});
  EXPECT_EQ(document["exit_code"], 0);
  const json& what_if = document["traces"].at(0)["replays"].at(0)["what_if"];
  EXPECT_EQ(what_if["out_of_memory_count"], 0);
  EXPECT_GE(what_if["peak_reserved"]["reserved_bytes"], what_if["peak_allocated"]["allocated_bytes"]);
  EXPECT_GT(what_if["peak_allocated"]["allocated_bytes"], 0);
}

TEST(Replay, JsonTellsWhatWasCompared) {
  const json document = replay_json({test_file("pytorch_traces.json"), "--trace", "s*"});
  EXPECT_EQ(document["schema"], "gpucheck.replay/1");
  EXPECT_EQ(document["exit_code"], 0);
  EXPECT_EQ(document["summary"]["equal_trace_count"], 1);
  EXPECT_EQ(document["summary"]["compared_step_count"], 120);
  const json& comparison = document["traces"].at(0)["replays"].at(0)["comparison"];
  EXPECT_EQ(comparison["equal_step_count"], 120);
  EXPECT_EQ(comparison["first_differences"], json::array());
}

TEST(Replay, OneChangedStatisticIsCodeOne) {
  json traces = json::parse(read_file(test_file("pytorch_traces.json")));
  const std::int64_t truth = traces[1]["stats_after_op"][7][1];
  traces[1]["stats_after_op"][7][1] = truth + 512;
  const CommandResult result = replay_text(traces.dump());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("2 of 3 traces equal, 429 of 430 steps"), HasSubstr("step 7 of 80")));
  EXPECT_THAT(result.output, HasSubstr("reserved_bytes.all.current: expected " + std::to_string(truth + 512) +
                                       ", seen " + std::to_string(truth)));
}

TEST(Replay, AChangedEndIsCodeOne) {
  json trace = json::parse(read_file(test_file("pytorch_traces.json")))[0];
  trace["final_memory_stats"] = {{"active.all.allocated", 65}};
  const CommandResult result = replay_text(trace.dump());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("active.all.allocated: expected 65, seen 66"));
  EXPECT_THAT(result.output, HasSubstr("expected absent")) << "the statistics that the file does not have";
}

TEST(Replay, OtherSettingsDiffer) {
  const CommandResult result =
      replay({test_file("pytorch_traces.json"), "--trace", "small", "--settings", "roundup_power2_divisions:4"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("DIFFERS"), HasSubstr("peak reserved")));
}

TEST(Replay, WithoutExpectationsNothingIsAPass) {
  json trace = json::parse(read_file(test_file("pytorch_traces.json")))[0];
  for (const char* key : {"stats_after_op", "final_memory_stats", "final_segments"}) trace.erase(key);
  const CommandResult result = replay_text(trace.dump());
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, HasSubstr("nothing was compared"));
  EXPECT_EQ(replay_text(trace.dump(), {"--settings", ""}).exit_code, 0) << "what it would need was asked for";
}

TEST(Replay, WithoutEventsNothingIsAPass) {
  EXPECT_EQ(replay_text(R"({"name": "n", "ops": []})").exit_code, 3);
  EXPECT_EQ(replay_text(R"({"name": "n", "ops": [], "final_memory_stats": {}, "stat_keys": [],
                            "stats_after_op": [], "final_segments": []})")
                .exit_code,
            3);
  EXPECT_EQ(replay_text(R"({"name": "n", "ops": []})", {"--settings", ""}).exit_code, 3);
  EXPECT_EQ(replay_text("[]").exit_code, 3);
  const CommandResult result = replay_text(R"({"segments": [], "device_traces": [[], []]})");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, HasSubstr("_record_memory_history"));
}

TEST(Replay, TellsWhatASnapshotComesTo) {
  // By hand: 2 MiB hold the four blocks of 64 KiB; 30 MiB get a segment of their own.
  for (const char* name : {"pytorch_snapshot.json", "pytorch_snapshot_protocol_4.pickle"}) {
    const json document = replay_json({test_file(name)});
    EXPECT_EQ(document["exit_code"], 0);
    const json& trace = document["traces"].at(0);
    EXPECT_EQ(trace["verdict"], "fits");
    EXPECT_EQ(trace["recorded"]["peak_reserved_bytes"], 32 << 20);
    const json& what_if = trace["replays"].at(0)["what_if"];
    EXPECT_EQ(what_if["peak_reserved"]["reserved_bytes"], 32 << 20);
    EXPECT_EQ(what_if["peak_allocated"]["allocated_bytes"], (30 << 20) + (2 << 16));
    EXPECT_EQ(what_if["peak_reserved"]["recorded_event"], 10);
    EXPECT_EQ(what_if["samples"].size(), 10U);
  }
}

TEST(Replay, SaysWhereMemoryWouldRunOut) {
  const CommandResult result = replay({test_file("pytorch_snapshot.json"), "--memory-limit", "24MiB"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("24.00 MiB, by --memory-limit"), HasSubstr("1 TIME"),
                                   HasSubstr("first at event 10: 30.00 MiB asked for, with 2.00 MiB reserved")));
}

TEST(Replay, SettingsThatSaveTheDayAreCodeZero) {
  // A cached segment of 60 MiB serves 12 and 48 MiB.
  const std::string text =
      R"({"ops": [{"op": "alloc", "id": 0, "size": 62914560}, {"op": "free", "id": 0},
                  {"op": "alloc", "id": 1, "size": 12582912}, {"op": "alloc", "id": 2, "size": 50331648}]})";
  const std::vector<std::string> limit{"--memory-limit", "63MiB"};
  const auto with = [&](std::vector<std::string> settings) {
    settings.insert(settings.end(), limit.begin(), limit.end());
    return replay_text(text, settings);
  };
  EXPECT_EQ(with({"--settings", ""}).exit_code, 0);
  EXPECT_EQ(with({"--settings=", "--settings=roundup_power2_divisions:2"}).exit_code, 0) << "one of them has room";
  EXPECT_EQ(with({"--settings", "roundup_power2_divisions:2"}).exit_code, 1) << "60 MiB are rounded up to 64";
  const CommandResult both = with({"--settings", "roundup_power2_divisions:2", "--settings", ""});
  EXPECT_EQ(both.exit_code, 0);
  EXPECT_THAT(both.output, AllOf(ContainsRegex("\\[1\\] roundup_power2_divisions:2 .* 1 TIME\n"),
                                 ContainsRegex("\\[2\\] \\(defaults\\) .* no\n")));
}

TEST(Replay, TheSimulatedDeviceGrowsWithTheLimit) {
  EXPECT_EQ(replay_text(ask_for_3_GiB, {"--memory-limit", "2GiB"}).exit_code, 1);
  EXPECT_EQ(replay_text(ask_for_3_GiB, {"--memory-limit", "200GiB"}).exit_code, 0);
  const CommandResult result = replay_text(ask_for_3_GiB, {"--memory-limit", "2000GiB"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, HasSubstr("largest simulated device"));
}

TEST(Replay, TakesTheRecordedDevicesSizeFromItsFailure) {
  // 200 MiB reserved and 56 MiB free: 256 MiB, in which 2 times 120 MiB fit and 3 do not.
  const std::string text = R"({"segments": [], "device_traces": [[
    {"action": "segment_alloc", "addr": 4096, "size": 209715200, "stream": 0},
    {"action": "oom", "device_free": 58720256, "size": 125829120, "stream": 0},
    {"action": "alloc", "addr": 8192, "size": 125829120, "stream": 0},
    {"action": "alloc", "addr": 300000000, "size": 125829120, "stream": 0},
    {"action": "oom", "device_free": 1, "size": 125829120, "stream": 0}]]})";
  const CommandResult result = replay_text(text);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("256.00 MiB, what was reserved and free"), HasSubstr("1 TIME"),
                                   HasSubstr("first at event 4: 120.00 MiB"),
                                   HasSubstr("room for 1 allocation that failed when recorded")));
}

TEST(Replay, NamesFileAndOffsetOfDamage) {
  const std::string traces = read_file(test_file("pytorch_traces.json"));
  const std::string pickle = read_file(test_file("pytorch_snapshot_protocol_4.pickle"));
  for (const std::string& whole : {traces, pickle}) {
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
      const CommandResult result = replay_text(whole.substr(0, length));
      EXPECT_EQ(result.exit_code, 3) << length;
      EXPECT_EQ(result.output, "");
      EXPECT_THAT(result.error_output, AllOf(StartsWith("gpucheck: "), HasSubstr("/file"), HasSubstr(": byte ")));
    }
  }
  EXPECT_THAT(replay_text("\x80\x04"
                          "cos\nsystem\n.")
                  .error_output,
              AllOf(HasSubstr(": byte 2"), HasSubstr("GLOBAL")));
  EXPECT_EQ(replay({"/nonexistent/trace.json"}).exit_code, 3);
  EXPECT_EQ(replay({"/tmp"}).exit_code, 3);
}

TEST(Replay, PlaysNothingWhenOneFileIsUnreadable) {
  const CommandResult result = replay({test_file("pytorch_traces.json"), "/nonexistent/trace.json"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output, "");
}

TEST(Replay, NamesFromTheFileCannotReachTheTerminal) {
  const CommandResult result = replay_text(R"({"name": "\u001b[31mred\u0007\nnext", "ops": [{"op": "empty_cache"}]})");
  EXPECT_THAT(result.output + result.error_output,
              AllOf(HasSubstr("red"), Not(HasSubstr("\x1b")), Not(HasSubstr("\a"))));
}

TEST(Replay, SettingsOfTheFileThatAreRejectedAreNotAUsageError) {
  const std::string text = R"({"settings": "nonsense:1", "ops": [{"op": "empty_cache"}]})";
  const CommandResult result = replay_text(text);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, AllOf(HasSubstr("nonsense"), HasSubstr("--settings")));
  EXPECT_EQ(replay_text(text, {"--settings", "nonsense:1"}).exit_code, 2);
}

TEST(Replay, NamesFromTheFileCannotReachTheTerminalByAnErrorEither) {
  const CommandResult result = replay_text(
      R"({"name": "\u001b[31mred\u0007\u009b2J\nnext", "settings": "nonsense:1", "ops": [{"op": "empty_cache"}]})");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, AllOf(HasSubstr("red"), HasSubstr("nonsense"), Not(HasSubstr("\x1b")),
                                         Not(HasSubstr("\a")), Not(HasSubstr("\xc2\x9b"))));
}

TEST(Replay, SaysHowMuchMemoryThereCanBe) {
  const CommandResult result = replay({test_file("pytorch_snapshot.json"), "--memory-limit", "1024GiB"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output,
              AllOf(HasSubstr("1099511627776 bytes are more"), HasSubstr("less than its 1024.00 GiB")));
}

TEST(Replay, SaysWhichSettingIsNoNumber) {
  const CommandResult result =
      replay({test_file("pytorch_traces.json"), "--settings", "max_split_size_mb:99999999999999999999"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_output, AllOf(HasSubstr("max_split_size_mb:99999999999999999999"), HasSubstr("64 bits"),
                                         Not(HasSubstr("stoull"))));
}

TEST(Replay, RejectsWhatItDoesNotKnow) {
  EXPECT_EQ(replay({}).exit_code, 2);
  EXPECT_EQ(replay({test_file("pytorch_traces.json"), "--allocator", "magic"}).exit_code, 2);
  EXPECT_EQ(replay({test_file("pytorch_traces.json"), "--memory-limit", "lots"}).exit_code, 2);
  EXPECT_EQ(replay({test_file("pytorch_traces.json"), "--device", "sim:nosuch"}).exit_code, 2);
  const CommandResult result = replay({test_file("pytorch_traces.json"), "--trace", "small", "--trace", "nosuch*"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, HasSubstr("\"nosuch*\""));
  EXPECT_EQ(replay({test_file("pytorch_snapshot.json"), "--device-index", "1"}).exit_code, 3);
}

}  // namespace
}  // namespace gpucheck::application
