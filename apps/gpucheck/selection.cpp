#include "selection.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "base/error.hpp"

namespace gpucheck::application {

namespace {

using harness::Case;
using harness::Registry;

constexpr std::array<Suite, 2> suite_table{{
    {"all", "every case", [](const Case&) { return true; }},
    {"quick", "cases that can share the device with others: no exclusive use needed",
     [](const Case& which) { return !which.needs.exclusive; }},
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

/// One glob at a time, so that each of them is known to select something: a glob that
/// silently selects nothing would be a check that silently does not run.
std::set<const Case*> select_each(const Registry& registry, const std::vector<std::string>& globs) {
  std::set<const Case*> selected;
  for (const std::string& glob : globs) {
    const std::vector<const Case*> matching = registry.select({&glob, 1});
    if (matching.empty()) {
      throw EnvironmentError(fmt::format("no case matches \"{}\"; gpucheck list shows all names", glob));
    }
    selected.insert(matching.begin(), matching.end());
  }
  return selected;
}

}  // namespace

std::span<const Suite> suites() { return suite_table; }

std::vector<const Case*> select(const Registry& registry, const Selection& selection) {
  const Suite& suite = require_suite(selection.suite);
  const std::set<const Case*> named = select_each(registry, selection.globs);
  std::set<const Case*> excluded;
  if (!selection.excluded.empty()) {
    const std::vector<const Case*> matching = registry.select(selection.excluded);
    excluded.insert(matching.begin(), matching.end());
  }
  std::vector<const Case*> selected;
  for (const Case& which : registry.cases()) {
    const bool wanted = selection.globs.empty() || named.contains(&which);
    if (wanted && suite.contains(which) && !excluded.contains(&which)) selected.push_back(&which);
  }
  if (selected.empty()) {
    throw EnvironmentError(
        "nothing is selected: no case is left of those named, the suite and what --exclude takes away; gpucheck list "
        "takes the same options and shows what they select");
  }
  return selected;
}

std::vector<const Case*> for_allocator(std::vector<const Case*> selected, const Selection& selection,
                                       const runtime::AllocatorChoice& allocator) {
  if (allocator.kind == runtime::AllocatorChoice::Kind::library) return selected;
  std::vector<const Case*> kept;
  std::ranges::copy_if(selected, std::back_inserter(kept), [&](const Case* which) {
    const bool named = std::ranges::find(selection.globs, which->name) != selection.globs.end();
    return named || !which->needs.allocator_library;
  });
  return kept.empty() ? selected : kept;
}

golden::GoldenSet load_goldens(const Environment& environment, const std::string& directory) {
  return directory.empty() ? environment.embedded_goldens() : golden::GoldenSet::from_directory(directory);
}

}  // namespace gpucheck::application
