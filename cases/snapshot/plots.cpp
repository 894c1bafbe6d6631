#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "cases/snapshot/support.hpp"
#include "harness/case.hpp"
#include "observe/named_objects.hpp"
#include "replay/page/snapshot_page.hpp"

namespace gpucheck::cases::in_snapshot::plots {
namespace {

using observe::ContextLevel;
using observe::StackKind;

[[gnu::noinline]] void plotted_work(runtime::Runtime& runtime) { combine(runtime, random_tensor(runtime, 128 * 128)); }

/// Leaves both files for other programs to read. @throws EnvironmentError.
void save(const std::filesystem::path& path, const std::string& json, const std::string& pickle) {
  for (const auto& [suffix, bytes] : {std::pair(".json", &json), std::pair(".pickle", &pickle)}) {
    std::ofstream file(path.string() + suffix, std::ios::binary);
    file << *bytes;
    file.close();
    if (!file) throw EnvironmentError("cannot write " + path.string() + suffix + "; save_to must be a folder");
  }
}

/// Records the work and observes what its snapshot and the page drawn from it name.
void plot(harness::Context& context, const std::string& name, ContextLevel level, StackKind stacks) {
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  history.record({.context = level, .stacks = stacks});
  observe_error_of(context, name + "_error", [&] { plotted_work(runtime); });
  observe::MemorySnapshot snapshot = history.snapshot();
  observe::name_objects(snapshot, runtime);
  const std::string json = json_of(snapshot);
  const std::string pickle = pickle_of(snapshot);
  const auto& save_to = context.parameter<std::string>("save_to");
  if (!save_to.empty()) save(std::filesystem::path(save_to) / name, json, pickle);
  const auto ordinal = static_cast<std::size_t>(context.device().ordinal());
  const std::string page = replay::snapshot_page(read_back(pickle), name, {ordinal});
  context.observe(name + "_names_function", contains(json, "plotted_work"));
  context.observe(name + "_names_rand", contains(json, "::rand("));
  context.observe(name + "_has_size", contains(json, ": 65536,"));
  context.observe(name + "_page_names_function", contains(page, "plotted_work"));
}

void run(harness::Context& context) {
  require_symbols();
  plot(context, "full", ContextLevel::all, StackKind::full);
  plot(context, "brief", ContextLevel::all, StackKind::brief);
  plot(context, "none", ContextLevel::none, StackKind::brief);
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.plots",
      .summary = "Snapshots and the page drawn from them name functions exactly as far as stacks were recorded",
      .source = "test_cuda.py::TestCudaMallocAsync::test_memory_plots",
      .parameters = {{.name = "save_to",
                      .summary = "existing folder for the snapshots, each as pickle and JSON; empty for nowhere",
                      .default_value = std::string()}},
      .faults = allocation_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::plots
