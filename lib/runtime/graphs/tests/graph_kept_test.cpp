#include <array>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "runtime/graphs/dot.hpp"
#include "runtime/graphs/tests/faulty.hpp"

// Graphs that are kept after the capture: for their user, or to be dumped.
namespace gpucheck::runtime::test {
namespace {

using Warnings = std::vector<std::string>;

class GraphKept : public testing::Test {
 protected:
  ~GraphKept() override { std::filesystem::remove(path); }
  std::string dumped() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Faulty machine;
  CurrentStreamGuard current{machine.runtime(), machine.side()};
  std::string path = testing::TempDir() + "gpucheck_graph_" + std::to_string(getpid()) + ".dot";
};

TEST_F(GraphKept, IsInstantiatedWhenItIsAskedFor) {
  Graph graph(machine.runtime(), {.keep_graph = true});
  EXPECT_EQ(error_of([&] { graph.instantiate(); }), "capture_end() must have been called before calling instantiate");
  EXPECT_EQ(error_of([&] { static_cast<void>(graph.raw_graph()); }),
            "You cannot access the raw cudaGraph_t instance until capture_end() has been called");
  machine.capture(graph);
  EXPECT_EQ(machine.live_handles().executables, 0U);
  EXPECT_EQ(error_of([&] { static_cast<void>(graph.raw_executable()); }),
            "You cannot access the raw cudaGraphExec_t instance until instantiate() has been called");
  EXPECT_EQ(machine.device().node_count(graph.raw_graph()).value(), 1U);
  graph.instantiate();
  EXPECT_EQ(machine.live_handles().executables, 1U);
  EXPECT_EQ(machine.device().launch(graph.raw_executable(), machine.side()), device::Status::success);
  graph.instantiate();
  EXPECT_EQ(machine.live_handles().executables, 1U) << "in place of the one before";
  graph.reset();
  machine.expect_nothing_left("reset");
}

TEST_F(GraphKept, IsInstantiatedByTheFirstReplay) {
  Graph graph(machine.runtime(), {.keep_graph = true});
  machine.capture(graph);
  EXPECT_NO_THROW(static_cast<void>(graph.pool()));
  graph.replay();
  const device::GraphExec executable = graph.raw_executable();
  graph.replay();
  EXPECT_EQ(graph.raw_executable(), executable);
}

TEST_F(GraphKept, CanBeInstantiatedAfterAFailure) {
  Faulty faulty(fault::failing(fault::Operation::instantiate, device::Status::unknown, fault::nth_call(1)));
  const CurrentStreamGuard on_side(faulty.runtime(), faulty.side());
  Graph graph(faulty.runtime(), {.keep_graph = true});
  faulty.capture(graph);
  EXPECT_THROW(graph.instantiate(), device::DeviceError);
  EXPECT_NO_THROW(graph.instantiate());
}

TEST_F(GraphKept, IsNotForOneWhoDidNotAsk) {
  Graph graph(machine.runtime());
  machine.capture(graph);
  EXPECT_EQ(machine.live_handles().graphs, 0U);
  EXPECT_EQ(error_of([&] { graph.instantiate(); }),
            "instantiate() is intended to be called by the user only when keep_graph=true");
  EXPECT_EQ(error_of([&] { static_cast<void>(graph.raw_graph()); }),
            "You cannot access the raw cudaGraph_t instance unless CUDAGraph was initialized with keep_graph=true");
}

// data/pytorch_2.11_h200.json: "debug_dump in debug mode", "debug_dump in debug mode, again"
TEST_F(GraphKept, IsNotKeptByDebugModeAlone) {
  Graph graph(machine.runtime());
  graph.enable_debug_mode();
  machine.capture(graph);
  EXPECT_EQ(machine.live_handles().graphs, 0U);
  for (int i = 0; i < 2; ++i) graph.debug_dump(path);
  EXPECT_EQ(machine.runtime().warnings(), (Warnings{"DEBUG: calling debug_dump()", "DEBUG: calling debug_dump()"}));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(GraphKept, IsDumpedAsOftenAsOneLikes) {
  Graph graph(machine.runtime(), {.keep_graph = true});
  machine.capture(graph);
  graph.debug_dump(path);
  EXPECT_EQ(machine.runtime().warnings(),
            (Warnings{"DEBUG: calling debug_dump()", "DEBUG: calling cudaGraphDebugDotPrint() with " + path}));
  EXPECT_NE(dumped().find("kernel fill"), std::string::npos) << dumped();
  std::filesystem::remove(path);
  graph.debug_dump(path);
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(GraphKept, IsNotDumpedWithoutDebugMode) {
  Graph graph(machine.runtime());
  machine.capture(graph);
  graph.debug_dump(path);
  EXPECT_EQ(machine.runtime().warnings(),
            Warnings{"CUDA Graphs debug not enabled, set with [graph].enable_debug_mode()"});
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(GraphKept, SurvivesADumpThatFails) {
  Graph graph(machine.runtime(), {.keep_graph = true});
  machine.capture(graph);
  EXPECT_THROW(graph.debug_dump("/nowhere/at/all.dot"), EnvironmentError);
  EXPECT_NO_THROW(graph.debug_dump(path));
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(Dot, SaysWhatEachNodeDoes) {
  using enum device::NodeKind;
  constexpr std::array kinds{kernel,
                             kernel,
                             copy,
                             fill,
                             host_function,
                             event_record,
                             event_wait,
                             allocation,
                             device::NodeKind::free,
                             kernel,
                             device::NodeKind::other};
  std::vector<device::NodeDescription> nodes(kinds.size());
  for (std::size_t place = 0; place < kinds.size(); ++place) nodes[place].kind = kinds[place];
  nodes[0].kernel = "fill";
  nodes[0].count = 5;
  nodes[0].parameters.resize(12);
  nodes[0].parameters[0] = std::byte{0xab};
  nodes[0].parameters[8] = std::byte{7};
  nodes[1].kernel = "a \"quoted\" \\ name";
  nodes[1].count = 64;
  nodes[1].block = {32, 256};
  nodes[1].dependencies = {0};
  nodes[2].source = reinterpret_cast<const void*>(0x20);
  nodes[2].dependencies = {0};
  nodes[3].dependencies = {1, 2};
  for (const std::size_t place : {2UL, 3UL, 7UL, 8UL}) nodes[place].destination = reinterpret_cast<const void*>(0x10);
  for (const std::size_t place : {2UL, 3UL, 7UL}) nodes[place].bytes = 4 * place;
  EXPECT_EQ(dot_text(nodes), R"dot(digraph captured {
  node [shape=box];
  n0 [label="kernel fill\ninvocations 5\nparameters 0xab 0x7"];
  n1 [label="kernel a \"quoted\" \\ name\ninvocations 64\nblock of 32 threads, 256 shared bytes"];
  n2 [label="copy 8 bytes\n0x20 to 0x10"];
  n3 [label="fill 12 bytes\nat 0x10"];
  n4 [label="host function"];
  n5 [label="event record"];
  n6 [label="event wait"];
  n7 [label="allocate 28 bytes\nat 0x10"];
  n8 [label="free\n0x10"];
  n9 [label="kernel (unknown)"];
  n10 [label="other"];
  n0 -> n1;
  n0 -> n2;
  n1 -> n3;
  n2 -> n3;
}
)dot");
}

}  // namespace
}  // namespace gpucheck::runtime::test
