#pragma once

#include <memory>

#include "device/device.hpp"
#include "runtime/allocator/device_allocator.hpp"
#include "runtime/settings/allocator_choice.hpp"
#include "runtime/streams/pools/stream_pool.hpp"

namespace gpucheck::runtime {

/// Device, streams and sink must outlive the allocator. Makes no device call; opens the
/// library of a choice that has one. @throws EnvironmentError when that cannot be used.
std::unique_ptr<DeviceAllocator> make_allocator(const AllocatorChoice& choice, device::Device& device,
                                                StreamPool& streams, WarningSink warn);

}  // namespace gpucheck::runtime
