#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"

namespace gpucheck::application {

/// A named selection of cases.
struct Suite {
  std::string_view name;
  std::string_view summary;
  bool (*contains)(const harness::Case&);
};

/// All suites; "all" is the first.
std::span<const Suite> suites();

/// The cases asked for, in name order, each once.
/// @throws UsageError for an unknown case or suite, with the nearest names;
/// EnvironmentError when a glob, or the whole selection, has no case.
std::vector<const harness::Case*> select(const harness::Registry& registry, const Selection& selection);

/// Without the cases that check an allocator library, unless one was chosen or they were
/// named, or nothing else is selected: where there is nothing for them to check they
/// would only be skipped.
std::vector<const harness::Case*> for_allocator(std::vector<const harness::Case*> selected, const Selection& selection,
                                                const runtime::AllocatorChoice& allocator);

/// From the directory, or those built into the binary when it is empty.
golden::GoldenSet load_goldens(const Environment& environment, const std::string& directory);

}  // namespace gpucheck::application
