#include "device/sim/machine/world.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

#include "base/splitmix.hpp"
#include "device/sim/memory/address.hpp"
#include "device/sim/reference/meeting.hpp"
#include "device/sim/reference/reference_collective.hpp"
#include "device/sim/reference/reference_product.hpp"

namespace gpucheck::sim {

using device::AccessMode;
using device::MemoryAccess;
using device::Status;

namespace {

/// Whether each of its runs begins where its elements may.
bool is_aligned(const MemoryAccess& access) {
  const auto is_multiple = [&](std::uintptr_t number) { return number % access.alignment == 0; };
  return is_multiple(address_of(access.address)) &&
         std::ranges::all_of(access.repetitions, [&](const device::Repetition& repetition) {
           return repetition.count <= 1 || is_multiple(repetition.stride);
         });
}

/// A copy engine reaches every device; a kernel only its own and enabled peers.
bool reachable(const World& world, const Context& context, const Work& work, const MemoryAccess& access) {
  const Context* owner = world.owner(address_of(access.address));
  if (owner == nullptr) return world.host.contains(access);
  const bool permitted =
      owner == &context || !is_kernel(work.action) || context.peers.contains(owner->default_stream.device);
  return permitted && owner->accessible.contains(access);
}

struct Performer {
  World& world;
  Context& context;
  const Work& work;

  Status operator()(std::monostate) const { return Status::success; }
  Status operator()(const CallHost&) const { return Status::success; }
  Status operator()(const RecordEvent&) const { return Status::success; }
  Status operator()(const WaitEvent&) const { return Status::success; }
  Status operator()(const RunKernel& launch) const {
    device::FailedAssertion failed;
    launch.kernel->run_on_host(launch.functor.data(), launch.count, launch.block, failed);
    if (failed.expression == nullptr) return Status::success;
    fmt::print(stderr, "{}:{}: {}: block: [{},0,0], thread: [{},0,0] Assertion `{}` failed.\n", failed.file,
               failed.line, launch.kernel->name, failed.block, failed.thread, failed.expression);
    return Status::assertion;
  }
  Status operator()(const MultiplyMatrices& multiply) const {
    multiply_on_host(multiply.product, multiply.algorithm, multiply.operands);
    return Status::success;
  }
  Status operator()(const TakePart&) const { return Status::success; }
  /// Where a rank's device is broken nobody gets anything.
  Status operator()(const Communicate& all) const {
    const bool broken = std::ranges::any_of(all.devices, [this](int device) {
      return world.contexts[static_cast<std::size_t>(device)]->sticky != Status::success;
    });
    if (broken) return Status::success;
    if (all.meeting != nullptr) {
      all.meeting->communicate(all.collective, all.operands);
    } else {
      communicate_on_host(all.collective, all.operands);
    }
    return Status::success;
  }
  Status operator()(const CopyBytes& copy) const {
    std::memmove(copy.destination, copy.staged.empty() ? copy.source : copy.staged.data(), copy.bytes);
    return Status::success;
  }
  Status operator()(const FillBytes& fill) const {
    std::memset(fill.destination, fill.value, fill.bytes);
    return Status::success;
  }
  Status operator()(const BeginAllocation&) const { return Status::success; }
  Status operator()(const EndAllocation& end) const {
    context.accessible.remove(end.address);
    if (end.allocation.origin == AllocationMap::Origin::plain) {
      context.memory.release({end.address, end.allocation.block_bytes});
    }
    return Status::success;
  }
};

}  // namespace

Context* World::owner(std::uintptr_t address) const noexcept {
  for (const auto& context : contexts) {
    if (context->memory.owns(address) || context->virtual_memory.owns(address)) return context.get();
  }
  return nullptr;
}

Status execute(World& world, Context& context, const Work& work) {
  if (const auto* begin = std::get_if<BeginAllocation>(&work.action)) {
    context.accessible.add(begin->address, begin->allocation);
  }
  for (const MemoryAccess& access : work.accesses) {
    if (!reachable(world, context, work, access)) return Status::illegal_address;
    if (!is_aligned(access)) return Status::misaligned_address;
    const bool writes_host = access.mode != AccessMode::read && world.owner(address_of(access.address)) == nullptr;
    if (writes_host) ++world.host_writes;
  }
  return std::visit(Performer{world, context, work}, work.action);
}

std::uint64_t digest(const void* bytes, std::size_t count) noexcept {
  const auto* at = static_cast<const unsigned char*>(bytes);
  std::uint64_t sum = splitmix(count);
  for (; count >= sizeof(std::uint64_t); count -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    sum = (sum ^ word) * 0x9E3779B97F4A7C15U;
    sum ^= sum >> 32;
  }
  for (; count > 0; --count, ++at) sum = splitmix(sum ^ *at);
  return sum;
}

}  // namespace gpucheck::sim
