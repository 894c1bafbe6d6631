#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input/environment.hpp"
#include "runtime/settings/allocator_choice.hpp"

namespace gpucheck::application {

/// Which cases.
struct Selection {
  std::vector<std::string> globs = {};  ///< empty: all
  std::vector<std::string> excluded = {};
  std::string suite = "all";
};

/// A named selection of cases.
struct Suite {
  std::string_view name;
  std::string_view summary;
  bool (*contains)(const harness::Case&);
};

/// All suites; "all" is the first.
std::span<const Suite> suites();

/// What a selection stands for; each in name order, and once.
struct Selected {
  std::vector<const harness::Case*> cases;
  std::vector<std::string> orphans;  ///< golden files without a case; in every suite
  [[nodiscard]] bool empty() const noexcept { return cases.empty() && orphans.empty(); }
};

/// Why nothing is left, and how to find out.
std::string nothing_selected_text();

/// Nothing may be left. @throws UsageError for an unknown name or suite, with the nearest names; EnvironmentError when
/// a glob stands for nothing.
Selected select(const harness::Registry& registry, const golden::GoldenSet& goldens, const Selection& selection);

/// The same for what can only do with cases. @throws EnvironmentError when there are none.
std::vector<const harness::Case*> select_cases(const harness::Registry& registry, const golden::GoldenSet& goldens,
                                               const Selection& selection);

/// Without the cases between processes, unless some were named, or a suite: each process of a job would wait for the
/// others, which one that is alone does not have.
std::vector<const harness::Case*> for_processes(std::vector<const harness::Case*> selected, const Selection& selection);

/// Without the cases that check an allocator library, unless one was chosen or they were
/// named, or nothing else is selected: where there is nothing for them to check they
/// would only be skipped.
std::vector<const harness::Case*> for_allocator(std::vector<const harness::Case*> selected, const Selection& selection,
                                                const runtime::AllocatorChoice& allocator);

/// From the directory, or those built into the binary when it is empty, and those of the site's own cases. The limits
/// of a file, where one is named, go before theirs.
golden::GoldenSet load_goldens(const Environment& environment, const std::string& directory,
                               const std::string& limits_path);

}  // namespace gpucheck::application
