#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text/utf8.hpp"
#include "replay/formats/file.hpp"
#include "replay/page/snapshot_page.hpp"
#include "replay/tests/occurrences.hpp"
#include "replay/tests/test_files.hpp"

namespace gpucheck::replay {
namespace {

using nlohmann::json;

/// What stands in the page's data element: up to the first thing that would end it.
json data_of(const std::string& page) {
  const std::string start = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(start) + start.size();
  return json::parse(page.substr(begin, page.find("</script", begin) - begin));
}

TEST(SnapshotPage, HoldsEveryAllocationAndBlock) {
  const Snapshot snapshot = read_snapshot_file(test_file("pytorch_snapshot.json"));
  const json device = data_of(snapshot_page(snapshot, "file", {0}))["devices"].at(0);
  const json& bands = device["timeline"]["bands"];
  ASSERT_EQ(bands.size(), 5U);
  EXPECT_EQ(bands[4][0], 30 << 20);
  EXPECT_EQ(bands[4][1], "0x7f83d1a00000") << "140204134367232 in hexadecimal";
  EXPECT_EQ(bands[4][6], 10) << "allocated by event 10";
  EXPECT_EQ(bands[0][7], 15) << "freed by event 15";
  const json& segments = device["segments"]["groups"].at(0)["segments"];
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_EQ(segments[0][3].size(), 3U);
  EXPECT_EQ(segments[0][3][1][0], 1) << "allocated";
}

TEST(SnapshotPage, SaysWhatItLeavesOut) {
  Snapshot snapshot;
  for (std::uint64_t i = 0; i < 10; ++i) {
    const std::uint64_t address = 1000 * (i + 1);
    const SnapshotBlock block{address, 100 + i, 100, SnapshotBlockState::active_allocated, no_stack};
    snapshot.segments.push_back({address, 100 + i, 0, 0, {0, 0}, false, false, {block}});
  }
  snapshot.device_traces.resize(1);
  snapshot.device_traces[0].assign(5, {0, 1, 0, 0, {0, 0}, SnapshotAction::out_of_memory, false, no_stack});
  const PageLimits limits{.bands = 4, .even_steps = 2, .blocks = 3, .failures = 2, .stack_frames = 1};
  const json device = data_of(snapshot_page(snapshot, "file", {0}, limits))["devices"].at(0);
  EXPECT_EQ(device["timeline"]["bands"].size(), 4U);
  EXPECT_EQ(device["timeline"]["rest_count"], 6);
  EXPECT_EQ(device["timeline"]["failures"].size(), 2U);
  EXPECT_EQ(device["timeline"]["failure_count"], 5);
  EXPECT_EQ(device["segments"]["groups"].at(0)["segments"].size(), 3U);
  EXPECT_EQ(device["segments"]["left_out_segment_count"], 7);
  EXPECT_EQ(device["segments"]["left_out_bytes"], 721) << "100 to 106";
}

TEST(SnapshotPage, LongStacksAreCut) {
  Snapshot snapshot;
  snapshot.stacks.frames = {{"f", "f.py", 1}};
  snapshot.stacks.stacks.emplace_back(250, 0U);
  const SnapshotBlock block{512, 512, 512, SnapshotBlockState::active_allocated, 1};
  snapshot.segments = {{512, 512, 0, 0, {0, 0}, false, false, {block}}};
  const json data = data_of(snapshot_page(snapshot, "file", {0}));
  ASSERT_EQ(data["stacks"].at(0).size(), 101U);
  EXPECT_EQ(data["frames"].at(data["stacks"][0][100].get<std::size_t>()), "and 150 more");
}

TEST(SnapshotPage, WhatTheFileSaysStaysText) {
  const std::string attack = "</script><script>alert(1)</script><!--{{script}}&\"'";
  Snapshot snapshot;
  snapshot.settings.text = attack;
  snapshot.stacks.frames = {{attack, snapshot.stacks.texts.add(attack + ".py"), 1}};
  snapshot.stacks.stacks.push_back({0});
  const SnapshotBlock block{512, 512, 512, SnapshotBlockState::active_allocated, 1};
  snapshot.segments = {{512, 512, 0, 0, {0, 0}, false, false, {block}}};
  const std::string page = snapshot_page(snapshot, attack, {0});
  EXPECT_EQ(occurrences(page, "<script"), 2U) << "the page's own two";
  EXPECT_EQ(occurrences(page, "</script"), 2U);
  EXPECT_EQ(occurrences(page, "<!--"), 0U);
  EXPECT_EQ(occurrences(page, "const data = JSON.parse"), 1U) << "what is filled in is not filled again";
  EXPECT_EQ(data_of(page)["frames"].at(0), attack + " (" + attack + ".py:1)");
}

TEST(SnapshotPage, BytesThatAreNoTextAreReplaced) {
  Snapshot snapshot;
  snapshot.stacks.frames = {{"\xff\xfe", "\xc3", 1}};
  snapshot.stacks.stacks.push_back({0});
  const SnapshotBlock block{512, 512, 512, SnapshotBlockState::active_allocated, 1};
  snapshot.segments = {{512, 512, 0, 0, {0, 0}, false, false, {block}}};
  EXPECT_EQ(data_of(snapshot_page(snapshot, "file", {0}))["frames"].size(), 1U);
}

TEST(SnapshotPage, IsUtf8WhereverNamesAreCutAndWhateverBytesTheyHold) {
  std::string name;
  for (int i = 0; i < 1000; ++i) name += "\xe2\x82\xac";  // three bytes each: every cut at a byte splits one
  name = "\x1b[31m\xff\x9b" + name;
  for (int shift = 0; shift < 3; ++shift, name = "a" + name) {
    Snapshot snapshot;
    snapshot.settings.text = name;
    snapshot.stacks.frames = {{name, name, 1}};
    snapshot.stacks.stacks.push_back({0});
    const SnapshotBlock block{512, 512, 512, SnapshotBlockState::active_allocated, 1};
    snapshot.segments = {{512, 512, 0, 0, {0, 0}, false, false, {block}}};
    const std::string page = snapshot_page(snapshot, name, {0});
    EXPECT_EQ(to_valid_utf8(page), page) << shift;
    EXPECT_EQ(occurrences(page, "\x1b"), 0U);
    EXPECT_EQ(occurrences(page, "u001b"), 0U);
    EXPECT_EQ(occurrences(data_of(page)["frames"].at(0).get<std::string>(), "\xef\xbf\xbd"), 4U) << "two in each name";
  }
}

TEST(SnapshotPage, LoadsNothing) {
  const std::string page = snapshot_page(read_snapshot_file(test_file("pytorch_snapshot.json")), "file", {0});
  EXPECT_EQ(occurrences(page, "src="), 0U);
  EXPECT_EQ(occurrences(page, "href="), 0U);
  EXPECT_EQ(occurrences(page, "@import"), 0U);
  EXPECT_EQ(occurrences(page, "url("), 0U);
  EXPECT_EQ(occurrences(page, "https://"), 0U);
  EXPECT_EQ(occurrences(page, "default-src 'none'"), 1U) << "and the browser is asked to enforce that";
}

}  // namespace
}  // namespace gpucheck::replay
