#include "device/sim/simulated_device.hpp"

namespace gpucheck::sim {

using device::Result;
using device::Status;

namespace {

Range range_of(const void* pointer, std::size_t bytes) { return {reinterpret_cast<std::uintptr_t>(pointer), bytes}; }

bool is_whole(Range range) {
  return range.bytes > 0 && range.bytes % device::mapping_granularity == 0 &&
         range.begin % device::mapping_granularity == 0;
}

}  // namespace

Result<void*> SimulatedDevice::reserve_addresses(std::size_t bytes) {
  const auto body = [&]() -> Result<void*> {
    if (!is_whole({0, bytes})) return Status::invalid_value;
    const auto begin = context_.virtual_memory.reserve(bytes);
    if (!begin) return Status::out_of_memory;
    return reinterpret_cast<void*>(*begin);
  };
  return call(Operation::reserve_addresses, body, AfterSticky::fails, costs::api_call_ns, LastError::untouched);
}

Status SimulatedDevice::release_addresses(void* pointer, std::size_t bytes) {
  const auto body = [&] {
    const Range range = range_of(pointer, bytes);
    return is_whole(range) && context_.virtual_memory.release(range) ? Status::success : Status::invalid_value;
  };
  return call(Operation::release_addresses, body, AfterSticky::fails, costs::api_call_ns, LastError::untouched);
}

Status SimulatedDevice::map_memory(void* pointer, std::size_t bytes) {
  const auto body = [&] {
    const Range range = range_of(pointer, bytes);
    if (!is_whole(range)) return Status::invalid_value;
    if (!context_.memory.charge(bytes)) {
      machine_->reclaim_pools();
      if (!context_.memory.charge(bytes)) return Status::out_of_memory;
    }
    if (!context_.virtual_memory.map(range)) {
      context_.memory.discharge(bytes);
      return Status::invalid_value;
    }
    const AllocationMap::Allocation allocation{
        .bytes = bytes, .origin = AllocationMap::Origin::mapping, .block_bytes = bytes};
    context_.allocations.add(range.begin, allocation);
    context_.accessible.add(range.begin, allocation);
    timeline().races().forget(pointer, bytes);
    return Status::success;
  };
  return call(Operation::map_memory, body, AfterSticky::fails, costs::allocation_ns, LastError::untouched);
}

Status SimulatedDevice::unmap_memory(void* pointer, std::size_t bytes) {
  const auto body = [&] {
    const Range range = range_of(pointer, bytes);
    if (!is_whole(range)) return Status::invalid_value;
    if (context_.virtual_memory.is_unmapped(range)) return Status::success;
    if (!context_.virtual_memory.unmap(range)) return Status::invalid_value;
    timeline().host_access("unmap_memory", device::writes(pointer, bytes));
    timeline().races().forget(pointer, bytes);
    context_.allocations.remove(range.begin);
    context_.accessible.remove(range.begin);
    context_.memory.discharge(bytes);
    return Status::success;
  };
  return call(Operation::unmap_memory, body, AfterSticky::fails, costs::api_call_ns, LastError::untouched);
}

}  // namespace gpucheck::sim
