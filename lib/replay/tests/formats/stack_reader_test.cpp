#include <gtest/gtest.h>

#include "replay/formats/bytes/file_error.hpp"
#include "replay/formats/file.hpp"
#include "replay/formats/snapshot/stacks.hpp"
#include "replay/tests/test_files.hpp"

namespace gpucheck::replay {
namespace {

using namespace std::string_literals;

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

// A pickle can name one text of a megabyte in every frame.
TEST(Stacks, KeepATextOnceHoweverOftenItIsNamed) {
  const auto length = [](std::size_t bytes) {
    std::string text(4, '\0');
    for (unsigned i = 0; i < 4; ++i) text[i] = static_cast<char>(bytes >> 8 * i & 0xffU);
    return text;
  };
  const std::string text(1'000'000, 'n');
  // The text is named by its memo number in all that follows.
  std::string pickled = "\x80\x02}(\x8c\x04textX"s + length(text.size()) + text + "q\x00\x8c\x08segments]\x8c\x0d"s +
                        "device_traces](](}(\x8c\x06" + "action\x8c\x05" + "alloc\x8c\x04" +
                        "addrK\x01\x8c\x04sizeK\x08\x8c\x06streamK\x00\x8c\x06"s + "frames](";
  constexpr unsigned count = 400;
  for (unsigned i = 0; i < count; ++i) {
    pickled +=
        "}(\x8c\x04nameh\x00\x8c\x08"
        "filenameh\x00\x8c\x04lineM"s +
        static_cast<char>(i & 0xffU) + static_cast<char>(i >> 8U) + "u";
  }
  pickled += "eueeu.";
  const Snapshot snapshot = read_snapshot_bytes("snapshot", pickled);
  ASSERT_EQ(snapshot.stacks.frames.size(), count);
  for (const StackFrame& frame : snapshot.stacks.frames) {
    EXPECT_EQ(frame.name.size(), FrameTexts::longest);
    EXPECT_EQ(frame.name.data(), snapshot.stacks.frames[0].name.data());
    EXPECT_EQ(frame.filename.data(), frame.name.data());
  }
}

TEST(Stacks, TextsAreCutBetweenCharacters) {
  FrameTexts texts;
  const std::string text = std::string(FrameTexts::longest - 1, 'n') + "\xc3\xa9";
  EXPECT_EQ(texts.add(text), text.substr(0, FrameTexts::longest - 1));
  EXPECT_EQ(texts.add("short"), "short");
  const FrameTexts copy = texts;
  EXPECT_EQ(texts.add("short").data(), FrameTexts(copy).add("short").data());
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
      << "a trace is not a snapshot";
}

}  // namespace
}  // namespace gpucheck::replay
