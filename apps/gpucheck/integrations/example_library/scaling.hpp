#pragma once

#include <span>
#include <vector>

#include "runtime/runtime.hpp"

namespace stream_code {

/// Whether the stream that computes waits for the one that copies. It has to; without, the mistake is there to be
/// found.
enum class Wait { for_copy, not_at_all };

/// `values` times `factor`, computed on the device: one stream copies them there, another multiplies them and copies
/// the products back. @throws gpucheck::Error.
[[nodiscard]] std::vector<float> scaled(gpucheck::runtime::Runtime& runtime, std::span<const float> values,
                                        float factor, Wait wait);

}  // namespace stream_code
