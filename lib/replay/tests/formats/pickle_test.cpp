#include <gtest/gtest.h>
#include <string>

#include "replay/formats/bytes/file_error.hpp"
#include "replay/formats/file.hpp"
#include "replay/formats/pickle/cursor.hpp"
#include "replay/formats/pickle/readers.hpp"
#include "replay/tests/test_files.hpp"

namespace gpucheck::replay {
namespace {

using namespace std::string_literals;

/// The only item of a pickled one-item list.
template <typename Read>
auto read_item(const std::string& opcodes, Read&& read) {
  Document document("test", "\x80\x02]"s + opcodes + "a.");
  read_pickle(document, {});
  Walk walk(document);
  decltype(read(Cursor(walk))) result{};
  Cursor(walk).for_each_item([&](const Cursor& item) { result = read(item); });
  return result;
}

std::uint64_t offset_of_pickle_error(const std::string& bytes, const ReadLimits& limits = {}) {
  Document document("test", bytes);
  try {
    read_pickle(document, limits);
  } catch (const FileError& error) {
    EXPECT_EQ(error.file(), "test");
    return error.offset();
  }
  ADD_FAILURE() << "nothing was rejected";
  return 0;
}

class PickleProtocol : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(WrittenByPython, PickleProtocol, testing::Values(2, 3, 4, 5));

TEST_P(PickleProtocol, MeansWhatTheJsonMeans) {
  const auto pickled =
      std::get<Snapshot>(read_file(test_file("pytorch_snapshot_protocol_" + std::to_string(GetParam()) + ".pickle")));
  const auto plain = std::get<Snapshot>(read_file(test_file("pytorch_snapshot.json")));
  ASSERT_EQ(pickled.segments.size(), 1U);
  ASSERT_EQ(pickled.segments[0].blocks.size(), 3U);
  EXPECT_EQ(pickled.segments[0].address, plain.segments[0].address);
  ASSERT_EQ(pickled.device_traces.size(), 1U);
  ASSERT_EQ(pickled.device_traces[0].size(), 16U);
  for (std::size_t i = 0; i < 16; ++i) {
    const SnapshotEvent& event = pickled.device_traces[0][i];
    const SnapshotEvent& expected = plain.device_traces[0][i];
    EXPECT_EQ(event.action, expected.action) << i;
    EXPECT_EQ(event.address, expected.address) << i;
    EXPECT_EQ(event.size, expected.size) << i;
    EXPECT_EQ(event.stream, expected.stream) << i;
    EXPECT_EQ(event.time_us, expected.time_us) << i;
  }
  EXPECT_EQ(pickled.settings.max_split_size, -1);
}

TEST_P(PickleProtocol, CutShortAnywhereIsRejected) {
  const std::string whole = bytes_of("pytorch_snapshot_protocol_" + std::to_string(GetParam()) + ".pickle");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(read_bytes("cut", whole.substr(0, length)), FileError) << length;
  }
}

TEST(Pickle, ReadsEveryFormOfWholeNumber) {
  const auto number = [](const Cursor& item) { return item.as_signed(); };
  EXPECT_EQ(read_item("K\xff", number), 255);
  EXPECT_EQ(read_item("M\xff\xff", number), 65535);
  EXPECT_EQ(read_item("J\xff\xff\xff\xff", number), -1);
  EXPECT_EQ(read_item("\x8a\x00"s, number), 0);
  EXPECT_EQ(read_item("\x8a\x01\xff", number), -1);
  EXPECT_EQ(read_item("\x8a\x02\xff\x00"s, number), 255);
  EXPECT_EQ(read_item("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80"s, number), INT64_MIN);
  EXPECT_EQ(read_item("\x8b\x02\x00\x00\x00\x00\x01"s, number), 256);
  EXPECT_EQ(
      read_item("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00"s, [](const Cursor& item) { return item.as_unsigned(); }),
      UINT64_MAX);
}

// Each opcode at both ends of its range.
TEST(Pickle, ReadsTheEndsOfEachRange) {
  const auto number = [](const Cursor& item) { return item.as_signed(); };
  EXPECT_EQ(read_item("K\x80", number), 128);
  EXPECT_EQ(read_item("M\x00\x80"s, number), 32768);
  EXPECT_EQ(read_item("J\xff\xff\xff\x7f", number), INT32_MAX);
  EXPECT_EQ(read_item("J\x00\x00\x00\x80"s, number), INT32_MIN);
  EXPECT_EQ(read_item("\x8a\x01\x80", number), -128);
  EXPECT_EQ(read_item("\x8a\x01\x7f", number), 127);
  EXPECT_EQ(read_item("\x8a\x07\xff\xff\xff\xff\xff\xff\xff", number), -1);
  EXPECT_EQ(read_item("\x8a\x07\x00\x00\x00\x00\x00\x00\x80"s, number), -(std::int64_t{1} << 55));
  EXPECT_EQ(read_item("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", number), INT64_MAX);
  EXPECT_EQ(offset_of_pickle_error("\x80\x02\x8a\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00."s), 2U) << "ten bytes";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xff."s), 2U) << "below -2^63";
  const auto text = [](const Cursor& item) { return item.as_string().size(); };
  for (const std::size_t length : {0U, 127U, 128U, 255U}) {
    EXPECT_EQ(read_item("\x8c" + std::string(1, static_cast<char>(length)) + std::string(length, 'x'), text), length);
  }
  for (const char version : {'\x02', '\x05'}) {
    Document document("test", "\x80"s + version + "].");
    EXPECT_NO_THROW(read_pickle(document, {}));
  }
  for (const char version : {'\x00', '\x01', '\x06', '\xff'}) {
    EXPECT_EQ(offset_of_pickle_error("\x80"s + version + "]."), 0U) << static_cast<int>(version);
  }
}

TEST(Pickle, ReadsTheOtherPlainValues) {
  EXPECT_EQ(read_item("G\x3f\xf8\x00\x00\x00\x00\x00\x00"s, [](const Cursor& item) { return item.as_double(); }), 1.5);
  EXPECT_TRUE(read_item("\x88", [](const Cursor& item) { return item.as_bool(); }));
  EXPECT_FALSE(read_item("\x89", [](const Cursor& item) { return item.as_bool(); }));
  EXPECT_EQ(read_item("N", [](const Cursor& item) { return item.kind(); }), Kind::null);
  const auto text = [](const Cursor& item) { return std::string(item.as_string()); };
  EXPECT_EQ(read_item("X\x02\x00\x00\x00hi"s, text), "hi");
  EXPECT_EQ(read_item("\x8c\x02hi", text), "hi");
  EXPECT_EQ(read_item("\x8d\x02\x00\x00\x00\x00\x00\x00\x00hi"s, text), "hi");
  EXPECT_EQ(read_item(")", [](const Cursor& item) { return item.kind(); }), Kind::tuple);
  EXPECT_EQ(read_item("(K\x01K\x02l", [](const Cursor& item) { return item.kind(); }), Kind::list);
  EXPECT_EQ(read_item("(\x8c\x01kNd", [](const Cursor& item) { return item.kind(); }), Kind::dictionary);
}

TEST(Pickle, RejectsWhateverCouldRunSomething) {
  // One opcode each: imports, calls, builds, extension registry, persistent objects,
  // byte strings, sets, out-of-band buffers, text forms of protocol 0.
  const std::string rejected =
      "cRbiopPQgILFSTUV012\x81\x82\x83\x84\x8e\x8f\x90\x91\x92\x93\x96\x97\x98"
      "BC"s;
  for (const char opcode : rejected) {
    EXPECT_EQ(offset_of_pickle_error("\x80\x04]"s + opcode + "os\nsystem\n."), 3U) << static_cast<int>(opcode);
  }
}

TEST(Pickle, NamesTheRejectedOpcodeAndWhatToDo) {
  Document document("evil.pickle",
                    "\x80\x02"
                    "cos\nsystem\n(X\x02\x00\x00\x00lstR."s);
  try {
    read_pickle(document, {});
    FAIL();
  } catch (const FileError& error) {
    EXPECT_STREQ(
        error.what(),
        "evil.pickle: byte 2: not a readable pickle: opcode 0x63 (GLOBAL) is rejected: only dict, list, tuple, "
        "str, int, float, bool and None are read, and nothing is ever executed; write the snapshot with "
        "torch.cuda.memory._dump_snapshot");
  }
}

TEST(Pickle, RejectsWhatIsNotWellFormed) {
  EXPECT_EQ(offset_of_pickle_error("\x80\x06]."), 0U) << "protocol 6";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02]]."), 4U) << "two values at the end";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02(]."), 4U) << "a mark left open";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02].."), 3U) << "bytes after the end";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02]a."), 3U) << "nothing to append";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02}Na."), 4U) << "append to a dict";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02]NNs."), 5U) << "set an item of a list";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02}(Nu."), 5U) << "a key without a value";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02]e."), 3U) << "appends without a mark";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02](\x85."), 4U) << "a tuple across a mark";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02]h\x07."), 3U) << "a memo that was never written";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02]r\xff\xff\xff\xff."), 3U) << "a memo number out of order";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01."s), 2U) << "beyond 64 bits";
  EXPECT_EQ(offset_of_pickle_error("\x80\x02\x8b\xff\xff\xff\x7f."), 2U) << "a number of 2 GiB";
  EXPECT_EQ(offset_of_pickle_error("\x80\x04\x95\xff\x00\x00\x00\x00\x00\x00\x00]."s), 2U) << "a frame past the end";
  EXPECT_EQ(offset_of_pickle_error("\x80\x04]\x80\x04."), 3U) << "a second protocol";
}

// An entry may be as far as the bytes read so far, and one further it may not.
TEST(Pickle, LimitsTheNumbersOfItsMemo) {
  for (const auto& [to_the_limit, beyond] :
       {std::pair{"\x80\x02]q\x03."s, "\x80\x02]q\x04."s},
        std::pair{"\x80\x02]r\x03\x00\x00\x00."s, "\x80\x02]r\x04\x00\x00\x00."s}}) {
    Document document("test", to_the_limit);
    EXPECT_NO_THROW(read_pickle(document, {}));
    EXPECT_EQ(offset_of_pickle_error(beyond), 3U);
  }
}

TEST(Pickle, LimitsHowDeepContainersNest) {
  ReadLimits limits;
  limits.depth = 3;
  EXPECT_EQ(offset_of_pickle_error("\x80\x02((((", limits), 5U);
  Document document("test", "\x80\x02(((ttt."s);
  EXPECT_NO_THROW(read_pickle(document, limits)) << "exactly as deep as may be";
}

TEST(Pickle, SharedListsAreNotCopied) {
  // Each of 30 lists names the one before ten times: written out, 10^29 values.
  std::string bytes = "\x80\x02(]q"s + '\0';
  for (char level = 1; level < 30; ++level) {
    bytes += "](";
    for (int i = 0; i < 10; ++i) bytes += "h"s + static_cast<char>(level - 1);
    bytes += "eq"s + level;
  }
  bytes += "l.";
  Document document("bomb", bytes);
  read_pickle(document, {});
  EXPECT_EQ(document.value_count(), 29U * 10U + 30U);
}

/// `names` times the memo entry `entry`, as a list.
std::string list_of_the_same(int names, char entry) {
  std::string list = "](";
  for (int i = 0; i < names; ++i) list += "h"s + entry;
  return list + "e";
}

TEST(Pickle, TheSameEventsNamedAgainAndAgainAreRejected) {
  // 1,000 devices that all name one list, which names one event 1,000 times: 4 kB for a
  // million events.
  const std::string event =
      "}(\x8c\x06"
      "action\x8c\x05"
      "alloc\x8c\x04"
      "addrK\x01\x8c\x04sizeK\x01\x8c\x06streamK\x00uq\x01"s;
  const std::string unused = "\x8c\x06unused(" + event + list_of_the_same(1000, 1) + "q\x02l";
  const std::string traces =
      "\x8c\x0d"
      "device_traces" +
      list_of_the_same(1000, 2);
  try {
    read_bytes("bomb", "\x80\x02}(" + unused + "\x8c\x08segments]" + traces + "u.");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("again and again"), std::string::npos) << error.what();
    EXPECT_TRUE(error.path().starts_with("$.device_traces[")) << error.path();
  }
}

// Each byte makes an empty list, and names it in another: some dozen bytes of memory for each of the file's.
TEST(Pickle, RejectsWhatWouldTakeFarMoreMemoryThanItsSize) {
  std::string bytes = "\x80\x02]("s;
  const std::string thousand_lists = "](" + std::string(1000, ']') + "e";
  while (bytes.size() < 8'000'000) bytes += thousand_lists;
  bytes += "e.";
  try {
    Document document("lists.pickle", bytes);
    read_pickle(document, {});
    FAIL() << "took " << document.memory_bytes() << " bytes";
  } catch (const FileError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("lists.pickle"), std::string::npos) << text;
    const std::uint64_t most = (std::uint64_t{64} << 20) + 12 * bytes.size();
    EXPECT_NE(text.find("would take more than " + std::to_string(most) + " bytes of memory"), std::string::npos)
        << text;
    EXPECT_LT(error.offset(), bytes.size()) << "not read to its end";
  }
  ReadLimits limits;
  limits.memory_per_byte = 100;
  Document document("lists.pickle", bytes);
  EXPECT_NO_THROW(read_pickle(document, limits)) << "nothing else is wrong with it";
}

TEST(Pickle, AListInsideItselfIsRejected) {
  EXPECT_THROW(read_bytes("loop",
                          "\x80\x02}\x8c\x08segments]q\x00h\x00"
                          "as."s),
               FileError);
}

}  // namespace
}  // namespace gpucheck::replay
