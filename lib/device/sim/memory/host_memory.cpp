#include "device/sim/memory/host_memory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

#include "base/host_refusal.hpp"
#include "base/text/units.hpp"
#include "device/sim/memory/address.hpp"
#include "device/sim/memory/bounds.hpp"
#include "device/sim/memory/device_memory.hpp"

namespace gpucheck::sim {

using device::Status;

namespace {

constexpr std::uint64_t host_page_bytes = 4096;

}  // namespace

HostMemory::~HostMemory() {
  for (const auto& [begin, entry] : ranges_) {
    if (entry.origin == Origin::allocated) std::free(reinterpret_cast<void*>(begin));
  }
}

void* HostMemory::allocate(std::uint64_t bytes) {
  const auto physical_pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  if (bytes / host_page_bytes >= physical_pages) return nullptr;  // pages must be there to be locked
  void* pointer = std::aligned_alloc(host_page_bytes, round_up(bytes, host_page_bytes));
  // What this machine refuses is not what a GPU's driver would: nothing has run out that is simulated.
  if (pointer == nullptr) {
    throw HostRefusedError(
        fmt::format("this system refuses {} of host memory ({}): raise the limit (ulimit -v), or end "
                    "what else uses the memory",
                    format_bytes(bytes), std::strerror(errno)));
  }
  ranges_.emplace(reinterpret_cast<std::uintptr_t>(pointer), Entry{bytes, Origin::allocated});
  return pointer;
}

Status HostMemory::free(void* pointer) {
  const auto found = ranges_.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == ranges_.end() || found->second.origin != Origin::allocated) return Status::invalid_value;
  ranges_.erase(found);
  std::free(pointer);
  return Status::success;
}

Status HostMemory::register_range(void* pointer, std::uint64_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  if (pointer == nullptr || bytes == 0 || begin + bytes < begin) return Status::invalid_value;
  const auto next = ranges_.lower_bound(begin + bytes);
  if (next != ranges_.begin()) {
    const auto& [other_begin, other] = *std::prev(next);
    if (other_begin + other.bytes > begin) {
      return other.origin == Origin::allocated ? Status::invalid_value : Status::host_memory_already_registered;
    }
  }
  ranges_.emplace(begin, Entry{bytes, Origin::registered});
  return Status::success;
}

Status HostMemory::unregister(void* pointer) {
  if (pointer == nullptr) return Status::invalid_value;
  const auto range = find(pointer);
  if (!range) return Status::host_memory_not_registered;
  const auto found = ranges_.find(range->begin);
  const bool is_start = range->begin == reinterpret_cast<std::uintptr_t>(pointer);
  if (!is_start || found->second.origin != Origin::registered) return Status::invalid_value;
  ranges_.erase(found);
  return Status::success;
}

std::optional<Range> HostMemory::find(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto next = ranges_.upper_bound(at);
  if (next == ranges_.begin()) return std::nullopt;
  const auto& [begin, entry] = *std::prev(next);
  if (at - begin >= entry.bytes) return std::nullopt;
  return Range{begin, entry.bytes};
}

bool HostMemory::contains(Range range) const {
  const auto holder = find(reinterpret_cast<const void*>(range.begin));
  return holder && range.bytes <= holder->end() - range.begin;
}

bool HostMemory::contains(const device::MemoryAccess& access) const {
  if (contains(Range{address_of(access.address), device::extent_bytes(access)})) return true;
  if (access.repetitions.empty()) return false;
  return runs_lie_in_pieces(access, [this](std::uintptr_t address) -> std::optional<Range> {
    if (const auto around = find(as_pointer(address))) return around;
    const auto next = ranges_.upper_bound(address);
    if (next == ranges_.end()) return std::nullopt;
    return Range{next->first, next->second.bytes};
  });
}

}  // namespace gpucheck::sim
