#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <regex>
#include <unistd.h>

#include "cases/graph/shared_pools_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/streams/event.hpp"

namespace gpucheck::cases::in_graph::debug_dump_dot {
namespace {

using runtime::CurrentStreamGuard;
using runtime::Event;
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

/// Names of arrays, by their addresses, as in a dump.
using Names = std::map<std::string, std::string>;

std::string address_of(const Floats& values) {
  return fmt::format("{:#x}", reinterpret_cast<std::uintptr_t>(values.data()));
}

/// z = x + y on one stream, then w = z + y on one that joins the capture.
Names capture_on_two_streams(Runtime& runtime, Graph& graph) {
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
  return {{address_of(x), "x"}, {address_of(y), "y"}, {address_of(z), "z"}, {address_of(w), "w"}};
}

/// The arrays among a kernel's parameters, by their names.
std::string arrays_named(const std::string& parameters, const Names& names) {
  std::string found;
  for (const std::string& word : matches(parameters, R"((0x[0-9a-f]+))")) {
    if (const auto name = names.find(word); name != names.end()) found += name->second;
  }
  return found;
}

/// The warnings that `action` gives, a line each, without the folder of the file.
template <typename Action>
std::string warnings_of(Runtime& runtime, Action action) {
  const std::size_t before = runtime.warnings().size();
  action();
  std::string lines;
  for (std::size_t i = before; i < runtime.warnings().size(); ++i) {
    const std::string warning = runtime.warnings()[i];
    lines += warning.substr(0, warning.find(" with /")) + "\n";
  }
  return lines;
}

/// A kept graph of one node of each kind but kernels, captured without debug mode.
void dump_a_kept_graph(harness::Context& context, const std::string& path) {
  Runtime& runtime = context.runtime();
  device::Device& device = runtime.device();
  const CurrentStreamGuard on_side(runtime, runtime.streams().next());
  const runtime::Stream stream = runtime::Stream::current(runtime);
  Event event({.external = true});
  Floats x(runtime, 1000, stream.raw());
  Floats y(runtime, 1000, stream.raw());
  Graph graph(runtime, {.keep_graph = true});
  graph.capture_begin();
  device::check(device,
                device.copy(y.data(), x.data(), x.size_bytes(), device::CopyKind::device_to_device, stream.raw()),
                "copy");
  device::check(device, device.fill(y.data(), 0, 512, stream.raw()), "fill");
  device::check(device,
                device.host_callback(
                    stream.raw(), [](void*) {}, nullptr),
                "host_callback");
  event.record(stream);
  event.wait(stream);
  void* const memory = device::check_and_clear(device, device.allocate_async(1024, stream.raw()), "allocate_async");
  device::check(device, device.free_async(memory, stream.raw()), "free_async");
  graph.capture_end();
  const auto dump_twice = [&] {
    graph.debug_dump(path);
    graph.debug_dump(path);
  };
  context.observe("warnings_of_a_kept_graph_dumped_twice", harness::Value(warnings_of(runtime, dump_twice)));
  const std::string dot = content_of(path);
  const Names names = {{address_of(x), "x"}, {address_of(y), "y"}};
  context.observe("other_nodes", matches(dot, R"(label="([a-z]+ ?[a-z0-9]*(?: bytes)?))"));
  std::string memory_used;
  for (const std::string& addresses : matches(dot, R"(bytes\\n([0-9a-fx to]+))")) {
    memory_used += arrays_named(addresses, names) + ";";
  }
  context.observe("memory_of_other_nodes", harness::Value(memory_used));
}

/// A graph that debug mode alone does not keep.
void dump_in_debug_mode(harness::Context& context, const std::string& path) {
  Runtime& runtime = context.runtime();
  Graph graph(runtime);
  graph.enable_debug_mode();
  const CurrentStreamGuard on_side(runtime, runtime.streams().next());
  const Floats x = ones(runtime, 1000);
  graph.capture_begin();
  const Floats sum = plus(runtime, x, x);
  graph.capture_end();
  context.observe("warnings_in_debug_mode", harness::Value(warnings_of(runtime, [&] { graph.debug_dump(path); })));
  context.observe("file_in_debug_mode", std::filesystem::exists(path));
}

/// A graph that was captured without debug mode.
void dump_what_was_not_kept(harness::Context& context, const std::string& path) {
  Runtime& runtime = context.runtime();
  Graph graph(runtime);
  {
    const CurrentStreamGuard on_side(runtime, runtime.streams().next());
    graph.capture_begin();
    graph.capture_end();
  }
  const auto dump = [&] { graph.debug_dump(path); };
  context.observe("warnings_without_debug_mode", harness::Value(warnings_of(runtime, dump)));
  graph.enable_debug_mode();
  context.observe("warnings_with_debug_mode_too_late", harness::Value(warnings_of(runtime, dump)));
}

void run(harness::Context& context) {
  Runtime& runtime = context.runtime();
  const TemporaryFolder folder;
  const std::string path = folder.file("out_multi_stream.dot");
  Graph graph(runtime, {.keep_graph = true});
  graph.enable_debug_mode();
  const Names names = capture_on_two_streams(runtime, graph);
  std::string error;
  const auto dump = [&] { error = error_text<Error>([&] { graph.debug_dump(path); }); };
  const std::string warnings = warnings_of(runtime, dump);
  context.observe("dump_error", harness::Value(error));
  const std::string dot = content_of(path);
  context.observe("kernels", matches(dot, R"(\[label="kernel (\w+))"));
  context.observe("invocations", matches(dot, R"(invocations (\d+))"));
  std::vector<std::string> arrays;
  for (const std::string& parameters : matches(dot, R"(parameters ([0-9a-fx ]+))")) {
    arrays.push_back(arrays_named(parameters, names));
  }
  context.observe("arrays", arrays);
  context.observe("edges", matches(dot, R"((n\d+ -> n\d+);)"));
  context.observe("warnings", harness::Value(warnings));
  dump_in_debug_mode(context, folder.file("debugged.dot"));
  dump_what_was_not_kept(context, folder.file("not_kept.dot"));
  dump_a_kept_graph(context, folder.file("kept.dot"));
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.debug_dump_dot",
      .summary = "A kept graph captured on two streams is written as DOT, with its kernels and their order",
      .source = "test_cuda.py::TestCuda::test_graph_debugdump",
      .needs = {.caching_allocator = true},
      .faults = {{.name = "lost_node",
                  .summary = "one kernel is missing from the graph",
                  .plan = fault::kernel_lost(fault::nth_call(3))},
                 {.name = "nodes_not_told",
                  .summary = "the device fails to say what the graph consists of",
                  .plan = fault::failing(fault::Operation::graph_nodes, device::Status::unknown, fault::nth_call(1))},
                 {.name = "no_nodes",
                  .summary = "the device reports no nodes",
                  .plan = fault::broken(fault::Operation::graph_nodes, fault::Effect::drop, fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::debug_dump_dot
