#pragma once

#include <span>
#include <string_view>

namespace gpucheck {

/// A topic of the manual as it lies under topics/.
struct TopicFile {
  std::string_view path;  ///< "limits.md"
  std::string_view text;
};

/// All of them, in the order of their names.
std::span<const TopicFile> embedded_topics();

}  // namespace gpucheck
