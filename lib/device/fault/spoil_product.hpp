#pragma once

#include "device/device.hpp"
#include "device/fault/plan.hpp"

namespace gpucheck::fault {

/// Whether an effect on products does anything to this one: integers are all finite.
bool can_spoil(const device::MatrixProduct& product, Effect effect) noexcept;

/// What flip_bit, flip_low_bit and not_finite do to the product at `d`, after the work enqueued
/// on `stream` so far.
device::Status spoil_product(device::Device& device, const device::MatrixProduct& product, void* d, Effect effect,
                             device::Stream stream);

}  // namespace gpucheck::fault
