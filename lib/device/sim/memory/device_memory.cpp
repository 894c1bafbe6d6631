#include "device/sim/memory/device_memory.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <sys/mman.h>

#include "base/host_refusal.hpp"
#include "base/text/units.hpp"
#include "device/sim/memory/address.hpp"
#include "device/sim/memory/bounds.hpp"

namespace gpucheck::sim {

namespace {

/// Requests up to this size share pages with others.
constexpr std::uint64_t small_limit = std::uint64_t{1} << 20;
/// So much is freed by callers before the host gets its pages back: that costs a
/// page fault for each page when the addresses are used again, which a program that
/// allocates and frees all the time would feel.
constexpr std::uint64_t max_kept_bytes = std::uint64_t{4} << 30;
/// Addresses reserved for each byte of capacity.
constexpr std::uint64_t addresses_per_byte = 4;

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t capacity_bytes, std::uint64_t reserved_bytes)
    : capacity_(capacity_bytes), used_(reserved_bytes) {}

DeviceMemory::~DeviceMemory() {
  if (reservation_.bytes != 0) ::munmap(as_pointer(reservation_.begin), reservation_.bytes);
}

void DeviceMemory::reserve() {
  if (reservation_.bytes != 0) return;
  constexpr std::uint64_t alignment = AddressSpace::region_granularity;
  const std::uint64_t usable =
      round_up(capacity_ * addresses_per_byte, alignment) + alignment + AddressSpace::context_bytes;
  const std::uint64_t bytes = usable + alignment;
  void* base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  // What this machine refuses is not what a GPU would: nothing has run out that is simulated.
  if (base == MAP_FAILED) {
    throw HostRefusedError(
        fmt::format("the simulated device needs {} of addresses for its memory, which this system refuses ({}): raise "
                    "the limit (ulimit -v), or choose a device with less memory (--device sim:small)",
                    format_bytes(bytes), std::strerror(errno)));
  }
  reservation_ = {reinterpret_cast<std::uintptr_t>(base), bytes};
  pages_.assign({round_up(reservation_.begin, alignment), usable});
}

std::optional<std::uintptr_t> DeviceMemory::allocate_addresses(std::uint64_t bytes) {
  reserve();
  return pages_.allocate(bytes);
}

bool DeviceMemory::charge(std::uint64_t bytes) noexcept {
  if (bytes > free_bytes()) return false;
  used_ += bytes;
  return true;
}

void DeviceMemory::free_addresses(Range range, bool charged) {
  pages_.free(range);
  kept_ += range.bytes;
  if (kept_ > max_kept_bytes) release_host_pages();
  if (charged) used_ -= range.bytes;
}

std::optional<std::uintptr_t> DeviceMemory::allocate_pages(std::uint64_t bytes) {
  if (bytes > free_bytes()) return std::nullopt;
  const auto begin = allocate_addresses(bytes);
  if (begin) used_ += bytes;
  return begin;
}

void DeviceMemory::release_host_pages() {
  pages_.for_each_free([](Range free) { ::madvise(as_pointer(free.begin), free.bytes, MADV_DONTNEED); });
  kept_ = 0;
}

void DeviceMemory::free_pages(Range range) { free_addresses(range, true); }

std::optional<Range> DeviceMemory::allocate(std::uint64_t bytes) {
  if (bytes > capacity_) return std::nullopt;
  if (bytes > small_limit) {
    const std::uint64_t rounded = round_up(bytes, page_bytes);
    const auto begin = allocate_pages(rounded);
    return begin ? std::optional(Range{*begin, rounded}) : std::nullopt;
  }
  const std::uint64_t rounded = round_up(bytes, allocation_alignment);
  auto begin = small_.allocate(rounded);
  if (!begin) {
    const auto page = allocate_pages(page_bytes);
    if (!page) return std::nullopt;
    small_.insert({*page, page_bytes});
    begin = small_.allocate(rounded);
  }
  return Range{*begin, rounded};
}

void DeviceMemory::release(Range range) {
  if (range.bytes > small_limit) {
    free_pages(range);
    return;
  }
  const Range merged = small_.insert(range);
  const std::uintptr_t first_page = round_up(merged.begin, page_bytes);
  const std::uintptr_t end_page = merged.end() / page_bytes * page_bytes;
  if (first_page >= end_page) return;
  const Range whole{first_page, end_page - first_page};
  small_.remove(whole);
  free_pages(whole);
}

bool DeviceMemory::owns(std::uintptr_t address) const noexcept {
  return address >= reservation_.begin && address < reservation_.end();
}

const AllocationMap::Allocation* AllocationMap::find(std::uintptr_t begin) const {
  const auto found = allocations_.find(begin);
  return found == allocations_.end() ? nullptr : &found->second;
}

bool AllocationMap::contains(Range range) const {
  auto entry = allocations_.upper_bound(range.begin);
  if (entry == allocations_.begin()) return false;
  --entry;
  // Written so that a size near the end of the number range does not wrap around.
  const std::uint64_t offset = range.begin - entry->first;
  if (offset >= entry->second.bytes) return false;
  std::uint64_t covered = entry->second.bytes - offset;
  while (covered < range.bytes && entry->second.origin == Origin::mapping) {
    const std::uintptr_t end = entry->first + entry->second.bytes;
    if (++entry == allocations_.end() || entry->first != end || entry->second.origin != Origin::mapping) return false;
    covered += entry->second.bytes;
  }
  return range.bytes <= covered;
}

bool AllocationMap::contains(const device::MemoryAccess& access) const {
  if (contains({address_of(access.address), device::extent_bytes(access)})) return true;
  return !access.repetitions.empty() &&
         runs_lie_in_pieces(access, [this](std::uintptr_t address) { return piece_after(address); });
}

/// The first allocation that ends after the address, or mappings next to each other.
std::optional<Range> AllocationMap::piece_after(std::uintptr_t address) const {
  auto entry = allocations_.upper_bound(address);
  if (entry != allocations_.begin()) {
    const auto before = std::prev(entry);
    if (address - before->first < before->second.bytes) entry = before;
  }
  if (entry == allocations_.end()) return std::nullopt;
  Range piece{entry->first, entry->second.bytes};
  const auto goes_on = [&] {
    const bool was_mapping = entry->second.origin == Origin::mapping;
    return ++entry != allocations_.end() && was_mapping && entry->first == piece.end() &&
           entry->second.origin == Origin::mapping;
  };
  while (goes_on()) piece.bytes += entry->second.bytes;
  return piece;
}

std::uint64_t AllocationMap::bytes() const noexcept {
  return std::accumulate(allocations_.begin(), allocations_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& entry) { return sum + entry.second.bytes; });
}

}  // namespace gpucheck::sim
