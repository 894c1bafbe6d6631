#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gpucheck::tensor::files {

/// Where the bytes of a file go, in order.
using Sink = std::function<void(std::string_view bytes)>;

/// A zip archive as PyTorch writes it: nothing compressed, each entry's bytes at a multiple of 64 so that they can be
/// mapped, below a folder "archive". Not thread-safe.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(Sink sink);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  /// Adds an entry, which is kept in memory until its bytes are known. @throws Error; what the sink throws.
  void add(const std::string& name, std::string_view bytes);
  /// Adds the serialization id, then the directory. Call once. @throws as `add` does.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpucheck::tensor::files
