#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/libraries/matrix_product.hpp"

/// Numbers as they stand in the matrices that a product gives.
namespace gpucheck::cases::in_gemm {

/// The right bits of a number.
std::vector<std::byte> bytes_of(device::ElementType type, std::int64_t number);

/// The number whose bits these are.
double number_of(device::ElementType type, const std::byte* bytes);

}  // namespace gpucheck::cases::in_gemm
