#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/commands/replay/replay_command.hpp"
#include "tests/support/subprocess.hpp"
#include "tests/support/test_files.hpp"

// Replays with --allocator: CUDA's own pool, and libraries, which may fail in every way.
namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Replay, WhatAnAllocatorCannotDoIsNotJudged) {
  const CommandResult result = replay_text(R"({"ops": [["create_pool", 0]]})", {"--allocator", "async"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.error_output, HasSubstr("step 0"));
  EXPECT_EQ(replay({recorded("pytorch_pinned.json"), "--allocator", "async"}).exit_code, 2) << "it is of device memory";
  EXPECT_EQ(replay({recorded("pytorch_pinned.json"), "--memory-limit", "1GiB"}).exit_code, 2)
      << "pinned memory has none";
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

}  // namespace
}  // namespace gpucheck::application
