#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gpucheck::application {

/// A file of the command line and what names it: "--json", or "the waivers".
struct NamedFile {
  std::string name;
  std::string path;  ///< "-" is stdout; empty: none
};

/// Two texts in one file would be one lost, and so would what a command has still to read.
/// Files are compared, not their paths' spelling.
/// @throws UsageError naming two of `outputs` that are one file, or one that is also among
/// `inputs`.
void check_distinct(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs);

/// For a folder whose JSON files a command reads by their names, such as golden files.
/// @throws UsageError naming one of `outputs` that is such a file.
void check_outside(std::span<const NamedFile> outputs, const NamedFile& folder);

/// Traces get names of their own in their folder: "<case>.<device>.json".
/// @throws UsageError naming one of `files` that may be the trace of one of these cases.
void check_no_trace(std::span<const NamedFile> files, const std::string& trace_folder,
                    std::span<const std::string_view> cases);

}  // namespace gpucheck::application
