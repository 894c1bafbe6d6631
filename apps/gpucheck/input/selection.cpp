#include "input/selection.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <initializer_list>
#include <iterator>
#include <set>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/text/sanitize.hpp"
#include "harness/case/needs.hpp"
#include "runner/supervision/orphans.hpp"
#include "site/site_cases.hpp"

namespace gpucheck::application {

namespace {

using harness::Case;
using harness::Registry;

bool is_of_group(const Case& test_case, std::initializer_list<std::string_view> groups) {
  return std::ranges::find(groups, test_case.group()) != groups.end();
}

/// Its own processes, each of which makes a context; a node makes those one at a time, a quarter of a second each.
bool needs_processes(const Case& test_case) { return test_case.needs.own_process || !test_case.children.empty(); }

/// The seeds are PyTorch's tests of CUDA, which a case's source names as pytest does. One that names a version as well
/// ("... of PyTorch 2.11") stands for a newer test.
bool stands_for_a_seed(const Case& test_case) {
  return test_case.source.find(".py::") != std::string::npos && test_case.source.find(' ') == std::string::npos;
}

constexpr std::array<Suite, 7> suite_table{{
    {"all", "every case", [](const Case&) { return true; }},
    {"quick", "conformance and health, in seconds: cases that share a device and a process with others",
     [](const Case& test_case) { return !test_case.needs.exclusive && !needs_processes(test_case); }},
    {"watch",
     "health as the driver, the kernel's log and sysfs have it: nothing is started on a GPU, which may be in use",
     [](const Case& test_case) { return is_of_group(test_case, {"health"}) && harness::opens_no_device(test_case); }},
    {"acceptance", "may a machine be given to its users: all that a GPU can be asked, measurements and memory included",
     [](const Case& test_case) {
       return !test_case.needs.simulated_device && !test_case.needs.several_processes && !test_case.on_request;
     }},
    {"fabric", "between the processes of a job, on several nodes: start gpucheck with srun or mpirun",
     [](const Case& test_case) { return test_case.needs.several_processes; }},
    {"burn", "load, as long as -p seconds=N asks: stress, with memory and health before",
     [](const Case& test_case) {
       return is_of_group(test_case, {"health", "memtest", "stress"}) && !test_case.on_request;
     }},
    {"seeds", "the cases that stand for PyTorch's own CUDA tests", stands_for_a_seed},
}};

const Suite& require_suite(std::string_view name) {
  const auto* const found =
      std::find_if(suite_table.begin(), suite_table.end(), [&](const Suite& suite) { return suite.name == name; });
  if (found != suite_table.end()) return *found;
  std::vector<std::string_view> names;
  names.reserve(suite_table.size());
  for (const Suite& suite : suite_table) names.push_back(suite.name);
  throw UsageError(fmt::format("there is no suite \"{}\"; there are: {}", name, fmt::join(names, ", ")));
}

using Names = std::set<std::string_view>;

/// Those of the known names, cases' and orphans', for which a word stands.
Names names_for(const Registry& registry, const Names& known, const std::string& word) {
  Names names;
  std::ranges::copy_if(known, std::inserter(names, names.end()),
                       [&word](std::string_view name) { return harness::selects(word, name); });
  // The registry says what may have been meant by a word that is not a glob.
  if (names.empty()) static_cast<void>(registry.select({&word, 1}));
  return names;
}

/// One glob at a time, so that each of them is known to select something: a glob that
/// silently selects nothing would be a check that silently does not run.
Names select_each(const Registry& registry, const Names& known, const std::vector<std::string>& globs) {
  Names selected;
  for (const std::string& glob : globs) {
    Names names = names_for(registry, known, glob);
    if (names.empty()) {
      throw EnvironmentError(fmt::format("no case matches \"{}\"; gpucheck list shows all names", glob));
    }
    selected.merge(names);
  }
  return selected;
}

}  // namespace

std::string nothing_selected_text() {
  return "nothing is selected: no case is left of those named, the suite and what --exclude takes away; gpucheck list "
         "takes the same options and shows what they select";
}

std::span<const Suite> suites() { return suite_table; }

Selected select(const Registry& registry, const golden::GoldenSet& goldens, const Selection& selection) {
  const Suite& suite = require_suite(selection.suite);
  const std::vector<std::string> orphans = runner::orphan_goldens(registry, goldens);
  Names known(orphans.begin(), orphans.end());
  for (const Case& test_case : registry.cases()) known.insert(test_case.name);

  Names names = selection.globs.empty() ? known : select_each(registry, known, selection.globs);
  for (const std::string& excluded : selection.excluded) {
    for (const std::string_view name : names_for(registry, known, excluded)) names.erase(name);
  }
  Selected selected;
  for (const Case& test_case : registry.cases()) {
    if (names.contains(test_case.name) && suite.contains(test_case)) selected.cases.push_back(&test_case);
  }
  std::ranges::copy_if(orphans, std::back_inserter(selected.orphans),
                       [&names](const std::string& name) { return names.contains(name); });
  return selected;
}

std::vector<const Case*> select_cases(const Registry& registry, const golden::GoldenSet& goldens,
                                      const Selection& selection) {
  std::vector<const Case*> cases = select(registry, goldens, selection).cases;
  if (cases.empty()) throw EnvironmentError(nothing_selected_text());
  return cases;
}

std::vector<const Case*> for_processes(std::vector<const Case*> selected, const Selection& selection) {
  if (!selection.globs.empty() || selection.suite != "all") return selected;
  std::erase_if(selected, [](const Case* test_case) { return test_case->needs.several_processes; });
  return selected;
}

std::vector<const Case*> for_allocator(std::vector<const Case*> selected, const Selection& selection,
                                       const runtime::AllocatorChoice& allocator) {
  if (allocator.kind == runtime::AllocatorChoice::Kind::library) return selected;
  std::vector<const Case*> kept;
  std::ranges::copy_if(selected, std::back_inserter(kept), [&](const Case* test_case) {
    const bool named = std::ranges::find(selection.globs, test_case->name) != selection.globs.end();
    return named || !test_case->needs.allocator_library;
  });
  return kept.empty() ? selected : kept;
}

namespace {

/// As a waiver for a case that does not exist: it would be ignored, and nobody would notice.
void check_names(const golden::Limits& limits, const golden::GoldenSet& goldens, const std::string& path) {
  const std::vector<std::string> unknown = limits.names_beside(goldens.limited_values());
  if (unknown.empty()) return;
  throw UsageError(
      fmt::format("{}: the limit \"{}\" is for no value that a limit judges; write \"group.case.key\" (gpucheck "
                  "describe CASE lists the keys of a case)",
                  path, one_line(unknown.front(), 120)));
}

}  // namespace

golden::GoldenSet load_goldens(const Environment& environment, const std::string& directory,
                               const std::string& limits_path) {
  golden::GoldenSet goldens =
      directory.empty() ? environment.embedded_goldens() : golden::GoldenSet::from_directory(directory);
  site::add_goldens(goldens, environment.registry);
  if (!limits_path.empty()) {
    const std::string text = read_input_file(limits_path, "limits");
    golden::Limits limits = golden::Limits::parse(text, limits_path);
    check_names(limits, goldens, limits_path);
    goldens.override_limits(std::move(limits), text);
  }
  return goldens;
}

}  // namespace gpucheck::application
