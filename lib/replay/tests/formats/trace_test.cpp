#include "replay/formats/trace/trace.hpp"

#include <gtest/gtest.h>

#include "replay/formats/bytes/file_error.hpp"
#include "replay/formats/file.hpp"
#include "replay/tests/test_files.hpp"

namespace gpucheck::replay {
namespace {

Trace with_operations(const std::string& operations, const std::string& fields = "") {
  const std::string text = R"({"name": "t", )" + fields + R"("ops": [)" + operations + "]}";
  return std::get<std::vector<Trace>>(read_bytes("trace", text)).at(0);
}
std::string path_of_error(const std::string& operations, const std::string& fields = "") {
  try {
    with_operations(operations, fields);
  } catch (const FileError& error) {
    return error.path();
  }
  return "nothing was rejected";
}

TEST(TraceReader, HoldsWhatPyTorchWrote) {
  const auto traces = std::get<std::vector<Trace>>(read_file(test_file("pytorch_traces.json")));
  ASSERT_EQ(traces.size(), 3U);
  const Trace& trace = traces[2];
  EXPECT_EQ(trace.name, "limit_2g_large");
  EXPECT_EQ(trace.settings, "");
  EXPECT_EQ(trace.memory_limit_bytes, 2147483647U);
  EXPECT_EQ(trace.stream_count, 2U);
  ASSERT_EQ(trace.events.size(), 230U);
  EXPECT_EQ(trace.statistic_columns.size(), 11U);
  EXPECT_EQ(trace.expected_statistics.size(), 230U * 11U);
  EXPECT_TRUE(trace.events[213].expect_out_of_memory);
  EXPECT_EQ(trace.events[32].action, Action::empty_cache);
  EXPECT_EQ(trace.expected_same_address.size(), trace.allocation_count);
}

TEST(TraceReader, ReadsEveryOperation) {
  const Trace trace = with_operations(
      R"({"op": "alloc", "id": 0, "size": 1000, "stream": 1, "same_address_as": 0},
         {"op": "record_stream", "id": 0, "stream": 2}, {"op": "free", "id": 0}, {"op": "synchronize"},
         {"op": "empty_cache"}, {"op": "alloc", "id": 1, "size": 5, "stream": 0, "oom": true})",
      R"("streams": 3, "settings": null, )");
  const std::vector<Event> expected{{1000, 0, 1, Action::allocate, false}, {0, 0, 2, Action::record_stream, false},
                                    {0, 0, 0, Action::free, false},        {0, 0, 0, Action::synchronize, false},
                                    {0, 0, 0, Action::empty_cache, false}, {5, 1, 0, Action::allocate, true}};
  EXPECT_EQ(trace.events, expected);
  EXPECT_EQ(trace.allocation_count, 2U);
  EXPECT_EQ(trace.expected_same_address, (std::vector<std::uint32_t>{0, Trace::no_expectation}));
}

TEST(TraceReader, DoesWithoutNameStreamsAndStream) {
  const std::string operations = R"("ops": [{"op": "alloc", "id": 0, "size": 1},
      {"op": "alloc", "id": 1, "size": 1, "stream": 4}])";
  for (const std::string& text :
       {"{" + operations + "}", "[{" + operations + "}]", R"({"made_by": "me", "traces": [{)" + operations + "}]}"}) {
    const auto traces = std::get<std::vector<Trace>>(read_bytes("file", text));
    ASSERT_EQ(traces.size(), 1U) << text;
    EXPECT_EQ(traces[0].stream_count, 5U);
    EXPECT_EQ(traces[0].events[0].stream, 0);
    EXPECT_TRUE(traces[0].name.starts_with("trace")) << traces[0].name;
  }
  EXPECT_THROW(read_bytes("file", R"({"traces": []})"), FileError);
  EXPECT_EQ(path_of_error(R"({"op": "alloc", "id": 0, "size": 1}, {"op": "record_stream", "id": 0})"), "$.ops[1]");
}

TEST(TraceReader, RejectsOperationsThatMakeNoSense) {
  const std::string alloc = R"({"op": "alloc", "id": 0, "size": 1, "stream": 0})";
  EXPECT_EQ(path_of_error(R"({"op": "move", "id": 0})"), "$.ops[0].op");
  EXPECT_EQ(path_of_error(R"({"id": 0})"), "$.ops[0]");
  EXPECT_EQ(path_of_error(R"({"op": "alloc", "id": 0, "stream": 0})"), "$.ops[0]") << "no size";
  EXPECT_EQ(path_of_error(R"({"op": "alloc", "id": 1, "size": 1, "stream": 0})"), "$.ops[0]") << "ids count from 0";
  EXPECT_EQ(path_of_error(R"({"op": "alloc", "id": 0, "size": 1, "stream": 1})", R"("streams": 1, )"),
            "$.ops[0].stream");
  EXPECT_EQ(path_of_error(alloc + "," + alloc), "$.ops[1]") << "allocated twice";
  EXPECT_EQ(path_of_error(R"({"op": "free", "id": 0})"), "$.ops[0]") << "never allocated";
  const std::string free = R"({"op": "free", "id": 0})";
  EXPECT_EQ(path_of_error(alloc + "," + free + "," + free), "$.ops[2]") << "freed twice";
  EXPECT_EQ(path_of_error(R"({"op": "alloc", "id": 0, "size": 1, "stream": 0, "oom": true},)" + free), "$.ops[1]");
}

TEST(TraceReader, RejectsExpectationsThatMakeNoSense) {
  const std::string keys = R"("stat_keys": ["num_ooms", "active.all.current"], "stats_after_op": )";
  const std::string sync = R"({"op": "synchronize"})";
  const Trace trace = with_operations(sync, keys + "[[4, 5]], ");
  EXPECT_EQ(trace.statistic_columns, (std::vector<std::uint8_t>{10, 7}));
  EXPECT_EQ(trace.expected_statistics, (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(path_of_error(sync, keys + "[[4, 5], [4, 5]], "), "$.stats_after_op") << "more rows than steps";
  EXPECT_EQ(path_of_error(sync, keys + "[[4]], "), "$.stats_after_op[0]");
  EXPECT_EQ(path_of_error(sync, R"("stat_keys": ["temperature"], "stats_after_op": [[4]], )"), "$.stat_keys[0]");
  EXPECT_EQ(path_of_error(sync, R"("stats_after_op": [[4]], )"), "$") << "no stat_keys";
  EXPECT_EQ(path_of_error(sync, R"("baseline": [0, 512], )"), "$.baseline[1]");
  EXPECT_EQ(path_of_error(sync, R"("streams": 0, )"), "$.streams");
}

/// Their numbers are 16 bits, of which one stands for no stream.
TEST(TraceReader, TakesAsManyStreamsAsHaveNumbers) {
  EXPECT_EQ(with_operations("", R"("streams": 65534, )").stream_count, 65534U);
  EXPECT_EQ(path_of_error("", R"("streams": 65535, )"), "$.streams");
}

TEST(TraceReader, ReadsTheFinalState) {
  const Trace trace = with_operations("", R"("final_memory_stats": {"b": 2, "a": 1}, "final_segments": [{"size": 2048,
      "stream0": false, "type": "large", "blocks": [[2048, 7, "inactive"]]}], )");
  EXPECT_EQ(trace.final_statistics, (std::vector<NamedStatistic>{{"a", 1}, {"b", 2}}));
  EXPECT_EQ(trace.final_segments, (std::vector<SegmentLayout>{{2048, false, true, {{2048, 7, "inactive"}}}}));
  EXPECT_EQ(path_of_error("", R"("final_segments": [{"size": 1, "stream0": true, "type": "x", "blocks": []}], )"),
            "$.final_segments[0].type");
  EXPECT_EQ(path_of_error("", R"("final_segments": [{"size": 1, "stream0": true, "type": "small",
      "blocks": [[1, 2]]}], )"),
            "$.final_segments[0].blocks[0]");
}

TEST(TraceReader, FieldsMayStandInAnyOrder) {
  const auto traces = std::get<std::vector<Trace>>(read_bytes("any order", R"([{
    "stats_after_op": [[512], [0]], "ops": [{"stream": 2, "size": 3, "id": 0, "op": "alloc"}, {"id": 0, "op": "free"}],
    "stat_keys": ["allocated_bytes.all.current"], "streams": 3, "name": "backwards"}])"));
  ASSERT_EQ(traces.size(), 1U);
  EXPECT_EQ(traces[0].name, "backwards");
  EXPECT_EQ(traces[0].stream_count, 3U);
  EXPECT_EQ(traces[0].events.at(0), (Event{3, 0, 2, Action::allocate, false}));
  EXPECT_EQ(traces[0].expected_statistics, (std::vector<std::int64_t>{512, 0}));
}

TEST(TraceReader, AStreamTooManyIsFoundWhereverTheirNumberStands) {
  for (const char* text : {R"({"streams": 2, "ops": [{"op": "alloc", "id": 0, "size": 1, "stream": 2}]})",
                           R"({"ops": [{"op": "alloc", "id": 0, "size": 1, "stream": 2}], "streams": 2})"}) {
    try {
      read_bytes("streams", text);
      FAIL() << text;
    } catch (const FileError& error) {
      EXPECT_EQ(error.path(), "$.ops[0].stream");
      EXPECT_EQ(error.offset(), std::string_view(text).find("2}]"));
    }
  }
}

TEST(TraceReader, WithoutOperationsItIsRejected) {
  EXPECT_THROW(read_bytes("none", R"({"ops": null})"), FileError);
  EXPECT_THROW(read_bytes("none", R"([{"ops": [], "stats_after_op": []}])"), FileError) << "no stat_keys";
}

}  // namespace
}  // namespace gpucheck::replay
