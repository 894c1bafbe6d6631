#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// A summary for a pull request or a job's page ($GITHUB_STEP_SUMMARY), in GitHub's Markdown. All text that is not ours
/// stands in code, where it can be neither markup nor a mention of somebody.
namespace gpucheck::report {

inline constexpr std::size_t longest_summary = std::size_t{900} << 10;  ///< bytes; GitHub takes 1 MiB from one step

std::string code_span(std::string_view raw);
/// Lines; the middle of a long text is left out.
std::string code_block(std::string_view raw);
/// As character references: what may be markup, also of a table, where a code span protects no bar.
std::string html_code(std::string_view raw);

}  // namespace gpucheck::report
