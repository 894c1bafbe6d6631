#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "json_schema.hpp"
#include "replay/tests/test_files.hpp"

// trace.schema.json fits the recorded traces, and not what the reader rejects for its form.
namespace gpucheck::replay {
namespace {

using nlohmann::json;
using testing_support::read_json;

const testing_support::JsonSchema& schema() {
  static const testing_support::JsonSchema loaded(test_file("../../trace.schema.json"));
  return loaded;
}

json sound_trace() {
  return {{"ops", {{"alloc", 0, 5}, {{"op", "free"}, {"id", 0}}}},
          {"stat_keys", {"num_ooms"}},
          {"stats_after_op", {{0}, nullptr}}};
}

/// The trace with the first operation of each form, and its first rows: all of them would
/// take a sanitized build minutes.
json one_of_each(json trace) {
  std::set<json> forms;
  json first = json::array();
  for (const json& operation : trace.at("ops")) {
    json form =
        operation.is_array() ? json::array({operation.at(0), operation.size()}) : json::array({operation.at("op")});
    if (operation.is_object()) {
      for (const auto& [key, unused] : operation.items()) form.push_back(key);
    }
    if (forms.insert(form).second) first.push_back(operation);
  }
  trace["ops"] = first;
  for (const char* rows : {"stats_after_op", "stat_changes_after_op"}) {
    if (trace.contains(rows) && trace[rows].size() > 10) trace[rows].erase(trace[rows].begin() + 10, trace[rows].end());
  }
  return trace;
}

class RecordedFiles : public testing::TestWithParam<const char*> {};

TEST_P(RecordedFiles, FitTheSchema) {
  const json traces = read_json(test_file(GetParam()));
  ASSERT_FALSE(traces.empty());
  for (const json& trace : traces) EXPECT_EQ(schema().complaints(one_of_each(trace)), "") << trace["name"];
}

INSTANTIATE_TEST_SUITE_P(TraceSchema, RecordedFiles,
                         testing::Values("pytorch_traces.json", "../../recorded/pytorch_caching.json",
                                         "../../recorded/pytorch_pools.json", "../../recorded/pytorch_graphs.json",
                                         "../../recorded/pytorch_pinned.json"));

TEST(TraceSchema, FitsATraceAloneAndAListUnderTraces) {
  EXPECT_EQ(schema().complaints(sound_trace()), "");
  EXPECT_EQ(schema().complaints({{"traces", {sound_trace()}}}), "");
}

class UnsoundTrace : public testing::TestWithParam<const char*> {};

TEST_P(UnsoundTrace, DoesNotFitTheSchema) {
  json trace = sound_trace();
  trace.update(json::parse(GetParam()));
  EXPECT_NE(schema().complaints(trace), "");
}

INSTANTIATE_TEST_SUITE_P(
    TraceSchema, UnsoundTrace,
    testing::Values(R"({"ops": [["move", 0]]})", R"({"ops": [["alloc", 0]]})", R"({"ops": [{"op": "alloc", "id": 0}]})",
                    R"({"ops": [["begin_capture", 0, 0]]})", R"({"ops": [["free", -1]]})",
                    R"({"ops": [["synchronize", 1]]})", R"({"memory": "paged"})", R"({"memory": "pinned"})",
                    R"({"stat_keys": ["num_host_alloc"]})", R"({"stat_changes_after_op": [[0]]})", R"({"streams": 0})",
                    R"({"baseline": [512]})", R"({"memory_limit": -1})",
                    R"({"final_segments": [{"size": 1, "stream0": true, "type": "huge", "blocks": []}]})"));

}  // namespace
}  // namespace gpucheck::replay
