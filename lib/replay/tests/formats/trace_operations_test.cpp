#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "replay/formats/bytes/file_error.hpp"
#include "replay/formats/file.hpp"
#include "replay/formats/trace/operations.hpp"
#include "replay/formats/trace/trace.hpp"

namespace gpucheck::replay {
namespace {

Trace trace_of(const std::string& operations, const std::string& fields = "") {
  const std::string text = "{" + fields + R"("streams": 3, "ops": [)" + operations + "]}";
  return std::get<std::vector<Trace>>(read_bytes("trace", text)).at(0);
}
std::string path_of_operation_error(const std::string& operations, const std::string& fields = "") {
  try {
    (void)trace_of(operations, fields);
  } catch (const FileError& error) {
    return error.path();
  }
  return "nothing was rejected";
}

const std::string every_operation_in_short =
    R"(["alloc", 0, 1000, 1, 0], ["record_stream", 0, 2], ["occupy_stream", 2], ["free", 0], ["synchronize"],
       ["empty_cache"], ["reset_peak_stats"], ["reset_accumulated_stats"], ["set_memory_limit", 4096],
       ["set_memory_limit", null], ["set_settings", "a:1"], ["create_pool", 0, true], ["create_pool", 1, null, true],
       ["begin_pool", 1], ["end_pool", 1], ["delete_pool", 0], ["begin_capture", 0, 1], ["end_capture", 0],
       ["begin_capture", 1, 2, 0], ["end_capture", 1], ["replay_graph", 0], ["delete_graph", 1],
       ["alloc", 1, 5, null, null, true])";
const std::string every_operation =
    R"({"op": "alloc", "id": 0, "size": 1000, "stream": 1, "same_address_as": 0},
       {"op": "record_stream", "id": 0, "stream": 2}, {"op": "occupy_stream", "stream": 2}, {"op": "free", "id": 0},
       {"op": "synchronize"}, {"op": "empty_cache"}, {"op": "reset_peak_stats"}, {"op": "reset_accumulated_stats"},
       {"op": "set_memory_limit", "memory_limit": 4096}, {"op": "set_memory_limit", "memory_limit": null},
       {"op": "set_settings", "settings": "a:1"}, {"op": "create_pool", "pool": 0, "use_on_oom": true},
       {"op": "create_pool", "pool": 1, "no_split": true}, {"op": "begin_pool", "pool": 1},
       {"op": "end_pool", "pool": 1}, {"op": "delete_pool", "pool": 0},
       {"op": "begin_capture", "graph": 0, "stream": 1}, {"op": "end_capture", "graph": 0},
       {"op": "begin_capture", "graph": 1, "stream": 2, "shares_pool_of": 0}, {"op": "end_capture", "graph": 1},
       {"op": "replay_graph", "graph": 0}, {"op": "delete_graph", "graph": 1},
       {"op": "alloc", "id": 1, "size": 5, "oom": true})";

TEST(TraceOperations, AreReadInBothForms) {
  const std::vector<Event> expected{{1000, 0, 1, Action::allocate, false},
                                    {0, 0, 2, Action::record_stream, false},
                                    {0, 0, 2, Action::occupy_stream, false},
                                    {0, 0, 0, Action::free, false},
                                    {0, 0, 0, Action::synchronize, false},
                                    {0, 0, 0, Action::empty_cache, false},
                                    {0, 0, 0, Action::reset_peak_stats, false},
                                    {0, 0, 0, Action::reset_accumulated_stats, false},
                                    {4096, 0, 0, Action::set_memory_limit, false},
                                    {0, 0, 0, Action::set_memory_limit, false},
                                    {0, 0, 0, Action::set_settings, false},
                                    {0, 0, 0, Action::create_pool, false},
                                    {0, 1, 0, Action::create_pool, false},
                                    {0, 1, 0, Action::begin_pool, false},
                                    {0, 1, 0, Action::end_pool, false},
                                    {0, 0, 0, Action::delete_pool, false},
                                    {0, 0, 1, Action::begin_capture, false},
                                    {0, 0, 0, Action::end_capture, false},
                                    {0, 1, 2, Action::begin_capture, false},
                                    {0, 1, 0, Action::end_capture, false},
                                    {0, 0, 0, Action::replay_graph, false},
                                    {0, 1, 0, Action::delete_graph, false},
                                    {5, 1, 0, Action::allocate, true}};
  for (const std::string& form : {every_operation_in_short, every_operation}) {
    const Trace trace = trace_of(form);
    EXPECT_EQ(trace.events, expected);
    EXPECT_EQ(trace.pools, (std::vector<TracePool>{{true, false}, {false, true}}));
    EXPECT_EQ(trace.graphs, (std::vector<TraceGraph>{{std::nullopt}, {0}}));
    EXPECT_EQ(trace.later_settings, std::vector<std::string>{"a:1"});
    EXPECT_EQ(trace.expected_same_address, (std::vector<std::uint32_t>{0, Trace::no_expectation}));
  }
}

TEST(TraceOperations, AreThoseOfTheSchema) {
  std::ifstream file(GPUCHECK_REPLAY_TEST_DATA "/../../trace.schema.json");
  const auto schema = nlohmann::json::parse(file);
  const auto& properties = schema.at("definitions").at("operation").at("properties");
  std::vector<std::string> names;
  for (const OperationShape& shape : detail::operation_shapes) names.emplace_back(shape.name);
  EXPECT_EQ(properties.at("op").at("enum"), names);
  std::set<std::string> fields;
  for (const auto& [name, unused] : properties.items()) fields.insert(name);
  EXPECT_EQ(fields, std::set<std::string>(operation_field_names.begin(), operation_field_names.end()));
}

TEST(TraceOperations, AShortOneMustBeWhole) {
  EXPECT_EQ(path_of_operation_error(R"(["alloc", 0])"), "$.ops[0]") << "no size";
  EXPECT_EQ(path_of_operation_error(R"(["alloc", null, 5])"), "$.ops[0]") << "no id";
  EXPECT_EQ(path_of_operation_error(R"([])"), "$.ops[0]");
  EXPECT_EQ(path_of_operation_error(R"(["synchronize", 1])"), "$.ops[0][1]");
  EXPECT_EQ(path_of_operation_error(R"(["alloc", 0, 5, 7])"), "$.ops[0][3]") << "stream";
  EXPECT_EQ(path_of_operation_error(R"(["set_memory_limit"])"), "$.ops[0]");
  EXPECT_EQ(path_of_operation_error(R"(["move"])"), "$.ops[0][0]");
}

TEST(TraceOperations, PoolsMustExist) {
  const std::string pool = R"(["create_pool", 0],)";
  EXPECT_EQ(path_of_operation_error(R"(["create_pool", 1])"), "$.ops[0]");
  EXPECT_EQ(path_of_operation_error(R"(["begin_pool", 0])"), "$.ops[0]");
  EXPECT_EQ(path_of_operation_error(pool + R"(["end_pool", 0])"), "$.ops[1]");
  EXPECT_EQ(path_of_operation_error(pool + R"(["begin_pool", 0], ["begin_pool", 0])"), "$.ops[2]");
  EXPECT_EQ(path_of_operation_error(pool + R"(["begin_pool", 0], ["delete_pool", 0])"), "$.ops[2]") << "still routed";
  EXPECT_EQ(path_of_operation_error(pool + R"(["delete_pool", 0], ["begin_pool", 0])"), "$.ops[2]");
}

TEST(TraceOperations, GraphsMustBeCaptured) {
  const std::string begin = R"(["begin_capture", 0, 1],)";
  EXPECT_EQ(path_of_operation_error(R"(["begin_capture", 0, 0])"), "$.ops[0]")
      << "the default stream cannot be captured";
  EXPECT_EQ(path_of_operation_error(R"(["begin_capture", 1, 1])"), "$.ops[0]");
  EXPECT_EQ(path_of_operation_error(R"(["begin_capture", 0, 1, 0])"), "$.ops[0]") << "shares its own pool";
  EXPECT_EQ(path_of_operation_error(begin + R"(["begin_capture", 1, 1])"), "$.ops[1]");
  EXPECT_EQ(path_of_operation_error(begin + R"(["replay_graph", 0])"), "$.ops[1]");
  EXPECT_EQ(path_of_operation_error(begin + R"(["end_capture", 1])"), "$.ops[1]");
  EXPECT_EQ(path_of_operation_error(R"(["begin_capture", 0, 1])"), "$.ops") << "never ends";
  const std::string captured = begin + R"(["end_capture", 0], ["delete_graph", 0],)";
  EXPECT_EQ(path_of_operation_error(captured + R"(["replay_graph", 0])"), "$.ops[3]");
  EXPECT_EQ(path_of_operation_error(captured + R"(["begin_capture", 1, 1, 0])"), "$.ops[3]");
}

TEST(TraceExpectations, MayBeTheChangesAndMayBeAbsent) {
  const std::string keys = R"("stat_keys": ["num_ooms", "active.all.current", "num_alloc_retries"], )";
  const std::string three = R"(["synchronize"], ["synchronize"], ["synchronize"])";
  const Trace changes = trace_of(three, keys + R"("stat_changes_after_op": [[4, 5], null, [-1, 0, 2]], )");
  EXPECT_EQ(changes.expected_statistics, (std::vector<std::int64_t>{4, 5, 0, 4, 5, 0, 3, 5, 2}));
  EXPECT_EQ(changes.unrecorded_steps, std::vector<std::size_t>{1});
  const Trace values = trace_of(three, keys + R"("stats_after_op": [[4, 5, 0], null, [3, 5, 2]], )");
  EXPECT_EQ(values.expected_statistics, changes.expected_statistics);
  EXPECT_EQ(values.unrecorded_steps, changes.unrecorded_steps);
  EXPECT_EQ(path_of_operation_error(three, keys + R"("stat_changes_after_op": [[], [], [1, 2, 3, 4]], )"),
            "$.stat_changes_after_op[2]");
  EXPECT_EQ(path_of_operation_error(three, keys + R"("stat_changes_after_op": [[], []], )"), "$.stat_changes_after_op");
  EXPECT_EQ(path_of_operation_error(R"(["synchronize"])", keys + R"("stats_after_op": [[1, 2, 3]],
                                                       "stat_changes_after_op": [[1]], )"),
            "$.stat_changes_after_op");
}

TEST(TraceOfPinnedMemory, HasStatisticsOfItsOwn) {
  const std::string pinned = R"("memory": "pinned", )";
  const std::string row = R"("stats_after_op": [[1]], )";
  const Trace trace = trace_of(R"(["synchronize"])", pinned + R"("stat_keys": ["num_host_free"], )" + row);
  EXPECT_EQ(trace.memory, MemoryKind::pinned);
  EXPECT_EQ(trace.statistic_columns, std::vector<std::uint8_t>{9});
  const std::string sync = R"(["synchronize"])";
  EXPECT_EQ(path_of_operation_error(sync, pinned + R"("stat_keys": ["num_ooms"], )" + row), "$");
  EXPECT_EQ(path_of_operation_error(sync, R"("stat_keys": ["num_host_free"], )" + row), "$") << "device memory";
  EXPECT_EQ(path_of_operation_error(sync, R"("stat_keys": ["num_host_free", "num_ooms"], )" + row), "$.stat_keys[1]");
  EXPECT_EQ(path_of_operation_error(sync, pinned + R"("final_memory_stats": {}, )"), "$");
  EXPECT_EQ(path_of_operation_error(sync, pinned + R"("memory_limit": 5, )"), "$");
  EXPECT_EQ(path_of_operation_error(sync, R"("memory": "paged", )"), "$.memory");
}

}  // namespace
}  // namespace gpucheck::replay
