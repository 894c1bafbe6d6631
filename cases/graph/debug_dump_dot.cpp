#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <unistd.h>

#include "cases/graph/shared_pools_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case.hpp"

namespace gpucheck::cases::in_graph {
namespace {

using runtime::CurrentStreamGuard;
using runtime::Graph;
using runtime::Runtime;

constexpr std::size_t large_count = 10'240'000;

/// A folder that is gone with its content at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "gpucheck_dot_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw EnvironmentError(fmt::format("No folder can be made as {}", name));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The first group of each match in the text, in their order.
std::vector<std::string> matches(const std::string& text, const char* expression) {
  const std::regex compiled(expression);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), compiled), end; match != end; ++match) {
    found.push_back((*match)[1].str());
  }
  return found;
}

/// z = x + y on one stream, then w = z + y on one that joins the capture.
void capture_on_two_streams(Runtime& runtime, Graph& graph) {
  const device::Stream origin = runtime.streams().next();
  const device::Stream branch = runtime.streams().next();
  Floats x, y, z, w;
  {
    const CurrentStreamGuard on_origin(runtime, origin);
    x = ones(runtime, large_count);
    y = ones(runtime, large_count);
    graph.capture_begin();
    z = plus(runtime, x, y);
  }
  {
    const CurrentStreamGuard on_branch(runtime, branch);
    wait_for(runtime, origin);
    w = plus(runtime, z, y);
  }
  const CurrentStreamGuard on_origin(runtime, origin);
  wait_for(runtime, branch);
  graph.capture_end();
  device::check(runtime.device(), runtime.device().synchronize(), "synchronize");
}

void run(harness::Context& context) {
  Runtime& runtime = context.runtime();
  const TemporaryFolder folder;
  const std::string path = folder.file("out_multi_stream.dot");
  Graph graph(runtime);
  graph.enable_debug_mode();
  capture_on_two_streams(runtime, graph);
  context.observe("dump_error", error_text<Error>([&] { graph.debug_dump(path); }));
  const std::string dot = content_of(path);
  context.observe("kernels", matches(dot, R"(\[label="kernel (\w+))"));
  context.observe("invocations", matches(dot, R"(invocations (\d+))"));
  context.observe("edges", matches(dot, R"((n\d+ -> n\d+);)"));
  std::string warnings;
  for (const std::string& warning : runtime.warnings()) warnings += warning.substr(0, warning.find(" with /")) + "\n";
  context.observe("warnings", harness::Value(warnings));

  Graph other(runtime);
  {
    const CurrentStreamGuard on_side(runtime, runtime.streams().next());
    other.capture_begin();
    other.capture_end();
  }
  other.debug_dump(folder.file("not_enabled.dot"));
  context.observe("warning_without_debug_mode", harness::Value(runtime.warnings().back()));
}

}  // namespace

harness::Case debug_dump_dot() {
  return {
      .name = "graph.debug_dump_dot",
      .summary = "A graph captured on two streams in debug mode is written as DOT, with its kernels and their order",
      .source = "test_cuda.py::TestCuda::test_graph_debugdump",
      .needs = {.caching_allocator = true},
      .faults = {{.name = "lost_node",
                  .summary = "one kernel is missing from the graph",
                  .plan = fault::kernel_lost(fault::nth_call(3))},
                 {.name = "nodes_not_told",
                  .summary = "the device fails to tell what the graph consists of",
                  .plan = fault::failing(fault::Operation::graph_nodes, device::Status::unknown, fault::nth_call(1))},
                 {.name = "no_nodes",
                  .summary = "the device tells of no nodes",
                  .plan = fault::broken(fault::Operation::graph_nodes, fault::Effect::drop, fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph
