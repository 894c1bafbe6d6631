#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gpucheck::application {

/// A file of the command line and what names it: "--json", or "the waivers".
struct NamedFile {
  std::string_view name;
  std::string path;  ///< "-" is stdout; empty: none
};

/// Two texts in one file would be one lost, and so would what a command has still to read.
/// Files are compared, not their paths' spelling.
/// @throws UsageError naming two of `outputs` that are one file, or one that is also among
/// `inputs`.
void check_distinct(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs);

}  // namespace gpucheck::application
