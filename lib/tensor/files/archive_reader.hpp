#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tensor/files/memory_budget.hpp"

namespace gpucheck::tensor::files {

/// The bytes of a file, in any order.
struct Source {
  std::uint64_t bytes = 0;
  /// Fills the room with what begins at that place; false where that cannot be read. Throws nothing.
  std::function<bool(std::uint64_t place, std::span<char> room)> read;
};

/// A zip archive as PyTorch writes it: nothing compressed or encrypted, all entries below one folder, each name once.
/// Not thread-safe.
class ArchiveReader {
 public:
  /// Reads the directory. @throws Error that names the file and what is wrong.
  ArchiveReader(Source source, MemoryBudget& budget);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  [[nodiscard]] bool has(const std::string& name) const;
  /// How many bytes an entry has. @throws Error where there is none of this name.
  [[nodiscard]] std::uint64_t bytes_of(const std::string& name) const;
  /// Reads a whole entry, whose bytes have room. @throws Error also where its checksum is another one.
  void read(const std::string& name, std::span<char> room) const;
  /// The same of at most so many bytes. @throws Error also for more.
  [[nodiscard]] std::string read_text(const std::string& name, std::uint64_t most) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpucheck::tensor::files
