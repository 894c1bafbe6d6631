#include <array>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "device/sim/machine/race_detector.hpp"
#include "device/sim/memory/device_memory.hpp"
#include "device/sim/memory/free_ranges.hpp"
#include "device/sim/memory/host_memory.hpp"
#include "device/sim/time/vector_clock.hpp"
#include "device/sim/work/graph.hpp"

namespace gpucheck::sim {
namespace {

using device::Status;
using namespace literals;

TEST(VectorClock, KnowsWhatItJoined) {
  VectorClock left;
  VectorClock right;
  left.advance({5, 3});
  right.advance({2, 7});
  right.advance({5, 1});
  left.join(right);
  EXPECT_TRUE(left.covers({2, 7}));
  EXPECT_TRUE(left.covers({5, 3}));
  EXPECT_FALSE(left.covers({2, 8}));
  EXPECT_FALSE(left.covers({5, 4}));
  EXPECT_FALSE(left.covers({1, 1}));
  EXPECT_FALSE(right.covers({5, 3}));
}

TEST(DeviceMemory, DoesNotCallItOutOfMemoryWhenTheHostGivesNoAddresses) {
  DeviceMemory memory(std::uint64_t{1} << 55, 0);  // no process has four times as many
  EXPECT_THROW(static_cast<void>(memory.allocate(512)), EnvironmentError);
}

TEST(VectorClock, NeverForgets) {
  VectorClock clock;
  clock.advance({1, 9});
  clock.advance({1, 4});
  EXPECT_TRUE(clock.covers({1, 9}));
}

TEST(FreeRanges, TakeTheBestFitAndMergeNeighbours) {
  FreeRanges ranges;
  ranges.insert({1000, 100});
  ranges.insert({2000, 50});
  EXPECT_EQ(ranges.allocate(40), 2000U);
  EXPECT_EQ(ranges.allocate(60), 1000U);
  EXPECT_EQ(ranges.allocate(60), std::nullopt);
  EXPECT_EQ(ranges.insert({1000, 60}).bytes, 100U);
  EXPECT_EQ(ranges.insert({1100, 10}).bytes, 110U);
}

TEST(FreeRanges, ARangeCanBeCutOut) {
  FreeRanges ranges;
  ranges.insert({100, 100});
  ranges.remove({140, 20});
  EXPECT_EQ(ranges.by_address(), (std::map<std::uintptr_t, std::uint64_t>{{100, 40}, {160, 40}}));
}

TEST(DeviceMemoryPart, SmallAllocationsShareAPageAndReturnIt) {
  DeviceMemory memory(16_MiB, 0);
  const auto first = memory.allocate(1);
  const auto second = memory.allocate(1_MiB);
  EXPECT_EQ(memory.free_bytes(), 14_MiB);
  EXPECT_EQ(first->begin % allocation_alignment, 0U);
  EXPECT_EQ(memory.allocate(1_MiB + 1)->begin % page_bytes, 0U);
  memory.release(*first);
  EXPECT_EQ(memory.free_bytes(), 12_MiB);
  memory.release(*second);
  EXPECT_EQ(memory.free_bytes(), 14_MiB);
}

TEST(AllocationMapPart, ARangeMustLieInsideOneAllocation) {
  AllocationMap map;
  map.add(1000, {.bytes = 100});
  map.add(1100, {.bytes = 100});
  EXPECT_TRUE(map.contains({1000, 100}));
  EXPECT_TRUE(map.contains({1150, 50}));
  EXPECT_FALSE(map.contains({1050, 100}));
  EXPECT_FALSE(map.contains({999, 1}));
  EXPECT_FALSE(map.contains({1200, 1}));
  EXPECT_FALSE(map.contains({1001, ~std::uint64_t{0}}));
}

// The codes an H100 gave (CUDA 13.0, driver 580).
TEST(HostMemoryPart, RejectsWhatCudaRejects) {
  HostMemory host;
  std::array<char, 64> bytes{};
  EXPECT_EQ(host.register_range(nullptr, 10), Status::invalid_value);
  EXPECT_EQ(host.register_range(bytes.data(), 0), Status::invalid_value);
  EXPECT_EQ(host.register_range(bytes.data(), 32), Status::success);
  EXPECT_EQ(host.register_range(bytes.data() + 16, 32), Status::host_memory_already_registered);
  EXPECT_EQ(host.unregister(bytes.data() + 8), Status::invalid_value);
  EXPECT_EQ(host.unregister(bytes.data() + 40), Status::host_memory_not_registered);
  EXPECT_EQ(host.free(bytes.data()), Status::invalid_value);
  EXPECT_EQ(host.unregister(bytes.data()), Status::success);
  void* allocated = host.allocate(100);
  EXPECT_EQ(host.register_range(allocated, 10), Status::invalid_value);
  EXPECT_EQ(host.unregister(allocated), Status::invalid_value);
  EXPECT_EQ(host.free(allocated), Status::success);
  EXPECT_EQ(host.free(allocated), Status::invalid_value);
}

GraphData graph_of(const std::vector<std::vector<NodeIndex>>& dependencies) {
  GraphData graph;
  for (const auto& of_node : dependencies) graph.nodes.push_back({std::make_shared<const Work>(), of_node});
  return graph;
}

TEST(Graph, AChainIsOneBranchAndAForkTwo) {
  std::size_t branches = 0;
  const auto chain = make_steps(graph_of({{}, {0}, {1}}), branches);
  EXPECT_EQ(branches, 1U);
  const auto diamond = make_steps(graph_of({{}, {0}, {0}, {1, 2}}), branches);
  EXPECT_EQ(branches, 2U);
  EXPECT_NE(diamond[1].branch, diamond[2].branch);
  EXPECT_TRUE(diamond[3].is_leaf);
  EXPECT_FALSE(diamond[2].is_leaf);
}

TEST(Graph, TopologyIsNodesAndTheirDependencies) {
  std::size_t branches = 0;
  const auto steps = make_steps(graph_of({{}, {0}, {0}}), branches);
  EXPECT_TRUE(same_topology(steps, graph_of({{}, {0}, {0}})));
  EXPECT_FALSE(same_topology(steps, graph_of({{}, {0}, {1}})));
  EXPECT_FALSE(same_topology(steps, graph_of({{}, {0}})));
  GraphData other = graph_of({{}, {0}, {0}});
  other.nodes[1].work = std::make_shared<const Work>(Work{.name = "fill", .action = FillBytes{}, .accesses = {}});
  EXPECT_FALSE(same_topology(steps, other));
}

// Where a copy goes from and to is of the topology, which memory it goes between is not.
TEST(Graph, TopologyIsTheDirectionsOfCopies) {
  const auto copying = [](std::string_view name, std::size_t bytes) {
    GraphData graph;
    graph.nodes.push_back(
        {.work = std::make_shared<const Work>(
             Work{.name = name,
                  .action = CopyBytes{.destination = nullptr, .source = nullptr, .bytes = bytes, .staged = {}},
                  .accesses = {}}),
         .dependencies = {}});
    return graph;
  };
  std::size_t branches = 0;
  const auto steps = make_steps(copying("copy host_to_device", 4), branches);
  EXPECT_TRUE(same_topology(steps, copying("copy host_to_device", 8)));
  EXPECT_FALSE(same_topology(steps, copying("copy device_to_host", 4)));
  EXPECT_FALSE(same_topology(steps, copying("copy device_to_device", 4)));
}

}  // namespace
}  // namespace gpucheck::sim
