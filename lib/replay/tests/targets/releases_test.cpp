// What PyTorch 2.1 to 2.15 write of the same program. It was recorded with 2.11: what older releases do not write is
// taken away, what newer ones write besides is added; the table in ../README.md describes the same.
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "replay/advice/advice.hpp"
#include "replay/formats/file.hpp"
#include "replay/tests/simulated_devices.hpp"
#include "replay/tests/test_files.hpp"

namespace gpucheck::replay {
namespace {

using nlohmann::json;

constexpr int oldest_release = 1;  // 2.1
constexpr int recorded_release = 11;
constexpr int newest_release = 15;

enum class Place { root, settings, event };

/// A key and the first release, 2.N, that writes it.
struct NewKey {
  Place place;
  const char* name;
  int release;
};

constexpr std::array new_keys{NewKey{Place::event, "time_us", 2},
                              NewKey{Place::root, "allocator_settings", 3},
                              NewKey{Place::root, "external_annotations", 5},
                              NewKey{Place::event, "compile_context", 8},
                              NewKey{Place::settings, "graph_capture_record_stream_reuse", 9},
                              NewKey{Place::event, "user_metadata", 10},
                              NewKey{Place::event, "pool_id", 12},
                              NewKey{Place::event, "forward_frames", 12},
                              NewKey{Place::settings, "max_round_threshold", 12},
                              NewKey{Place::settings, "max_cached_size", 13},
                              NewKey{Place::root, "host_segments", 14},
                              NewKey{Place::root, "host_traces", 14},
                              NewKey{Place::event, "internal_metadata", 15}};
constexpr int release_with_annotations_among_events = 14;
constexpr int annotation_at = 40;  ///< anywhere

/// Whose each event was: known by what the program's functions are called.
class PoolsOfEvents {
 public:
  json of(const json& event) {
    if (event["action"] == "oom") return {0, 0};
    const std::uint64_t address = event["addr"];
    if (event["action"] == "segment_alloc") {
      segments_[address] = {address + event["size"].get<std::uint64_t>(), pool_of(event["frames"])};
    }
    const auto after = segments_.upper_bound(address);
    if (after == segments_.begin()) return {0, 0};
    const Segment& segment = std::prev(after)->second;
    return address < segment.end ? segment.pool : json{0, 0};
  }

 private:
  struct Segment {
    std::uint64_t end = 0;
    json pool;
  };
  static json pool_of(const json& frames) {
    for (const json& frame : frames) {
      if (frame["name"] == "graph") return {1, 0};
      if (frame["name"] == "pool") return {0, 1};
    }
    return {0, 0};
  }
  std::map<std::uint64_t, Segment> segments_;  ///< by address
};

json written_by_newest_release() {
  json snapshot = json::parse(bytes_of("pytorch_snapshot_pools.json"));
  PoolsOfEvents pools;
  json& events = snapshot["device_traces"][0];
  for (json& event : events) {
    event["pool_id"] = pools.of(event);
    event["forward_frames"] = json::array({"forward (model.py:12)"});
    event["internal_metadata"] = "";
  }
  events.insert(events.begin() + annotation_at, json{{"action", "annotate"}, {"addr", 0}, {"size", 0}, {"stream", 0}});
  snapshot["allocator_settings"].update({{"max_round_threshold", 0}, {"max_cached_size", 0}});
  snapshot["host_segments"] = json::array({{{"device", -1},
                                            {"address", 140631000000000},
                                            {"total_size", 1024},
                                            {"stream", 0},
                                            {"segment_type", "large"},
                                            {"blocks", json::array({{{"size", 1024}, {"state", "inactive"}}})}}});
  snapshot["host_traces"] =
      json::array({json{{"action", "alloc"}, {"addr", 140631000000000}, {"size", 1024}, {"stream", 0}}});
  return snapshot;
}

void take_away(const NewKey& key, json& snapshot) {
  switch (key.place) {
    case Place::root:
      snapshot.erase(key.name);
      return;
    case Place::settings:
      if (snapshot.contains("allocator_settings")) snapshot["allocator_settings"].erase(key.name);
      return;
    case Place::event:
      for (json& event : snapshot["device_traces"][0]) event.erase(key.name);
      return;
  }
}

json document_of(int release) {
  json snapshot = written_by_newest_release();
  for (const NewKey& key : new_keys) {
    if (key.release > release) take_away(key, snapshot);
  }
  if (release < release_with_annotations_among_events) snapshot["device_traces"][0].erase(annotation_at);
  return snapshot;
}

Snapshot written_by(int release) { return std::get<Snapshot>(read_bytes("snapshot", document_of(release).dump())); }

TEST(Release, RecordedIsWhatWasRecorded) {
  EXPECT_EQ(document_of(recorded_release), json::parse(bytes_of("pytorch_snapshot_pools.json")));
}

class Releases : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static bool tells_pools_of_events() { return GetParam() >= 12; }
  /// The release nearest to what was recorded among those that say as much of pools.
  [[nodiscard]] static Snapshot peer() { return written_by(tells_pools_of_events() ? 12 : recorded_release); }
  [[nodiscard]] static Advice advised(Snapshot snapshot) {
    return advise(snapshot, 0, {.memory_limit_bytes = 400_MiB, .devices = simulated_devices()});
  }
  /// Searched once for all releases.
  [[nodiscard]] static const Advice& advised_for_peer() {
    static std::map<bool, Advice> known;
    const bool tells_pools = tells_pools_of_events();
    if (!known.contains(tells_pools)) known.emplace(tells_pools, advised(peer()));
    return known.at(tells_pools);
  }
};

TEST_P(Releases, AreConvertedAlike) {
  const Conversion conversion = convert(written_by(GetParam()), 0);
  const Conversion expected = convert(peer(), 0);
  EXPECT_EQ(conversion.trace.events, expected.trace.events);
  EXPECT_EQ(conversion.stream_handles, expected.stream_handles);
  const ConversionReport& report = conversion.report;
  EXPECT_EQ(report.settings_are_recorded, GetParam() >= 3);
  EXPECT_EQ(report.initial_blocks, 1U) << "3 MiB from before the first event";
  EXPECT_EQ(report.initial_bytes, 3_MiB);
  EXPECT_EQ(report.out_of_memory, 1U);
  EXPECT_EQ(report.deferred_frees, 3U) << "one of each of three steps waits for the other stream";
  EXPECT_EQ(report.empty_caches, 2U);
  EXPECT_EQ(report.allocator_releases, 1U) << "before memory ran out";
  EXPECT_TRUE(report.recorded_capacity_is_own_limit) << "the H200 had room for 300 MiB";
  EXPECT_EQ(report.recorded_capacity_bytes, 214_MiB);
  EXPECT_EQ(report.contradictions, 0U);
  EXPECT_EQ(report.ignored_events, GetParam() >= release_with_annotations_among_events ? 1U : 0U);
}

TEST_P(Releases, TellPoolsThatAreGoneFromPyTorch212On) {
  // Six events of the MemPool, which is there at the end; sixteen of the graph's pool, whose segments were released.
  const ConversionReport report = convert(written_by(GetParam()), 0).report;
  EXPECT_EQ(report.private_pools, tells_pools_of_events() ? 2U : 1U);
  EXPECT_EQ(report.private_pool_events, tells_pools_of_events() ? 22U : 6U);
}

TEST_P(Releases, AreAdvisedAlike) {
  const Advice advice = advised(written_by(GetParam()));
  const Advice& expected = advised_for_peer();
  ASSERT_EQ(advice.search.ranking.size(), expected.search.ranking.size());
  EXPECT_EQ(advice.search.least_bytes, expected.search.least_bytes);
  for (std::size_t i = 0; i < advice.search.ranking.size(); ++i) {
    const RankedSettings& row = advice.search.ranking[i];
    EXPECT_EQ(row.settings, expected.search.ranking[i].settings);
    EXPECT_EQ(row.smallest_memory_bytes, expected.search.ranking[i].smallest_memory_bytes) << row.settings;
    EXPECT_EQ(row.unlimited, expected.search.ranking[i].unlimited) << row.settings;
  }
  ASSERT_EQ(advice.failures.size(), 1U);
  EXPECT_EQ(advice.failures[0].asked_bytes, 300_MiB);
  EXPECT_EQ(advice.failures[0].missing_bytes(), expected.failures.at(0).missing_bytes());
}

INSTANTIATE_TEST_SUITE_P(PyTorch2, Releases, testing::Range(oldest_release, newest_release + 1),
                         [](const testing::TestParamInfo<int>& release) { return std::to_string(release.param); });

}  // namespace
}  // namespace gpucheck::replay
