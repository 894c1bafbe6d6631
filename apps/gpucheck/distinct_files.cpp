#include "distinct_files.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file_identity.hpp"

namespace gpucheck::application {

namespace {

bool is_one(const NamedFile& a, const NamedFile& b) {
  return !a.path.empty() && !b.path.empty() && is_same_file(a.path, b.path);
}

}  // namespace

void check_distinct(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& output = outputs[i];
    for (const NamedFile& other : outputs.first(i)) {
      if (!is_one(other, output)) continue;
      throw UsageError(fmt::format("{} and {} both name one file (\"{}\" and \"{}\"): give each its own", other.name,
                                   output.name, other.path, output.path));
    }
    for (const NamedFile& input : inputs) {
      if (!is_one(input, output)) continue;
      throw UsageError(
          fmt::format("{} \"{}\" would replace {}: give it another name", output.name, output.path, input.name));
    }
  }
}

}  // namespace gpucheck::application
