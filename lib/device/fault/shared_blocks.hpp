#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

namespace gpucheck::fault {

/// Which device memory is allocated, and how many callers were given each block: what
/// `Effect::alias` needs. Thread-safe.
class SharedBlocks {
 public:
  /// A fresh allocation with one holder, who knows it by `pointer`; null is ignored.
  /// `start`: what the device knows it by.
  void add(void* pointer, std::size_t bytes, void* start);
  /// Adds a holder to a block of at least `bytes`; null when there is none.
  [[nodiscard]] void* share(std::size_t bytes);
  /// Takes a holder away. What the device knows the memory by when none is left, so that it
  /// may be freed; the pointer itself when it is not known.
  [[nodiscard]] std::optional<void*> release(void* pointer);

 private:
  struct Block {
    std::size_t bytes = 0;
    void* start = nullptr;
    std::size_t holders = 0;
  };
  std::mutex mutex_;
  std::map<void*, Block> blocks_;
};

}  // namespace gpucheck::fault
