#pragma once

#include <string>
#include <string_view>

#include "harness/case/case.hpp"

namespace gpucheck::site {

/// The longest name of a case.
inline constexpr std::size_t longest_name = 100;

/// The case that a description (TOML) declares, with the file of its program, but without folder and digest. Its
/// function runs the program.
/// @param path for messages. @throws UsageError "PATH:LINE:COLUMN: …" that says what is allowed there.
harness::Case parse_description(std::string_view text, const std::string& path);

}  // namespace gpucheck::site
