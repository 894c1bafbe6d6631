#include "device/fault/spoil_product.hpp"

#include <array>

#include "device/fault/flip_bit.hpp"

namespace gpucheck::fault {
namespace {

using device::ElementType;
using device::MatrixProduct;
using device::Status;
using device::Stream;

/// The element in the middle row and column.
std::byte* middle_element(const MatrixProduct& product, void* d) {
  const std::int64_t place = product.n / 2 * product.leading_d + product.m / 2;
  return static_cast<std::byte*>(d) + static_cast<std::size_t>(place) * element_bytes(product.d);
}

/// The two bytes with infinity's sign and exponent; those below are zeros. The types are those
/// that products have.
std::array<std::uint8_t, 2> infinity_bytes(ElementType type) {
  switch (type) {
    case ElementType::fp64:
      return {0xF0, 0x7F};
    case ElementType::fp16:
      return {0x00, 0x7C};
    default:  // fp32, bf16
      return {0x80, 0x7F};
  }
}

/// With fills alone: they reach what a copy from the host would need pinned memory for.
Status write_infinity(device::Device& device, std::byte* element, ElementType type, Stream stream) {
  const std::size_t low_bytes = element_bytes(type) - 2;
  const std::array<std::uint8_t, 2> high = infinity_bytes(type);
  Status status = device.fill(element, 0, low_bytes, stream);
  if (status == Status::success) status = device.fill(element + low_bytes, high[0], 1, stream);
  if (status == Status::success) status = device.fill(element + low_bytes + 1, high[1], 1, stream);
  return status;
}

Status write_not_finite(device::Device& device, const MatrixProduct& product, std::byte* element, Stream stream) {
  constexpr std::uint8_t all_ones = 0xFF;  // not a number in every type
  const std::size_t bytes = element_bytes(product.d);
  const Status status = device.fill(element, all_ones, bytes, stream);
  if (status != Status::success || product.m / 2 + 1 >= product.m) return status;
  return write_infinity(device, element + bytes, product.d, stream);
}

}  // namespace

bool can_spoil(const MatrixProduct& product, Effect effect) noexcept {
  return effect != Effect::not_finite || product.d != ElementType::int32;
}

Status spoil_product(device::Device& device, const MatrixProduct& product, void* d, Effect effect, Stream stream) {
  std::byte* const element = middle_element(product, d);
  switch (effect) {
    case Effect::flip_low_bit:
      return flip(device, element, 1, stream);
    case Effect::not_finite:
      return write_not_finite(device, product, element, stream);
    default:
      return flip(device, element + element_bytes(product.d) - 1, high_bit, stream);
  }
}

}  // namespace gpucheck::fault
