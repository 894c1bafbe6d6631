#include <gtest/gtest.h>

#include "replay/formats/file.hpp"
#include "replay/formats/file_error.hpp"
#include "replay/formats/snapshot/stacks.hpp"
#include "test_files.hpp"

namespace gpucheck::replay {
namespace {

/// A snapshot of two events with these stacks.
Snapshot with_stacks(const std::string& first, const std::string& second) {
  const std::string start = R"({"action": "alloc", "addr": 1, "size": 1, "stream": 0, "frames": )";
  return read_snapshot_bytes(
      "snapshot", R"({"segments": [], "device_traces": [[)" + start + first + "}, " + start + second + "}]]}");
}

TEST(Stacks, AreReadAlikeFromJsonAndPickle) {
  for (const char* name : {"pytorch_snapshot.json", "pytorch_snapshot_protocol_2.pickle",
                           "pytorch_snapshot_protocol_4.pickle", "pytorch_snapshot_protocol_5.pickle"}) {
    const Snapshot snapshot = read_snapshot_file(test_file(name));
    // All calls of that program have the same two frames.
    ASSERT_EQ(snapshot.stacks.frames.size(), 2U) << name;
    EXPECT_EQ(snapshot.stacks.frames[0], (StackFrame{"torch::unwind::unwind()", "??", 0}));
    ASSERT_EQ(snapshot.stacks.stacks.size(), 2U);
    EXPECT_EQ(snapshot.stacks.stacks[1], (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(snapshot.device_traces.at(0).at(3).stack, 1U);
    EXPECT_EQ(snapshot.segments.at(0).blocks.at(1).stack, 1U);
    EXPECT_EQ(snapshot.segments.at(0).blocks.at(0).stack, no_stack);
  }
}

TEST(Stacks, DifferWhereAnythingDiffers) {
  const std::string frame = R"([{"name": "a", "filename": "bc", "line": 1}])";
  EXPECT_EQ(with_stacks(frame, frame).stacks.stacks.size(), 2U);
  for (const char* other :
       {R"([{"name": "ab", "filename": "c", "line": 1}])", R"([{"name": "a", "filename": "bc", "line": 11}])",
        R"([{"name": "x", "filename": "bc", "line": 1}])"}) {
    const Snapshot snapshot = with_stacks(frame, other);
    EXPECT_EQ(snapshot.stacks.frames.size(), 2U) << other;
    EXPECT_NE(snapshot.device_traces[0][0].stack, snapshot.device_traces[0][1].stack) << other;
  }
}

TEST(Stacks, AreSkippedUnlessAskedFor) {
  const auto snapshot = std::get<Snapshot>(read_file(test_file("pytorch_snapshot.json")));
  EXPECT_TRUE(snapshot.stacks.frames.empty());
  EXPECT_EQ(snapshot.device_traces.at(0).at(3).stack, no_stack);
}

TEST(Stacks, RejectWhatIsNone) {
  EXPECT_THROW(with_stacks("1", "[]"), FileError);
  EXPECT_THROW(with_stacks("[1]", "[]"), FileError);
  EXPECT_THROW(with_stacks(R"([{"name": 1}])", "[]"), FileError);
  EXPECT_THROW(static_cast<void>(read_snapshot_bytes("snapshot", R"([{"name": "t", "ops": []}])")), FileError)
      << "a trace is no snapshot";
}

}  // namespace
}  // namespace gpucheck::replay
