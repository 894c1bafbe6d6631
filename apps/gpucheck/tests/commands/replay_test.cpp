#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tests/support/subprocess.hpp"
#include "tests/support/test_files.hpp"

namespace gpucheck::application {

namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string recorded(const std::string& name) { return test_file("../../recorded/" + name); }

CommandResult replay(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "replay");
  return fixture(arguments);
}

json replay_json(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  return json::parse(replay(arguments).output);
}

/// A file with this text, replayed.
CommandResult replay_text(const std::string& text, std::vector<std::string> arguments = {}) {
  const TemporaryFolder folder;
  write_file(folder / "file", text);
  arguments.insert(arguments.begin(), folder / "file");
  return replay(arguments);
}

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

TEST(Replay, WhatAnAllocatorCannotDoIsNotJudged) {
  const CommandResult result = replay_text(R"({"ops": [["create_pool", 0]]})", {"--allocator", "async"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.error_output, HasSubstr("step 0"));
  EXPECT_EQ(replay({recorded("pytorch_pinned.json"), "--allocator", "async"}).exit_code, 2) << "it is of device memory";
  EXPECT_EQ(replay({recorded("pytorch_pinned.json"), "--memory-limit", "1GiB"}).exit_code, 2)
      << "pinned memory has none";
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

TEST(Replay, TheAsyncAllocatorsPoolTellsWhatItReserves) {
  // By hand: CUDA's pool grows by 32 MiB; 4 times 64 KiB and then 30 MiB find room in the first.
  const json document = replay_json({test_file("pytorch_snapshot.json"), "--allocator", "async"});
  EXPECT_EQ(document["exit_code"], 0);
  EXPECT_EQ(document["allocator"], "async");
  const json& what_if = document["traces"].at(0)["replays"].at(0)["what_if"];
  EXPECT_EQ(what_if["peak_reserved"]["reserved_bytes"], 32 << 20);
  EXPECT_EQ(what_if["peak_reserved"]["recorded_event"], 1) << "from the first allocation on";
  EXPECT_EQ(what_if["peak_allocated"]["allocated_bytes"], (30 << 20) + (2 << 16));
  EXPECT_EQ(what_if["retry_count"], nullptr) << "the pool does not say";
}

TEST(Replay, TheAsyncAllocatorRunsOutOfMemoryByWhatItsPoolReserves) {
  // 40 MiB hold one growth of the pool, which 20 MiB twice do not fit into; 64 MiB hold two.
  const std::string text = R"({"ops": [{"op": "alloc", "id": 0, "size": 20971520},
                                       {"op": "alloc", "id": 1, "size": 20971520}]})";
  const auto with = [&](const char* limit) {
    return replay_text(text, {"--allocator", "async", "--memory-limit", limit});
  };
  const CommandResult result = with("40MiB");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("first at step 1: 20.00 MiB asked for, with 32.00 MiB reserved"));
  EXPECT_EQ(with("64MiB").exit_code, 0);
}

TEST(Replay, ALibraryIsAskedWhatItReservesOfTheSimulatedDevice) {
  const json document = replay_json({test_file("pytorch_snapshot.json"), "--allocator", library("good")});
  EXPECT_EQ(document["exit_code"], 0);
  const json& what_if = document["traces"].at(0)["replays"].at(0)["what_if"];
  EXPECT_EQ(what_if["peak_allocated"]["allocated_bytes"], (30 << 20) + (2 << 16));
  // It takes each block from the device, which allocates whole pages of 2 MiB and cuts them up for small blocks.
  EXPECT_EQ(what_if["peak_reserved"]["reserved_bytes"], 32 << 20);
  EXPECT_THAT(what_if["remarks"].at(0), HasSubstr("1 calls of empty_cache were not passed on"));
}

TEST(Replay, WhatALibraryPrintsIsNoPartOfTheReport) {
  const auto with = [](const std::string& name, std::vector<std::string> more) {
    more.insert(more.begin(), {test_file("pytorch_snapshot.json"), "--allocator", library(name)});
    return replay(more);
  };
  const CommandResult result = with("good_prints", {"--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(json::parse(result.output)["traces"].at(0)["replays"],
            json::parse(with("good", {"--json"}).output)["traces"].at(0)["replays"]);
  EXPECT_THAT(result.error_output, AllOf(HasSubstr("library: malloc"), HasSubstr("{\"written\": 1}")));
  EXPECT_EQ(with("good_prints", {}).output, with("good", {}).output);
}

TEST(Replay, ALibraryRunsOutOfTheDevicesMemory) {
  const CommandResult result =
      replay({test_file("pytorch_snapshot.json"), "--allocator", library("good"), "--memory-limit", "24MiB"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("first at event 10: 30.00 MiB asked for"));
}

TEST(Replay, SaysWhatAnotherAllocatorIsNotComparedWith) {
  for (const std::string& allocator : {std::string("async"), library("good")}) {
    const json document = replay_json({test_file("pytorch_traces.json"), "--trace", "s*", "--allocator", allocator});
    EXPECT_EQ(document["exit_code"], 0);
    EXPECT_EQ(document["summary"]["compared_trace_count"], 0);
    const json& trace = document["traces"].at(0);
    EXPECT_EQ(trace["verdict"], "fits");
    EXPECT_THAT(trace["not_compared"], HasSubstr("11 statistics after each of 120 steps"));
    EXPECT_EQ(trace["replays"].at(0)["comparison"], nullptr);
    EXPECT_EQ(trace["replays"].at(0)["what_if"]["step_count"], 120);
  }
  EXPECT_THAT(replay({test_file("pytorch_traces.json"), "--allocator", "async"}).output,
              HasSubstr("not compared: 11 statistics"));
}

TEST(Replay, RejectsWhatALibraryCannotDo) {
  const auto with = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {test_file("pytorch_snapshot.json"), "--allocator", library("good")});
    return replay(arguments);
  };
  EXPECT_EQ(with({"--settings", "expandable_segments:True"}).exit_code, 2);
  EXPECT_EQ(with({"--memory-limit", "1GiB", "--device", "sim:h100"}).exit_code, 2);
  const CommandResult several = replay({test_file("pytorch_traces.json"), "--allocator", library("good")});
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_THAT(several.error_output, HasSubstr("--trace"));
  const CommandResult own_memory = replay({test_file("pytorch_snapshot.json"), "--allocator", library("good_cuda")});
  EXPECT_EQ(own_memory.exit_code, 3);
  EXPECT_THAT(own_memory.error_output, HasSubstr("gpucheck_set_device_memory"));
  EXPECT_EQ(replay({test_file("pytorch_snapshot.json"), "--allocator", "/nonexistent/library.so"}).exit_code, 3);
}

TEST(Replay, ALibraryThatAllocatesMemoryTwiceIsNotJudged) {
  const CommandResult result = replay({test_file("pytorch_snapshot.json"), "--allocator", library("broken_overlap")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error_output, AllOf(HasSubstr("step 1"), HasSubstr("overlap a block in use")));
}

/// How a replay with it ends: its outcome, as text and as JSON.
void expect_end(const std::string& defect, const std::string& outcome, const std::string& reason) {
  const std::vector<std::string> arguments{test_file("pytorch_snapshot.json"), "--allocator",
                                           library("broken_" + defect), "--timeout", "2s"};
  const CommandResult result = replay(arguments);
  EXPECT_EQ(result.exit_code, 1) << result.error_output;
  EXPECT_THAT(result.output, HasSubstr(outcome + ": " + reason));
  const json document = replay_json(arguments);
  EXPECT_EQ(document["exit_code"], 1);
  EXPECT_EQ(document["traces"].at(0)["verdict"], outcome);
  EXPECT_THAT(document["traces"].at(0)["reason"], HasSubstr(reason));
}

TEST(Replay, ALibraryThatEndsItsProcessIsACrash) { expect_end("exits", "crash", "the allocator library ended its"); }

TEST(Replay, ALibraryThatHangsIsKilled) {
  expect_end("hangs", "hang", "the allocator library was not done within 2000");
}

TEST(Replay, ALibraryThatIsKilledIsACrash) {
  const CommandResult result =
      replay({test_file("pytorch_snapshot.json"), "--allocator", library("broken_aborts"), "--memory-limit", "24MiB"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("crash: killed by signal 6 (SIGABRT)"));
}

TEST(Replay, ALibraryThatFreesTwiceIsToldOf) {
  const json document = replay_json({test_file("pytorch_snapshot.json"), "--allocator", library("broken_double_free")});
  EXPECT_THAT(document["traces"].at(0)["replays"].at(0)["what_if"]["remarks"],
              Contains(HasSubstr("frees were rejected by the device")));
}

TEST(Replay, SettingsThatTheAsyncAllocatorHasNoUseForAreNamed) {
  const CommandResult result =
      replay({test_file("pytorch_snapshot.json"), "--allocator", "async", "--settings", "max_split_size_mb:64"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("cudaMallocAsync has no use for the settings"), HasSubstr("ignores max_split_size_mb")));
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
