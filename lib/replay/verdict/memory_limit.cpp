#include "replay/verdict/memory_limit.hpp"

#include <algorithm>

namespace gpucheck::replay {

namespace {

/// What a file says is not a limit where no device can be that large.
std::uint64_t capped(std::uint64_t bytes, const DeviceSource& devices) {
  return devices.sizes ? std::min(bytes, devices.sizes->max_bytes) : bytes;
}

}  // namespace

MemoryLimit memory_limit_of(const Subject& subject, const Request& request) {
  using enum MemoryLimit::Source;
  if (request.memory_limit_bytes) return {requested, request.memory_limit_bytes};
  if (const auto& limit = subject.trace.memory_limit_bytes) return {trace, capped(*limit, request.devices)};
  if (!subject.recorded) return {};
  if (const auto& capacity = subject.recorded->recorded_capacity_bytes)
    return {recorded, capped(*capacity, request.devices)};
  const auto& sizes = request.devices.sizes;
  const bool is_too_small = sizes && subject.recorded->recorded_peak_reserved_bytes > sizes->default_bytes;
  return {is_too_small ? not_recorded : device, std::nullopt};
}

std::optional<std::uint64_t> device_bytes_for(const MemoryLimit& limit, const Request& request) {
  const auto& sizes = request.devices.sizes;
  if (!sizes) return std::nullopt;
  // Only the caching allocator keeps all that it reserves within a limit.
  if (limit.bytes && request.allocator.kind != runtime::AllocatorChoice::Kind::caching) return limit.bytes;
  if (limit.source == MemoryLimit::Source::not_recorded) return sizes->max_bytes;
  return std::max(limit.bytes.value_or(0), sizes->default_bytes);
}

}  // namespace gpucheck::replay
