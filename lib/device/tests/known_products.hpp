#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/libraries/matrix_product.hpp"

/// The products that the contract's tests ask for.
namespace gpucheck::device::contract {

inline constexpr std::int64_t m = 48;
inline constexpr std::int64_t n = 32;
inline constexpr std::int64_t k = 64;

inline MatrixProduct product_of(ElementType a, ElementType b, ElementType d, ComputeType compute) {
  return {.m = m,
          .n = n,
          .k = k,
          .transpose_a = true,
          .leading_a = k,
          .leading_b = k,
          .leading_d = m,
          .a = a,
          .b = b,
          .d = d,
          .compute = compute};
}

inline std::vector<MatrixProduct> every_type() {
  using enum ElementType;
  return {
      product_of(fp64, fp64, fp64, ComputeType::fp64),         product_of(fp32, fp32, fp32, ComputeType::fp32),
      product_of(fp32, fp32, fp32, ComputeType::tf32),         product_of(fp16, fp16, fp16, ComputeType::fp32),
      product_of(bf16, bf16, bf16, ComputeType::fp32),         product_of(fp8_e4m3, fp8_e4m3, bf16, ComputeType::fp32),
      product_of(fp8_e4m3, fp8_e5m2, bf16, ComputeType::fp32), product_of(fp8_e5m2, fp8_e4m3, bf16, ComputeType::fp32),
      product_of(int8, int8, int32, ComputeType::int32)};
}

inline std::string name_of(const MatrixProduct& product) {
  return std::string(to_text(product.a)) + " times " + std::string(to_text(product.b)) + " in " +
         std::string(to_text(product.compute));
}

}  // namespace gpucheck::device::contract
