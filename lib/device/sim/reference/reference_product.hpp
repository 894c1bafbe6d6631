#pragma once

#include <cstdint>

#include "device/libraries/matrix_product.hpp"

/// The simulated device's library: products as they are defined, element by element, on the
/// host. It rounds where the product's types say so, and sums of fp8 keep no more digits than
/// Hopper's tensor cores do, so that what is exact there is exact here and the other way round.
namespace gpucheck::sim {

/// Significant bits of a sum of fp8 products on Hopper: "FP22 accumulators" with 13 bits behind
/// the leading one (Zhang et al., "SageAttention2", arXiv 2411.10958, section 3.2), "around 14
/// bits" (DeepSeek-V3 Technical Report, arXiv 2412.19437, section 3.3.2).
inline constexpr unsigned fp8_sum_bits = 14;

/// Sums in two halves where the workspace can hold the first one, else from the first product to
/// the last: so whoever leans on an order of summation, or on the content of a workspace that
/// others use, gets wrong results. The product must be one that `check_product` takes.
device::ProductAlgorithm choose_reference_algorithm(const device::MatrixProduct& product,
                                                    std::uint64_t workspace_limit_bytes);

/// The same, but each sum begins with what would come last: exact sums are equal, rounded ones seldom.
device::ProductAlgorithm from_the_end(device::ProductAlgorithm algorithm);

/// Reads and writes simulated memory at once; all of it must be there.
void multiply_on_host(const device::MatrixProduct& product, const device::ProductAlgorithm& algorithm,
                      const device::ProductOperands& operands);

}  // namespace gpucheck::sim
