#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpucheck::site {

/// The languages that there are examples in: "python", "shell".
std::vector<std::string_view> example_languages();

/// Writes a case that works, of that name and in a folder of that name.
/// @param folder of cases; made where there is none.
/// @return the paths of the files. @throws UsageError for a name that is none, a language without an example, and a
/// folder that is there already; EnvironmentError when they cannot be written.
std::vector<std::string> write_example(const std::string& name, std::string_view language, const std::string& folder);

}  // namespace gpucheck::site
