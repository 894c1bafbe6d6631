#include "runtime/pinned/pinned_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/host_refusal.hpp"
#include "base/rounding.hpp"
#include "device/check.hpp"

namespace gpucheck::runtime::detail {
namespace {

constexpr std::uint64_t page_bytes = 4096;
/// The alignment of what is cut from the reserved segment: not less than the driver gives.
constexpr std::uint64_t reserved_alignment = 256;

/// Has the host provide the pages now, so that the driver, which holds its own lock
/// while it page-locks them, need not wait for each.
void touch_pages(std::byte* begin, std::uint64_t bytes) {
  for (std::uint64_t at = 0; at < bytes; at += page_bytes) *static_cast<volatile std::byte*>(begin + at) = std::byte{0};
}

void touch_pages(std::byte* begin, std::uint64_t bytes, std::uint64_t threads) {
  if (threads <= 1 || bytes < page_bytes * threads) return touch_pages(begin, bytes);
  const std::uint64_t share = round_up(bytes / threads, page_bytes);
  std::vector<std::jthread> others;
  for (std::uint64_t at = share; at < bytes; at += share) {
    others.emplace_back([begin, bytes, share, at] { touch_pages(begin + at, std::min(share, bytes - at)); });
  }
  touch_pages(begin, share);
}

}  // namespace

PinnedMemorySource::~PinnedMemorySource() {
  if (segment_.pointer == nullptr) return;
  try {
    release(segment_);
  } catch (const Error&) {  // a lost device: nothing is left to free
  }
}

PinnedMemory PinnedMemorySource::obtain(std::uint64_t bytes, const AllocatorSettings& settings) {
  if (settings.pinned_reserve_segment_size > 0) {
    if (void* part = reserved(bytes, settings)) return {part, bytes, PinnedMemory::Origin::reserved};
  }
  return make(bytes, settings);
}

void* PinnedMemorySource::reserved(std::uint64_t bytes, const AllocatorSettings& settings) {
  const std::scoped_lock lock(mutex_);
  if (segment_.pointer == nullptr) segment_ = make(settings.pinned_reserve_segment_size, settings);
  const std::uint64_t begin = round_up(segment_used_, reserved_alignment);
  if (begin > segment_.bytes || bytes > segment_.bytes - begin) return nullptr;
  segment_used_ = begin + bytes;
  return static_cast<std::byte*>(segment_.pointer) + begin;
}

PinnedMemory PinnedMemorySource::make(std::uint64_t bytes, const AllocatorSettings& settings) {
  if (!settings.pinned_use_host_register) {
    const device::Result<void*> pointer = device_.allocate_pinned(bytes);
    if (!pointer) {
      device::check_and_clear(device_, pointer.error(), fmt::format("allocate {} bytes of pinned host memory", bytes));
    }
    return {*pointer, bytes, PinnedMemory::Origin::allocated};
  }
  void* pointer = std::aligned_alloc(page_bytes, round_up(bytes, page_bytes));
  if (pointer == nullptr) {
    if (has_address_limit()) note_host_refusal("the system refuses host memory under a limit of addresses (ulimit -v)");
    throw Error(
        fmt::format("The host has no {} bytes of memory left to page-lock. Ask for less, or free some.", bytes));
  }
  touch_pages(static_cast<std::byte*>(pointer), bytes, settings.pinned_num_register_threads);
  const device::Status status = device_.register_host(pointer, bytes);
  if (status != device::Status::success) {
    std::free(pointer);
    device::check_and_clear(device_, status, fmt::format("page-lock {} bytes of host memory", bytes));
  }
  return {pointer, bytes, PinnedMemory::Origin::registered};
}

void PinnedMemorySource::release(const PinnedMemory& memory) {
  switch (memory.origin) {
    case PinnedMemory::Origin::allocated:
      return device::check_and_clear(device_, device_.free_pinned(memory.pointer), "free pinned host memory");
    case PinnedMemory::Origin::registered:
      device::check_and_clear(device_, device_.unregister_host(memory.pointer), "unregister host memory");
      return std::free(memory.pointer);
    case PinnedMemory::Origin::reserved:
      return;
  }
}

}  // namespace gpucheck::runtime::detail
