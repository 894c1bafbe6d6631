#include "device/sim/memory/address.hpp"
#include "device/sim/simulated_device.hpp"

namespace gpucheck::sim {

using device::Result;
using device::Status;

Result<void*> SimulatedDevice::allocate(std::size_t bytes) {
  const auto body = [&]() -> Result<void*> {
    if (const Status status = machine_->reject_unsafe(); status != Status::success) return status;
    if (bytes == 0) return nullptr;
    auto range = context_.memory.allocate(bytes);
    if (!range) {
      machine_->reclaim_pools();
      range = context_.memory.allocate(bytes);
    }
    if (!range) return Status::out_of_memory;
    const AllocationMap::Allocation allocation{.bytes = bytes, .block_bytes = range->bytes};
    context_.allocations.add(range->begin, allocation);
    context_.accessible.add(range->begin, allocation);
    timeline().races().forget(as_pointer(range->begin), range->bytes);
    return as_pointer(range->begin);
  };
  return call(Operation::allocate, body, AfterSticky::fails, costs::allocation_ns);
}

Status SimulatedDevice::free(void* pointer) {
  return call(Operation::free, [&] {
    if (const Status status = machine_->reject_unsafe(); status != Status::success) return status;
    if (pointer == nullptr) return Status::success;
    const std::uintptr_t address = address_of(pointer);
    const auto* found = context_.allocations.find(address);
    if (found == nullptr || found->origin == AllocationMap::Origin::mapping) return Status::invalid_value;
    const AllocationMap::Allocation allocation = *found;
    const Range block{address, allocation.block_bytes};
    // Memory from a pool is freed without waiting: CUDA leaves that to the caller.
    const bool plain = allocation.origin == AllocationMap::Origin::plain;
    if (plain) machine_->wait_for(context_);
    if (context_.sticky != Status::success) return context_.sticky;
    // Another thread may have been quicker while this one waited.
    if (context_.allocations.find(address) == nullptr) return Status::invalid_value;
    timeline().host_access("free", device::writes(pointer, allocation.bytes));
    timeline().races().forget(pointer, block.bytes);
    context_.allocations.remove(address);
    context_.accessible.remove(address);
    if (plain) context_.memory.release(block);
    if (allocation.origin == AllocationMap::Origin::pool)
      context_.pool.free(block, allocation.bytes, timeline().now_ns(), {});
    return Status::success;
  });
}

Result<void*> SimulatedDevice::allocate_async(std::size_t bytes, device::Stream handle) {
  return call(Operation::allocate_async, [&]() -> Result<void*> {
    const auto found = target(handle);
    if (!found) return found.error();
    StreamState& stream = **found;
    if (stream.capture && bytes != 0) {
      void* captured = nullptr;
      const Status status = captured_allocation(stream, bytes, captured);
      if (status != Status::success) return status;
      return captured;
    }
    if (const Status status = machine_->reject_unsafe(); status != Status::success) return status;
    if (bytes == 0) return nullptr;
    context_.pool.collect(timeline().reached_ns());
    const auto block = context_.pool.allocate(bytes, timeline().before_next(context_, stream).clock);
    if (!block) return Status::out_of_memory;
    stream.ready_ns = std::max(stream.ready_ns, block->usable_ns);
    void* pointer = as_pointer(block->begin);
    if (block->after.epoch != 0) {
      stream.clock.advance(block->after);
    } else {
      timeline().races().forget(pointer, block->bytes);
    }
    const AllocationMap::Allocation allocation{
        .bytes = bytes, .origin = AllocationMap::Origin::pool, .block_bytes = block->bytes};
    context_.allocations.add(block->begin, allocation);
    submit(stream, {.name = "allocate_async",
                    .action = BeginAllocation{block->begin, allocation},
                    .accesses = {device::writes(pointer, bytes)}});
    return pointer;
  });
}

Status SimulatedDevice::free_async(void* pointer, device::Stream handle) {
  return call(Operation::free_async, [&] {
    const auto found = target(handle);
    if (!found) return found.error();
    StreamState& stream = **found;
    const std::uintptr_t address = address_of(pointer);
    if (stream.capture) return captured_free(stream, address);
    if (const Status status = machine_->reject_unsafe(); status != Status::success) return status;
    if (pointer == nullptr) return Status::success;
    const auto* live = context_.allocations.find(address);
    if (live == nullptr || live->origin == AllocationMap::Origin::mapping) return Status::invalid_value;
    const AllocationMap::Allocation allocation = *live;
    context_.allocations.remove(address);
    submit(stream, {.name = "free_async",
                    .action = EndAllocation{address, allocation},
                    .accesses = {device::writes(pointer, allocation.bytes)}});
    if (allocation.origin == AllocationMap::Origin::pool) {
      const Stamp stamp{stream.component, stream.epoch};
      context_.pool.free({address, allocation.block_bytes}, allocation.bytes, stream.ready_ns, stamp);
    }
    return Status::success;
  });
}

Result<void*> SimulatedDevice::allocate_pinned(std::size_t bytes) {
  const auto body = [&]() -> Result<void*> {
    if (const Status status = machine_->reject_unsafe(); status != Status::success) return status;
    if (bytes == 0) return nullptr;
    void* pointer = machine_->world.host.allocate(bytes);
    if (pointer == nullptr) return Status::out_of_memory;
    timeline().races().forget(pointer, bytes);
    return pointer;
  };
  return call(Operation::allocate_pinned, body, AfterSticky::fails, costs::allocation_ns);
}

Status SimulatedDevice::free_pinned(void* pointer) {
  return call(Operation::free_pinned, [&] {
    if (const Status status = machine_->reject_unsafe(); status != Status::success) return status;
    if (pointer == nullptr) return Status::success;
    for (const auto& context : machine_->world.contexts) machine_->wait_for(*context);
    if (context_.sticky != Status::success) return context_.sticky;
    const auto range = machine_->world.host.find(pointer);
    if (range) timeline().races().forget(reinterpret_cast<void*>(range->begin), range->bytes);
    return machine_->world.host.free(pointer);
  });
}

Status SimulatedDevice::register_host(void* pointer, std::size_t bytes) {
  return call(Operation::register_host, [&] {
    if (const Status status = machine_->reject_unsafe(); status != Status::success) return status;
    return machine_->world.host.register_range(pointer, bytes);
  });
}

Status SimulatedDevice::unregister_host(void* pointer) {
  return call(Operation::unregister_host, [&] {
    if (const Status status = machine_->reject_unsafe(); status != Status::success) return status;
    for (const auto& context : machine_->world.contexts) machine_->wait_for(*context);
    if (context_.sticky != Status::success) return context_.sticky;
    const auto range = machine_->world.host.find(pointer);
    if (range) timeline().races().forget(reinterpret_cast<void*>(range->begin), range->bytes);
    return machine_->world.host.unregister(pointer);
  });
}

Status SimulatedDevice::host_access(const device::MemoryAccess& access) {
  const auto body = [&] {
    if (!machine_->world.host.find(access.address)) return Status::success;
    const bool reads = access.mode == device::AccessMode::read;
    timeline().host_access(reads ? "host read" : "host write", access);
    return Status::success;
  };
  return call(Operation::host_access, body, AfterSticky::works, 0);
}

Result<device::MemoryInfo> SimulatedDevice::memory_info() {
  return call(Operation::memory_info, [&]() -> Result<device::MemoryInfo> {
    return device::MemoryInfo{context_.memory.free_bytes(), context_.memory.total_bytes()};
  });
}

Result<device::PointerInfo> SimulatedDevice::pointer_info(const void* pointer) {
  const auto body = [&]() -> Result<device::PointerInfo> {
    const World& world = machine_->world;
    const Context* owner = world.owner(address_of(pointer));
    if (owner != nullptr && owner->allocations.contains({address_of(pointer), 1})) {
      return device::PointerInfo{device::MemoryKind::device};
    }
    const bool page_locked = world.host.find(pointer).has_value();
    return device::PointerInfo{page_locked ? device::MemoryKind::host : device::MemoryKind::unregistered};
  };
  return call(Operation::pointer_info, body, AfterSticky::works);
}

}  // namespace gpucheck::sim
