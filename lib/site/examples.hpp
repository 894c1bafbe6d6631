#pragma once

#include <span>
#include <string_view>

namespace gpucheck {

namespace site {

/// A file of an example: "shell/case.toml", and what it holds.
struct ExampleFile {
  std::string_view path;
  std::string_view text;
};

}  // namespace site

/// Those that `gpucheck case new` writes, of each language in a folder of its name.
std::span<const site::ExampleFile> embedded_examples();

}  // namespace gpucheck
