#include "device/sim/memory/virtual_memory.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

#include "base/host_refusal.hpp"
#include "base/text/units.hpp"
#include "device/device.hpp"
#include "device/sim/memory/address.hpp"

namespace gpucheck::sim {
namespace {

void unmap_host(std::uintptr_t begin, std::uintptr_t end) {
  if (begin < end) ::munmap(as_pointer(begin), end - begin);
}

}  // namespace

VirtualMemory::~VirtualMemory() {
  for (const auto& [begin, reservation] : reservations_) unmap_host(begin, begin + reservation.bytes);
}

std::optional<std::uintptr_t> VirtualMemory::reserve(std::uint64_t bytes) {
  constexpr std::uint64_t alignment = device::mapping_granularity;
  if (bytes > UINT64_MAX - alignment) return std::nullopt;
  void* const base =
      ::mmap(nullptr, bytes + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    // As on a GPU, where it asked for more than there can be; a limit of this process is not the simulated device's.
    if (!has_address_limit()) return std::nullopt;
    throw HostRefusedError(fmt::format("this system refuses {} of addresses ({}): raise the limit (ulimit -v)",
                                       format_bytes(bytes), std::strerror(errno)));
  }
  const auto first = reinterpret_cast<std::uintptr_t>(base);
  const std::uintptr_t begin = (first + alignment - 1) / alignment * alignment;
  unmap_host(first, begin);
  unmap_host(begin + bytes, first + bytes + alignment);
  reservations_.emplace(begin, Reservation{.bytes = bytes});
  return begin;
}

bool VirtualMemory::release(Range range) {
  const auto found = reservations_.find(range.begin);
  if (found == reservations_.end() || found->second.bytes != range.bytes || !found->second.pieces.empty()) return false;
  unmap_host(range.begin, range.end());
  reservations_.erase(found);
  return true;
}

VirtualMemory::Reservations::const_iterator VirtualMemory::containing(std::uintptr_t address) const noexcept {
  const auto next = reservations_.upper_bound(address);
  if (next == reservations_.begin()) return reservations_.end();
  const auto found = std::prev(next);
  return address - found->first < found->second.bytes ? found : reservations_.end();
}

bool VirtualMemory::is_unmapped(Range range) const noexcept {
  const auto found = containing(range.begin);
  if (found == reservations_.end() || range.bytes > found->second.bytes - (range.begin - found->first)) return false;
  const auto& pieces = found->second.pieces;
  const auto after = pieces.lower_bound(range.begin);
  if (after != pieces.end() && after->first < range.end()) return false;
  return after == pieces.begin() || std::prev(after)->first + std::prev(after)->second <= range.begin;
}

bool VirtualMemory::map(Range range) {
  if (!is_unmapped(range)) return false;
  reservations_.at(containing(range.begin)->first).pieces.emplace(range.begin, range.bytes);
  return true;
}

bool VirtualMemory::unmap(Range range) {
  const auto found = containing(range.begin);
  if (found == reservations_.end()) return false;
  auto& pieces = reservations_.at(found->first).pieces;
  const auto piece = pieces.find(range.begin);
  if (piece == pieces.end() || piece->second != range.bytes) return false;
  pieces.erase(piece);
  ::madvise(as_pointer(range.begin), range.bytes, MADV_DONTNEED);
  return true;
}

bool VirtualMemory::owns(std::uintptr_t address) const noexcept { return containing(address) != reservations_.end(); }

}  // namespace gpucheck::sim
