#pragma once

#include <span>
#include <string_view>

namespace gpucheck::replay {

/// A file of this source folder, as it was when the binary was built.
struct RecordedFile {
  std::string_view name;     ///< "pytorch_caching.json"
  std::string_view content;  ///< for read_bytes
};

/// Traces recorded with PyTorch, with what it reported after each call; in the order of
/// their names.
std::span<const RecordedFile> recorded_files();

}  // namespace gpucheck::replay
