#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucheck::fleet {

/// Which nodes have to report: one that wrote nothing is seen by nobody who does not know that.
struct ExpectedNodes {
  std::optional<std::size_t> count = {};  ///< absent where nobody says how many: whoever reports is all
  std::vector<std::string> names = {};    ///< each once, sorted; empty where only their number is known
};

/// The names that a list means, in its order, as Slurm writes them: "n1,gpu[01-03,7],rack[1-2]-node[1-4]". A number
/// keeps its leading zeros.
/// @throws UsageError for what is not a list, a range that ends before it begins, or more than 200,000 names.
std::vector<std::string> expand_host_list(std::string_view text);

/// @param text a number, a list as `expand_host_list` takes it, "any", or "@FILE" for a file with lists, one a line.
/// @throws UsageError for none of these, and for a name that is listed twice; EnvironmentError when the file cannot be
/// read.
ExpectedNodes parse_expected_nodes(const std::string& text);

}  // namespace gpucheck::fleet
