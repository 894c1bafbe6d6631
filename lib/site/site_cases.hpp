#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/golden.hpp"
#include "harness/case/registry.hpp"

/// Cases of the site's own, each in a folder of its own: README.md has the format.
namespace gpucheck::site {

inline constexpr std::string_view description_file = "case.toml";
inline constexpr std::string_view golden_file = "golden.json";

/// The case in a folder, whole but for its golden file, which may be absent: only its bytes count, for the digest.
/// @throws UsageError that names the file, and the place in it, and says what is allowed.
harness::Case read_case(const std::string& folder);

/// Those of all folders, by name: each folder in them is a case, but for those whose names begin with "." or "_".
/// @throws UsageError as `read_case` does, and for a folder without cases, and two cases of one name.
std::vector<harness::Case> read_cases(const std::vector<std::string>& folders);

/// The cases of a binary and those of the folders. @throws UsageError as above, and for a name that is taken.
harness::Registry with_site_cases(const harness::Registry& built_in, const std::vector<std::string>& folders);

/// Where the golden file of the site's own case lies.
std::string golden_path(const harness::Program& program);

/// Adds the golden files of the site's own cases to those that there are, which go before.
/// @throws UsageError for one that is absent or malformed.
void add_goldens(golden::GoldenSet& goldens, const harness::Registry& registry);

}  // namespace gpucheck::site
