#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "cases/snapshot/support.hpp"
#include "harness/case/case.hpp"
#include "observe/snapshot/named_objects.hpp"
#include "replay/page/snapshot_page.hpp"

namespace gpucheck::cases::in_snapshot::plots {
namespace {

using observe::ContextLevel;
using observe::StackKind;

[[gnu::noinline]] void plotted_work(runtime::Runtime& runtime) {
  combine(runtime, random_tensor(runtime, std::size_t{128} * 128));
}

/// Leaves both files for other programs to read, where a folder for them is named. What is there already is kept: it
/// may be somebody's. Returns why one could not be written: the files are not what is tested, so that this is not a
/// reason to judge otherwise.
std::string save(const std::string& folder, const std::string& name, const std::string& json,
                 const std::string& pickle) {
  if (folder.empty()) return "";
  try {
    for (const auto& [suffix, bytes] : {std::pair(".json", &json), std::pair(".pickle", &pickle)}) {
      const std::string path = (std::filesystem::path(folder) / name).string() + suffix;
      std::error_code problem;
      if (std::filesystem::exists(std::filesystem::symlink_status(path, problem))) {
        return fmt::format("{} exists already and is kept; name a folder without it", path);
      }
      OutputFile(path, "snapshot", Writers::any, Links::replaced).commit(*bytes);
    }
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "";
}

/// Records the work and observes what its snapshot and the page drawn from it name.
void plot(harness::Context& context, const std::string& name, ContextLevel level, StackKind stacks,
          std::vector<std::string>& not_saved) {
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  history.record({.context = level, .stacks = stacks});
  observe_error_of(context, name + "_error", [&] { plotted_work(runtime); });
  observe::MemorySnapshot snapshot = history.snapshot();
  observe::name_objects(snapshot, runtime);
  const std::string json = json_of(snapshot);
  const std::string pickle = pickle_of(snapshot);
  const std::string problem = save(context.parameter<std::string>("save_to"), name, json, pickle);
  if (!problem.empty()) not_saved.push_back(problem);
  const auto ordinal = static_cast<std::size_t>(context.device().ordinal());
  const std::string page = replay::snapshot_page(read_back(pickle), name, {ordinal});
  context.observe(name + "_names_function", contains(json, "plotted_work"));
  context.observe(name + "_names_rand", contains(json, "::rand("));
  context.observe(name + "_has_size", contains(json, ": 65536,"));
  context.observe(name + "_page_names_function", contains(page, "plotted_work"));
}

void run(harness::Context& context) {
  require_symbols();
  std::vector<std::string> not_saved;
  plot(context, "full", ContextLevel::all, StackKind::full, not_saved);
  plot(context, "brief", ContextLevel::all, StackKind::brief, not_saved);
  plot(context, "none", ContextLevel::none, StackKind::brief, not_saved);
  context.observe("not_saved", not_saved);
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.plots",
      .summary = "Snapshots and the page drawn from them name functions exactly as far as stacks were recorded",
      .source = "test_cuda.py::TestCudaMallocAsync::test_memory_plots",
      .parameters = {{.name = "save_to",
                      .summary =
                          "existing folder for the snapshots, each as pickle and JSON, that has none yet; empty for "
                          "nowhere",
                      .default_value = std::string()}},
      .faults = allocation_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::plots
