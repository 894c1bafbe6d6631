#include "replay/analysis/object_names.hpp"

#include <gtest/gtest.h>

#include "replay/formats/file.hpp"

namespace gpucheck::replay {
namespace {

Snapshot with_objects() {
  return read_snapshot_bytes("snapshot", R"({"segments": [], "gpucheck_objects": {
      "streams": [{"device": 0, "stream": 4096, "stream_id": 5, "name": "priority -1, stream 0"},
                  {"device": 1, "stream": 8192, "stream_id": 3, "name": "priority 0, stream 0"}],
      "pools": [{"device": 0, "segment_pool_id": [1, 0], "use_count": 1, "graphs": [7]},
                {"device": 0, "segment_pool_id": [0, 1], "use_count": 4, "graphs": [7, 8]},
                {"device": 0, "segment_pool_id": [0, 2], "use_count": 1, "graphs": []},
                {"device": 0, "segment_pool_id": [2, 0], "use_count": 0, "graphs": []},
                {"device": 0, "segment_pool_id": [0, 3], "use_count": 6, "graphs": [1, 2, 3, 4, 5, 6]},
                {"device": 1, "segment_pool_id": [9, 0], "use_count": 1, "graphs": [9]}]}})");
}

TEST(ObjectNames, OfAFileThatTellsThem) {
  const Snapshot snapshot = with_objects();
  const ObjectNames names(snapshot, 0);
  EXPECT_EQ(names.stream(4096), "5 (priority -1, stream 0)");
  EXPECT_EQ(names.pool({0, 0}), "default");
  EXPECT_EQ(names.pool({1, 0}), "private (1, 0) of graph 7");
  EXPECT_EQ(names.pool({0, 1}), "private (0, 1) of graphs 7, 8, 2 other uses");
  EXPECT_EQ(names.pool({0, 2}), "private (0, 2), 1 other use");
  EXPECT_EQ(names.pool({2, 0}), "private (2, 0), released");
  EXPECT_EQ(names.pool({0, 3}), "private (0, 3) of graphs 1, 2, 3, 4 and 2 more");
}

TEST(ObjectNames, AreThoseOfTheDevice) {
  const Snapshot snapshot = with_objects();
  EXPECT_EQ(ObjectNames(snapshot, 0).stream(8192), "0x2000");
  EXPECT_EQ(ObjectNames(snapshot, 1).stream(8192), "3 (priority 0, stream 0)");
  EXPECT_EQ(ObjectNames(snapshot, 0).find_pool({9, 0}), nullptr);
  EXPECT_EQ(ObjectNames(snapshot, 1).users({9, 0}), " of graph 9");
}

TEST(ObjectNames, OfAFileThatDoesNot) {
  const Snapshot snapshot = read_snapshot_bytes("snapshot", R"({"segments": []})");
  const ObjectNames names(snapshot, 0);
  EXPECT_EQ(names.stream(0), "0x0");
  EXPECT_EQ(names.pool({1, 0}), "private (1, 0) of a graph");
  EXPECT_EQ(names.pool({0, 1}), "private (0, 1), made to be shared");
  EXPECT_EQ(names.pool({1, 2}), "private (1, 2)");
}

}  // namespace
}  // namespace gpucheck::replay
