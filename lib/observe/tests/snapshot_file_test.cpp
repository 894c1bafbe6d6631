#include "observe/snapshot/snapshot_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "base/text/units.hpp"
#include "observe/history/memory_history.hpp"
#include "observe/history/scope.hpp"
#include "simulated.hpp"

namespace gpucheck::observe::test {
namespace {

using namespace literals;
using Json = nlohmann::ordered_json;

/// A snapshot of many events, blocks in every state, two streams, a private pool, a
/// failure, scopes, labels and stacks.
MemorySnapshot rich_snapshot() {
  Simulated machine;
  MemoryHistory history(machine.allocator, 0);
  machine.allocator.set_settings("roundup_power2_divisions:[64:8,128:2,>:1],garbage_collection_threshold:0.5");
  const device::Stream side = machine.runtime.streams().next();
  history.record({.context = ContextLevel::none});
  const Scope scope(history, "epoch \"\xC3\xA9\"\n");
  history.set_user_metadata("step 1\t\xFF");
  // More events than are put into a list at once.
  for (int i = 0; i < 700; ++i) machine.allocator.free(machine.allocator.allocate(1000, side));
  history.record({});
  const runtime::PoolId pool = runtime::graph_pool_handle();
  machine.allocator.begin_allocate_to_pool(pool, runtime::on_stream(side));
  static_cast<void>(machine.allocator.allocate(32_MiB, side));
  machine.allocator.end_allocate_to_pool(pool);
  static_cast<void>(machine.allocator.allocate(1000, machine.stream));
  void* pending = machine.allocator.allocate(2000, machine.stream);
  machine.allocator.record_stream(pending, side);
  machine.allocator.free(pending);
  EXPECT_THROW(static_cast<void>(machine.allocator.allocate(800_GiB, machine.stream)), runtime::OutOfMemoryError);
  static_cast<void>(history.snapshot());
  return history.snapshot();
}

std::string json_of(const MemorySnapshot& snapshot) {
  std::ostringstream text;
  write_json(snapshot, text);
  return text.str();
}

std::string pickle_of(const MemorySnapshot& snapshot) {
  std::ostringstream bytes;
  write_pickle(snapshot, bytes);
  return bytes.str();
}

std::vector<std::string> keys(const Json& dictionary) {
  std::vector<std::string> result;
  for (const auto& [key, value] : dictionary.items()) result.push_back(key);
  return result;
}

/// The first trace entry with frames.
const Json& entry_with_frames(const Json& snapshot) {
  for (const Json& entry : snapshot["device_traces"][0]) {
    if (entry.contains("frames") && entry["action"] != "oom") return entry;
  }
  throw std::runtime_error("no entry with frames");
}

TEST(SnapshotFile, HasTheStructureOfPyTorchsOwn) {
  std::ifstream file(GPUCHECK_OBSERVE_TEST_DATA "/torch_snapshot_sample.json");
  const Json torch = Json::parse(file);
  const Json ours = Json::parse(json_of(rich_snapshot()));
  EXPECT_EQ(keys(ours), keys(torch));
  EXPECT_EQ(keys(ours["segments"][0]), keys(torch["segments"][0]));
  EXPECT_EQ(keys(ours["segments"][0]["blocks"][0]), keys(torch["segments"][0]["blocks"][0]));
  const Json& entry = entry_with_frames(ours);
  EXPECT_EQ(keys(entry), keys(entry_with_frames(torch)));
  EXPECT_EQ(keys(entry["frames"][0]), keys(entry_with_frames(torch)["frames"][0]));
  EXPECT_EQ(keys(ours["allocator_settings"]), keys(torch["allocator_settings"]));
  EXPECT_EQ(keys(ours["allocator_settings"]["roundup_power2_divisions"]),
            keys(torch["allocator_settings"]["roundup_power2_divisions"]));
  for (const auto& [key, value] : torch["allocator_settings"].items()) {
    EXPECT_EQ(ours["allocator_settings"][key].type(), value.type()) << key;
  }
}

TEST(SnapshotFile, SettingsAreThoseInForce) {
  const Json settings = Json::parse(json_of(rich_snapshot()))["allocator_settings"];
  EXPECT_EQ(settings["PYTORCH_CUDA_ALLOC_CONF"],
            "roundup_power2_divisions:[64:8,128:2,>:1],garbage_collection_threshold:0.5");
  EXPECT_EQ(settings["max_split_size"], -1);
  EXPECT_EQ(settings["garbage_collection_threshold"], 0.5);
  EXPECT_EQ(settings["roundup_power2_divisions"]["1"], 8);
  EXPECT_EQ(settings["roundup_power2_divisions"]["64"], 8);
  EXPECT_EQ(settings["roundup_power2_divisions"]["128"], 2);
  EXPECT_EQ(settings["roundup_power2_divisions"]["256"], 1);
}

TEST(SnapshotFile, AFailureHasTheFreeBytesInsteadOfAnAddress) {
  const Json snapshot = Json::parse(json_of(rich_snapshot()));
  const Json& trace = snapshot["device_traces"][0];
  const auto entry = std::find_if(trace.begin(), trace.end(), [](const Json& each) { return each["action"] == "oom"; });
  ASSERT_NE(entry, trace.end());
  EXPECT_TRUE(entry->contains("device_free"));
  EXPECT_FALSE(entry->contains("addr"));
  EXPECT_EQ((*entry)["size"], 800_GiB);
}

TEST(SnapshotFile, TextsAreEscapedAndMadeValid) {
  const Json snapshot = Json::parse(json_of(rich_snapshot()));
  EXPECT_EQ(snapshot.at("external_annotations").at(0).at("name"), "epoch \"\xC3\xA9\"\n");
  EXPECT_EQ(snapshot.at("external_annotations").at(0).at("stage"), "START");
  EXPECT_EQ(snapshot["device_traces"][0].back()["user_metadata"], "step 1\t\xEF\xBF\xBD");
}

TEST(SnapshotFile, TracesOfLaterDevicesFollowEmptyOnes) {
  MemorySnapshot snapshot;
  snapshot.device_ordinal = 2;
  snapshot.trace.emplace_back();
  const Json traces = Json::parse(json_of(snapshot))["device_traces"];
  ASSERT_EQ(traces.size(), 3U);
  EXPECT_EQ(traces[1].size(), 0U);
  EXPECT_EQ(traces[2].size(), 1U);
}

/// Numbers at every border of the pickle's forms of integers.
MemorySnapshot snapshot_of_large_numbers() {
  MemorySnapshot snapshot;
  for (int bits = 0; bits <= 64; ++bits) {
    const std::uint64_t power = bits == 64 ? 0 : std::uint64_t{1} << bits;
    for (const std::uint64_t value : {power - 1, power, power + 1}) {
      TraceEntry& entry = snapshot.trace.emplace_back();
      entry.size = value;
      entry.address = value;
      entry.time_us = -static_cast<std::int64_t>(value / 2);
    }
  }
  return snapshot;
}

bool has_python() { return std::system("command -v python3 > /dev/null 2>&1") == 0; }

class PythonTest : public testing::TestWithParam<MemorySnapshot (*)()> {};

TEST_P(PythonTest, ReadsTheSameFromBothFormats) {
  if (!has_python()) GTEST_SKIP() << "python3 is not installed";
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("gpucheck_snapshot_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directories(folder);
  const MemorySnapshot snapshot = GetParam()();
  std::ofstream(folder / "snapshot.json") << json_of(snapshot);
  std::ofstream(folder / "snapshot.pickle", std::ios::binary) << pickle_of(snapshot);
  const std::string command = "python3 '" GPUCHECK_OBSERVE_TESTS "/compare_formats.py' '" +
                              (folder / "snapshot.json").string() + "' '" + (folder / "snapshot.pickle").string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Snapshots, PythonTest, testing::Values(&rich_snapshot, &snapshot_of_large_numbers));

}  // namespace
}  // namespace gpucheck::observe::test
