#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>

namespace gpucheck::replay {

// Large files and documents go into huge pages: a third of the reading time would be the
// system's, for mapping memory 4 KiB at a time.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

struct FreePages {
  void operator()(void* pages) const noexcept { std::free(pages); }
};
/// Memory for `Item`s that need no construction.
template <typename Item>
using HugePages = std::unique_ptr<Item[], FreePages>;

/// Room for `count` items: in huge pages where at least one is filled and the system has them.
/// @throws std::bad_alloc
template <typename Item>
HugePages<Item> huge_pages(std::size_t count) {
  const std::size_t bytes = count * sizeof(Item);
  const bool is_large = bytes >= huge_page_bytes;
  const std::size_t unit = is_large ? huge_page_bytes : alignof(std::max_align_t);
  const std::size_t rounded = (bytes + unit - 1) / unit * unit;
  void* const memory = std::aligned_alloc(unit, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  // Only a hint: without it all works, more slowly.
  if (is_large) static_cast<void>(madvise(memory, rounded, MADV_HUGEPAGE));
  return HugePages<Item>(static_cast<Item*>(memory));
}

}  // namespace gpucheck::replay
