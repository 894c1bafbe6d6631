#include "replay/targets/library_target.hpp"

#include <fmt/format.h>
#include <iterator>

#include "base/error.hpp"

namespace gpucheck::replay {

LibraryTarget::LibraryTarget(device::Device& device, bool is_simulated, const runtime::AllocatorChoice& choice,
                             const TargetOptions& options)
    : OnWatchedStreams(device),
      RuntimeTarget(watched, choice, options.stream_count,
                    [](runtime::Runtime& runtime) -> runtime::DeviceAllocator& { return runtime.allocator(); }),
      is_simulated_(is_simulated),
      has_settings_(!options.settings.empty()),
      has_limit_(options.memory_limit_bytes.has_value()) {
  if (!is_simulated_) return;
  runtime_.pluggable_library().require_device_memory();
  free_before_ = free_on_device();
}

TraceTarget::Allocation LibraryTarget::allocate(std::uint64_t size, std::uint16_t stream) {
  const Allocation made = RuntimeTarget::allocate(size, stream);
  if (made.address != nullptr) add_block(made.address, size);
  return made;
}

void LibraryTarget::add_block(void* address, std::uint64_t size) {
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  const auto above = blocks_.lower_bound(start);
  const bool reaches_above = above != blocks_.end() && above->first - start < size;
  const bool lies_below = above != blocks_.begin() && start - std::prev(above)->first < std::prev(above)->second;
  if (reaches_above || lies_below) {
    throw Error(
        fmt::format("The allocator library allocated {} bytes at {} that overlap a block in use. `gpucheck run "
                    "'alloc.*' --allocator` says more.",
                    size, address));
  }
  blocks_.emplace_hint(above, start, size);
  allocated_bytes_ += static_cast<std::int64_t>(size);
}

void LibraryTarget::free(void* address) {
  RuntimeTarget::free(address);
  const auto block = blocks_.find(reinterpret_cast<std::uintptr_t>(address));  // what is unknown has thrown
  allocated_bytes_ -= static_cast<std::int64_t>(block->second);
  blocks_.erase(block);
}

void LibraryTarget::record_stream(void*, std::uint16_t) { ++recorded_streams_; }

void LibraryTarget::empty_cache() { ++emptied_caches_; }

Usage LibraryTarget::usage() {
  if (!is_simulated_) return {allocated_bytes_, std::nullopt};
  return {allocated_bytes_, static_cast<std::int64_t>(free_before_ - free_on_device())};
}

std::vector<std::string> LibraryTarget::remarks() {
  std::vector<std::string> remarks;
  const auto not_passed_on = [&remarks](std::uint64_t count, std::string_view call) {
    if (count == 0) return;
    remarks.push_back(fmt::format("{} calls of {} were not passed on: a library has no function for it", count, call));
  };
  not_passed_on(recorded_streams_, "record_stream");
  not_passed_on(emptied_caches_, "empty_cache");
  if (const std::uint64_t rejected = runtime_.pluggable_library().failed_frees(); rejected > 0) {
    remarks.push_back(fmt::format("{} frees were rejected by the device: what it does not hold, or no more", rejected));
  }
  if (has_settings_) remarks.emplace_back("a library takes no settings: those recorded were not applied");
  if (has_limit_) remarks.emplace_back("a library takes no memory limit: only the device's own size bounds it");
  if (!is_simulated_) remarks.emplace_back("what the library reserves is unknown: others use the device's memory too");
  return remarks;
}

std::uint64_t LibraryTarget::free_on_device() const { return device_.memory_info().value().free_bytes; }

}  // namespace gpucheck::replay
