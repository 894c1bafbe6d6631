#include "replay/formats/snapshot/snapshot.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/formats/bytes/file_error.hpp"
#include "replay/formats/file.hpp"
#include "replay/tests/test_files.hpp"

namespace gpucheck::replay {
namespace {

using namespace std::string_literals;

Snapshot read(const std::string& text) { return std::get<Snapshot>(read_bytes("snapshot", text)); }

std::string with_event(const std::string& event) { return R"({"segments": [], "device_traces": [[)" + event + "]]}"; }
std::string with_segment(const std::string& fields, const std::string& blocks) {
  return R"({"segments": [{"address": 4096, "total_size": 1024, "stream": 0, )" + fields + R"("blocks": [)" + blocks +
         "]}]}";
}

TEST(Snapshot, HoldsWhatPyTorchWrote) {
  const Snapshot snapshot = std::get<Snapshot>(read_file(test_file("pytorch_snapshot.json")));
  ASSERT_EQ(snapshot.segments.size(), 1U);
  const SnapshotSegment& segment = snapshot.segments[0];
  EXPECT_EQ(segment.address, 140204507660288U);
  EXPECT_EQ(segment.total_size, 2097152U);
  EXPECT_FALSE(segment.is_large);
  EXPECT_FALSE(segment.is_expandable);
  EXPECT_EQ(segment.pool, PoolId(0, 0));
  ASSERT_EQ(segment.blocks.size(), 3U);
  EXPECT_EQ(segment.blocks[1].address, 140204507856896U);
  EXPECT_EQ(segment.blocks[1].state, SnapshotBlockState::active_allocated);
  EXPECT_EQ(segment.blocks[2].size, 1835008U);
  EXPECT_EQ(segment.blocks[2].requested_size, 0U);
  EXPECT_EQ(segment.blocks[2].state, SnapshotBlockState::inactive);
  ASSERT_EQ(snapshot.device_traces.size(), 1U);
  ASSERT_EQ(snapshot.device_traces[0].size(), 16U);
  const SnapshotEvent& event = snapshot.device_traces[0][13];
  EXPECT_EQ(event.action, SnapshotAction::segment_free);
  EXPECT_EQ(event.address, 140204134367232U);
  EXPECT_EQ(event.size, 31457280U);
  EXPECT_EQ(event.stream, 752625248U);
  EXPECT_EQ(event.time_us, 1795219123039958);
  EXPECT_EQ(snapshot.settings.text, "");
  EXPECT_EQ(snapshot.settings.garbage_collection_threshold, 0.0);
  EXPECT_EQ(snapshot.settings.expandable_segments, false);
  EXPECT_EQ(snapshot.settings.roundup_power2_divisions.size(), 16U);
}

TEST(Snapshot, ReadsOutOfMemoryWithItsFreeBytes) {
  const Snapshot snapshot = read(with_event(R"({"action": "oom", "device_free": 77, "size": 512, "stream": 3})"));
  const SnapshotEvent& event = snapshot.device_traces.at(0).at(0);
  EXPECT_EQ(event.action, SnapshotAction::out_of_memory);
  EXPECT_EQ(event.address, 77U);
  EXPECT_EQ(event.size, 512U);
}

// Tables that were turned into JSON have NaN or null for what is not known, and fractions in such a column.
TEST(Snapshot, ATimeOrALineNeedNotBeKnown) {
  for (const auto& [written, read_as] :
       {std::pair{"NaN", 0}, std::pair{"null", 0}, std::pair{"-Infinity", 0}, std::pair{"1e300", 0},
        std::pair{"99999999999999999999", 0}, std::pair{"1234.75", 1234}, std::pair{"-7.0", -7}}) {
    const std::string event_text = fmt::format(R"({{"action": "alloc", "addr": 512, "size": 8, "stream": 0,
        "time_us": {0}, "frames": [{{"name": "f", "filename": "a.py", "line": {0}}}]}})",
                                               written);
    const Snapshot snapshot = read_snapshot_bytes("snapshot", with_event(event_text));
    const SnapshotEvent& event = snapshot.device_traces.at(0).at(0);
    EXPECT_EQ(event.time_us, read_as) << written;
    EXPECT_EQ(snapshot.stacks.frames.at(snapshot.stacks.stacks.at(event.stack).at(0)).line, read_as) << written;
  }
  EXPECT_THROW(read(with_event(R"({"action": "alloc", "addr": 512, "size": 8, "stream": 0, "time_us": "now"})")),
               FileError);
  EXPECT_THROW(read(with_event(R"({"action": "alloc", "addr": 512, "size": NaN, "stream": 0})")), FileError)
      << "what a size is, decides";
}

// Some writers have -1 as the unsigned number of the same bits.
TEST(Snapshot, ReadsMinusOneHoweverItIsWritten) {
  for (const char* minus_one : {"-1", "18446744073709551615"}) {
    const std::string one(minus_one);
    const Snapshot snapshot = read(R"({"segments": [], "device_traces": [[
        {"action": "alloc", "addr": 512, "size": 8, "stream": )" +
                                   one + R"(, "time_us": )" + one + R"(},
        {"action": "oom", "device_free": )" +
                                   one + R"(, "size": 8, "stream": 0, "segment_pool_id": [)" + one +
                                   R"(, 0]}]], "allocator_settings": {"max_split_size": )" + one + "}}");
    EXPECT_EQ(snapshot.device_traces.at(0).at(0).time_us, -1) << minus_one;
    EXPECT_EQ(snapshot.device_traces.at(0).at(0).stream, UINT64_MAX);
    EXPECT_EQ(snapshot.device_traces.at(0).at(1).address, UINT64_MAX);
    EXPECT_EQ(snapshot.device_traces.at(0).at(1).pool, PoolId(UINT64_MAX, 0));
    EXPECT_EQ(snapshot.settings.max_split_size, -1);
  }
  // A pickle writes it with nine bytes.
  const std::string pickled =
      "\x80\x02}(\x8c\x08segments]\x8c\x0d"
      "device_traces](](}(\x8c\x06"
      "action\x8c\x05"
      "alloc\x8c\x04"
      "addrK\x01\x8c\x04sizeK\x08\x8c\x06streamK\x00"
      "\x8c\x07time_us\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00"
      "ueeu."s;
  EXPECT_EQ(read(pickled).device_traces.at(0).at(0).time_us, -1);
}

TEST(Snapshot, RejectsNamesAndSettingsOfAnyLength) {
  const std::string long_text(70'000, 'x');
  const auto settings = [&](const std::string& text) {
    return read(R"({"segments": [], "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": ")" + text + "\"}}")
        .settings.text;
  };
  EXPECT_EQ(settings(long_text.substr(0, longest_settings))->size(), longest_settings);
  EXPECT_THAT([&] { settings(long_text); },
              testing::ThrowsMessage<FileError>(testing::HasSubstr(
                  fmt::format("a text of 70000 bytes, where at most {} are read", longest_settings))));
}

TEST(Snapshot, KeepsUnknownActionsAsOther) {
  EXPECT_EQ(read(with_event(R"({"action": "annotate"})")).device_traces.at(0).at(0).action, SnapshotAction::other);
}

TEST(Snapshot, FindsEmptyCacheInTheStackOfARelease) {
  const std::string release = R"({"action": "segment_free", "addr": 1, "size": 1, "stream": 0, "frames": [
      {"name": "main", "filename": "a.py", "line": 1}, {"name": ")";
  const std::string rest = R"(", "filename": "memory.py", "line": 2}]})";
  EXPECT_TRUE(read(with_event(release + "empty_cache" + rest)).device_traces.at(0).at(0).in_empty_cache);
  EXPECT_FALSE(read(with_event(release + "step" + rest)).device_traces.at(0).at(0).in_empty_cache);
}

TEST(Snapshot, PlacesBlocksWithoutAddresses) {
  const Snapshot snapshot = read(with_segment("", R"({"size": 512, "state": "inactive"},
      {"size": 512, "state": "active_awaiting_free"})"));
  EXPECT_EQ(snapshot.segments.at(0).blocks.at(1).address, 4096U + 512U);
  EXPECT_EQ(snapshot.segments.at(0).blocks.at(1).state, SnapshotBlockState::active_pending_free);
}

/// Why blocks do not tile their segment of 1024 bytes.
std::string complaint_about(const std::string& blocks) {
  try {
    read(with_segment("", blocks));
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(Snapshot, BlocksTileTheirSegment) {
  using testing::HasSubstr;
  const std::string half = R"({"size": 512, "state": "inactive"})";
  EXPECT_EQ(complaint_about(half + "," + half), "");
  EXPECT_EQ(complaint_about(R"({"address": 4096, "size": 512, "state": "inactive"},
      {"address": 4608, "size": 512, "state": "inactive"})"),
            "");
  EXPECT_THAT(complaint_about(R"({"size": 1025, "state": "inactive"})"),
              HasSubstr("blocks that fit into their segment"));
  EXPECT_THAT(complaint_about(half + R"(, {"size": 513, "state": "inactive"})"),
              HasSubstr("blocks that fit into their segment"));
  EXPECT_THAT(complaint_about(half), HasSubstr("blocks that add up to the segment's total_size"));
  EXPECT_THAT(complaint_about(half + R"(, {"address": 4096, "size": 512, "state": "inactive"})"),
              HasSubstr("blocks that follow one another"));
}

TEST(Snapshot, FillsInWhatFilesOfOlderReleasesLeaveOut) {
  const std::string blocks = R"({"size": 512, "state": "active_allocated"}, {"size": 256, "state": "inactive"},
      {"size": 256, "requested_size": 0, "state": "active_allocated"})";
  const SnapshotSegment segment = read(with_segment("", blocks)).segments.at(0);
  EXPECT_EQ(segment.blocks.at(0).requested_size, 512U) << "as much as was asked for, rounded";
  EXPECT_EQ(segment.blocks.at(1).requested_size, 256U);
  EXPECT_EQ(segment.blocks.at(2).requested_size, 0U) << "what the file says counts";
  EXPECT_EQ(segment.device, 0U);
  EXPECT_EQ(segment.pool, PoolId(0, 0));
  EXPECT_FALSE(segment.is_expandable);
  EXPECT_FALSE(segment.is_large);
  const SnapshotEvent event =
      read(with_event(R"({"action": "alloc", "addr": 1, "size": 2, "stream": 3})")).device_traces.at(0).at(0);
  EXPECT_EQ(event.time_us, 0);
  EXPECT_EQ(event.pool, PoolId(0, 0));
  EXPECT_FALSE(event.in_empty_cache);
  const Snapshot bare = read(R"([{"address": 4096, "total_size": 1024, "stream": 0, "blocks": [)"
                             R"({"size": 1024, "state": "inactive"}]}])");
  EXPECT_EQ(bare.segments.size(), 1U) << "a list of segments, as memory_snapshot gives it";
  EXPECT_TRUE(bare.device_traces.empty());
  EXPECT_EQ(bare.settings.text, std::nullopt);
  EXPECT_EQ(bare.settings.expandable_segments, std::nullopt);
}

TEST(Snapshot, ReadsTheSettingsUnderBothOfTheirNames) {
  for (const char* name : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}) {
    const std::string text = std::string(R"({"segments": [], "allocator_settings": {")") + name +
                             R"(": "max_split_size_mb:64", "max_split_size": 67108864}})";
    EXPECT_EQ(read(text).settings.text, "max_split_size_mb:64") << name;
    EXPECT_EQ(read(text).settings.max_split_size, 67108864);
  }
}

TEST(Snapshot, KnowsEveryWordOfAState) {
  using enum SnapshotBlockState;
  for (const auto& [word, state] : {std::pair("inactive", inactive),
                                    {"active_allocated", active_allocated},
                                    {"active_pending_free", active_pending_free},
                                    {"active_awaiting_free", active_pending_free}}) {
    const std::string block = std::string(R"({"size": 1024, "state": ")") + word + R"("})";
    EXPECT_EQ(read(with_segment("", block)).segments.at(0).blocks.at(0).state, state) << word;
  }
}

TEST(Snapshot, FindsEmptyCacheByEitherNameInEitherRelease) {
  for (const char* action : {"segment_free", "segment_unmap"}) {
    for (const char* name : {"empty_cache", "c10::cuda::CUDACachingAllocator::emptyCache()"}) {
      const std::string release = std::string(R"({"action": ")") + action +
                                  R"(", "addr": 1, "size": 1, "stream": 0, "frames": [{"name": ")" + name + R"("}]})";
      EXPECT_TRUE(read(with_event(release)).device_traces.at(0).at(0).in_empty_cache) << action << " " << name;
    }
  }
}

TEST(Snapshot, RejectsWhatContradictsItself) {
  const std::string whole = R"({"size": 1024, "state": "inactive"})";
  EXPECT_NO_THROW(read(with_segment("", whole)));
  EXPECT_THROW(read(with_segment("", R"({"size": 512, "state": "inactive"})")), FileError) << "a gap at the end";
  EXPECT_THROW(read(with_segment("", whole + "," + whole)), FileError) << "blocks beyond the segment";
  EXPECT_THROW(read(with_segment("", R"({"size": 18446744073709551615, "state": "inactive"})")), FileError);
  EXPECT_THROW(read(with_segment("", R"({"address": 1, "size": 1024, "state": "inactive"})")), FileError);
  EXPECT_THROW(read(with_segment("", R"({"address": 4097, "size": 1024, "state": "inactive"})")), FileError);
  EXPECT_NO_THROW(read(with_segment("", R"({"address": 4096, "size": 1024, "state": "inactive"})")));
  EXPECT_THROW(read(with_segment("", R"({"size": 512, "state": "inactive"}, {"size": 511, "state": "inactive"})")),
               FileError)
      << "one byte short";
  EXPECT_THROW(read(with_segment("", R"({"size": 512, "state": "inactive"}, {"size": 513, "state": "inactive"})")),
               FileError)
      << "one byte too long";
  EXPECT_THROW(read(with_segment("", R"({"size": 1024, "state": "lost"})")), FileError);
  EXPECT_THROW(read(with_segment("", R"({"state": "inactive"})")), FileError);
  EXPECT_THROW(read(with_segment(R"("segment_type": "medium", )", whole)), FileError);
  EXPECT_THROW(read(with_segment(R"("segment_pool_id": [0], )", whole)), FileError);
  EXPECT_THROW(read(with_segment(R"("segment_pool_id": [0, 0, 0], )", whole)), FileError);
  EXPECT_THROW(read(with_event(R"({"addr": 1, "size": 1, "stream": 0})")), FileError) << "no action";
  EXPECT_THROW(read(with_event(R"({"action": "alloc", "size": 1, "stream": 0})")), FileError) << "no address";
  EXPECT_THROW(read(with_event(R"({"action": "alloc", "addr": 1, "size": -1, "stream": 0})")), FileError);
  EXPECT_THROW(read(R"({"segments": 1})"), FileError);
}

}  // namespace
}  // namespace gpucheck::replay
