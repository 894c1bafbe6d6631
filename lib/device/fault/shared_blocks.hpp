#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace gpucheck::fault {

/// Which device memory is allocated, and how many callers were given each block: what
/// `Effect::alias` needs. Thread-safe.
class SharedBlocks {
 public:
  /// A fresh allocation with one holder; null is ignored.
  void add(void* pointer, std::size_t bytes);
  /// Adds a holder to a block of at least `bytes`; null when there is none.
  [[nodiscard]] void* share(std::size_t bytes);
  /// Takes a holder away; true when none is left, so that the memory may be freed. True
  /// as well for a pointer that is not known.
  [[nodiscard]] bool release(void* pointer);

 private:
  struct Block {
    std::size_t bytes = 0;
    std::size_t holders = 0;
  };
  std::mutex mutex_;
  std::map<void*, Block> blocks_;
};

}  // namespace gpucheck::fault
