#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "observe/snapshot/json_writer.hpp"
#include "observe/snapshot/pickle_writer.hpp"
#include "observe/snapshot/snapshot_file.hpp"

// The bytes of both formats, written by hand: pickle as the comments of Python's pickletools have its opcodes.
namespace gpucheck::observe::test {
namespace {

using namespace std::string_literals;

/// What is written between a pickle's first two bytes and its last.
template <typename Write>
std::string pickled(Write write) {
  std::ostringstream bytes;
  detail::PickleWriter writer(bytes);
  write(writer);
  writer.finish();
  const std::string all = bytes.str();
  EXPECT_EQ(all.substr(0, 2), "\x80\x02"s);
  EXPECT_EQ(all.back(), '.');
  return all.substr(2, all.size() - 3);
}

std::string pickled_integer(std::int64_t value) {
  return pickled([value](detail::PickleWriter& out) { out.integer(value); });
}

// Each form of integers at the ends of its range: one byte, two, four, and as many as it takes.
TEST(PickleBytes, OfIntegersAreTheShortest) {
  EXPECT_EQ(pickled_integer(0), "K\x00"s);
  EXPECT_EQ(pickled_integer(255), "K\xff"s);
  EXPECT_EQ(pickled_integer(256), "M\x00\x01"s);
  EXPECT_EQ(pickled_integer(65'535), "M\xff\xff"s);
  EXPECT_EQ(pickled_integer(65'536), "J\x00\x00\x01\x00"s);
  EXPECT_EQ(pickled_integer(std::numeric_limits<std::int32_t>::max()), "J\xff\xff\xff\x7f"s);
  EXPECT_EQ(pickled_integer(std::int64_t{1} << 31U), "\x8a\x05\x00\x00\x00\x80\x00"s);
  EXPECT_EQ(pickled_integer(-1), "J\xff\xff\xff\xff"s);
  EXPECT_EQ(pickled_integer(std::numeric_limits<std::int32_t>::min()), "J\x00\x00\x00\x80"s);
  EXPECT_EQ(pickled_integer(std::int64_t{std::numeric_limits<std::int32_t>::min()} - 1),
            "\x8a\x08\xff\xff\xff\x7f\xff\xff\xff\xff"s);
  EXPECT_EQ(pickled([](detail::PickleWriter& out) { out.unsigned_integer(~std::uint64_t{0}); }),
            "\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00"s);
}

TEST(PickleBytes, OfOtherValues) {
  EXPECT_EQ(pickled([](detail::PickleWriter& out) { out.boolean(true); }), "\x88"s);
  EXPECT_EQ(pickled([](detail::PickleWriter& out) { out.boolean(false); }), "\x89"s);
  EXPECT_EQ(pickled([](detail::PickleWriter& out) { out.floating_point(0.5); }), "G\x3f\xe0\x00\x00\x00\x00\x00\x00"s);
  EXPECT_EQ(pickled([](detail::PickleWriter& out) { out.pair(1, 256); }), "K\x01M\x00\x01\x86"s);
  EXPECT_EQ(pickled([](detail::PickleWriter& out) { out.string("ab"); }),
            "X\x02\x00\x00\x00"
            "abq\x00"s);
}

// A list and a dictionary of nothing have no mark; a text that comes again is the first one.
TEST(PickleBytes, OfListsAndDictionaries) {
  EXPECT_EQ(pickled([](detail::PickleWriter& out) {
              out.begin_list();
              out.end_list();
            }),
            "]"s);
  EXPECT_EQ(pickled([](detail::PickleWriter& out) {
              out.begin_dictionary();
              out.end_dictionary();
            }),
            "}"s);
  EXPECT_EQ(pickled([](detail::PickleWriter& out) {
              out.begin_list();
              out.boolean(true);
              out.begin_dictionary();
              out.key("a");
              out.integer(1);
              out.key("b");
              out.string("a");
              out.end_dictionary();
              out.end_list();
            }),
            "](\x88}(X\x01\x00\x00\x00"
            "aq\x00K\x01X\x01\x00\x00\x00"
            "bq\x01h\x00ue"s);
}

// At most a thousand at once.
TEST(PickleBytes, OfLongListsComeInParts) {
  const auto list_of = [](int items) {
    return pickled([items](detail::PickleWriter& out) {
      out.begin_list();
      for (int i = 0; i < items; ++i) out.boolean(true);
      out.end_list();
    });
  };
  const std::string thousand(1'000, '\x88');
  EXPECT_EQ(list_of(1'000), "](" + thousand + "e");
  EXPECT_EQ(list_of(1'001), "](" + thousand +
                                "e(\x88"
                                "e");
}

// From the 257th on the number of what is kept takes four bytes, in both places.
TEST(PickleBytes, OfTextsThatComeAgain) {
  const std::string bytes = pickled([](detail::PickleWriter& out) {
    out.begin_list();
    for (int i = 0; i <= 256; ++i) out.string("s" + std::to_string(i));
    out.string("s0");
    out.string("s255");
    out.string("s256");
    out.end_list();
  });
  const std::string end =
      "s255q\xffX\x04\x00\x00\x00"
      "s256r\x00\x01\x00\x00h\x00h\xffj\x00\x01\x00\x00"
      "e"s;
  ASSERT_GT(bytes.size(), end.size());
  EXPECT_EQ(bytes.substr(bytes.size() - end.size()), end);
}

// What is shared is written once; where it comes again it is an item like others.
TEST(PickleBytes, OfWhatIsShared) {
  EXPECT_EQ(pickled([](detail::PickleWriter& out) {
              out.begin_list();
              for (int i = 0; i < 2; ++i) {
                if (out.repeat(7)) continue;
                out.begin_shared(7);
                out.begin_list();
                out.end_list();
                out.end_shared();
              }
              EXPECT_FALSE(out.repeat(8));
              out.end_list();
            }),
            "](]q\x00h\x00"
            "e"s);
}

/// A snapshot of device 1 with one of everything, and two where a list can hold more.
MemorySnapshot small_snapshot() {
  MemorySnapshot snapshot;
  snapshot.device_ordinal = 1;
  snapshot.stacks.push_back({Frame{.name = "allocate", .filename = "a.cpp", .line = 12}});
  snapshot.segments.push_back({.info = {.address = 4'096,
                                        .total_size = 2'097'152,
                                        .allocated_size = 1'024,
                                        .active_size = 1'536,
                                        .requested_size = 1'000,
                                        .stream = {9},
                                        .is_large = true,
                                        .pool = {.first = 3, .second = 4},
                                        .is_expandable = true,
                                        .blocks = {{.address = 4'096,
                                                    .size = 1'024,
                                                    .requested_size = 1'000,
                                                    .state = runtime::BlockState::active_allocated}}},
                               .stack = 0,
                               .block_stacks = {1}});
  snapshot.trace.push_back({.action = runtime::MemoryAction::alloc,
                            .address = 4'096,
                            .size = 1'024,
                            .stream = {9},
                            .pool = {},
                            .time_us = 77,
                            .stack = 1,
                            .compile_context = "c",
                            .user_metadata = "m"});
  snapshot.annotations = {{.name = "step", .stage = AnnotationStage::start, .time_us = 70},
                          {.name = "step", .stage = AnnotationStage::end, .time_us = 80}};
  snapshot.streams = {{.stream = {9}, .id = 35, .name = "priority 0, stream 1"},
                      {.stream = {}, .id = 0, .name = "default"}};
  snapshot.pools = {{.pool = {.first = 3, .second = 4}, .use_count = 2, .graphs = {5, 6}}};
  return snapshot;
}

TEST(SnapshotJson, HasEveryNumberOfASnapshot) {
  std::ostringstream text;
  write_json(small_snapshot(), text);
  const nlohmann::json seen = nlohmann::json::parse(text.str());
  const nlohmann::json& segment = seen.at("segments").at(0);
  EXPECT_EQ(segment, nlohmann::json::parse(R"({"device": 1, "address": 4096, "total_size": 2097152,
      "allocated_size": 1024, "active_size": 1536, "requested_size": 1000, "stream": 9, "segment_type": "large",
      "segment_pool_id": [3, 4], "is_expandable": true, "frames": [],
      "blocks": [{"address": 4096, "size": 1024, "requested_size": 1000, "state": "active_allocated",
                  "frames": [{"name": "allocate", "filename": "a.cpp", "line": 12}]}]})"));
  ASSERT_EQ(seen.at("device_traces").size(), 2U);
  EXPECT_TRUE(seen.at("device_traces").at(0).empty());
  EXPECT_EQ(seen.at("device_traces").at(1), nlohmann::json::parse(R"([{"action": "alloc", "addr": 4096, "size": 1024,
      "stream": 9, "time_us": 77, "compile_context": "c", "user_metadata": "m",
      "frames": [{"name": "allocate", "filename": "a.cpp", "line": 12}]}])"));
  EXPECT_EQ(seen.at("external_annotations"), nlohmann::json::parse(R"([
      {"name": "step", "stage": "START", "device": 1, "time_us": 70},
      {"name": "step", "stage": "END", "device": 1, "time_us": 80}])"));
  EXPECT_EQ(seen.at("gpucheck_objects"), nlohmann::json::parse(R"({
      "streams": [{"device": 1, "stream": 9, "stream_id": 35, "name": "priority 0, stream 1"},
                  {"device": 1, "stream": 0, "stream_id": 0, "name": "default"}],
      "pools": [{"device": 1, "segment_pool_id": [3, 4], "use_count": 2, "graphs": [5, 6]}]})"));
}

}  // namespace
}  // namespace gpucheck::observe::test
